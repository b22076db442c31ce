"""Asking a person at a terminal for a payload: one question for each field that the schema names.

Questions go to stderr, so that stdout holds the answer only. An answer that does not fit its field is asked for again.
"""

from __future__ import annotations

import json
import sys

from pydantic import JsonValue

from swamp_core.cli.invocation import Invocation
from swamp_core.cli.output import Output
from swamp_core.cli.parts import Facts, Part, Say
from swamp_core.cli.times import until
from swamp_core.payload.inputs import input_value
from swamp_core.payload.strict_json import parse_payload
from swamp_core.payload.values import PayloadError
from swamp_core.payload.violations import violations, violations_of
from swamp_core.records.families import Registration

Schema = dict[str, JsonValue]


def can_ask(output: Output) -> bool:
    """Whether there is a person to ask: a terminal on both sides, and no script that reads JSON."""
    try:
        typed = sys.stdin is not None and sys.stdin.isatty()
    except ValueError:
        return False
    return typed and output.err.is_terminal and not output.as_json


def ask_for_payload(registration: Registration, invocation: Invocation) -> dict[str, JsonValue]:
    """The payload as the person gives it, valid under the schema. Raises `EOFError` at the end of the input."""
    output = invocation.output
    now = invocation.ambient.clock.now()
    name = f"{registration.job}/{registration.step} of {registration.workflow}"
    output.warn(Say(f"{name} waits for a signal{until(registration.deadline, now)}.", "warn"))
    if registration.prompt:
        output.warn(Say(registration.prompt))
    output.warn(Say("The payload is kept in plain text; it must carry no secret.", "dim"))
    schema = registration.payload_schema or {}
    while True:
        members = schema.get("properties")
        payload = _fields(schema, members, output) if isinstance(members, dict) else _whole(output)
        problems = violations(schema, payload)
        if not problems:
            return payload
        output.warn(*(Say(problem, "bad") for problem in problems))


def _whole(output: Output) -> dict[str, JsonValue]:
    while True:
        text = _line(output, "Payload as a JSON object: ")
        try:
            return parse_payload(text or "{}")
        except PayloadError as error:
            output.warn(Say(error.reason, "bad"))


def _fields(root: Schema, members: Schema, output: Output) -> dict[str, JsonValue]:
    required = root.get("required")
    needed = [str(name) for name in required] if isinstance(required, list) else []
    payload: dict[str, JsonValue] = {}
    for name in dict.fromkeys([*members, *needed]):
        member = members.get(name)
        schema = member if isinstance(member, dict) else {}
        output.warn(*question(name, schema, required=name in needed))
        while text := _answer(output, required=name in needed):
            try:
                value = input_value(text, schema)
                problems = violations_of(root, {"properties": {name: schema}}, {name: value})
            except PayloadError as error:
                problems = [error.reason]
            if not problems:
                payload[name] = value
                break
            output.warn(*(Say(problem, "bad") for problem in problems))
    return payload


def _answer(output: Output, *, required: bool) -> str:
    """A line that is not empty, unless it may be."""
    while not (text := _line(output, "> ")).strip() and required:
        output.warn(Say("This field is required.", "bad"))
    return text if text.strip() else ""


def question(name: str, schema: Schema, *, required: bool) -> list[Part]:
    """What is asked for, with what may be answered."""
    kind = schema.get("type", "text")
    kinds = " or ".join(map(str, kind)) if isinstance(kind, list) else str(kind)
    needed = "required" if required else "optional; leave empty to leave it out"
    facts = [
        (label, _text(schema[keyword]))
        for label, keyword in (("what", "description"), ("one of", "enum"), ("always", "const"))
        if keyword in schema
    ]
    return [Say(f"{name} ({kinds}, {needed})"), *([Facts(tuple(facts))] if facts else [])]


def _text(value: JsonValue) -> str:
    if isinstance(value, list):
        return ", ".join(_text(each) for each in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _line(output: Output, prompt: str) -> str:
    while True:
        output.err.write(prompt)
        line = sys.stdin.buffer.readline()
        if not line:
            raise EOFError
        try:
            return line.decode(sys.stdin.encoding or "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            output.warn(Say("That is no text in the terminal's encoding.", "bad"))
