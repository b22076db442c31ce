"""The inputs of a run: read, completed with the declared defaults, and checked against the workflow's schema."""

from __future__ import annotations

import copy
from collections.abc import Mapping

from pydantic import JsonValue

from swamp_core.app.refusals import Refused
from swamp_core.payload.inputs import input_value
from swamp_core.payload.strict_json import parse_json
from swamp_core.payload.values import PayloadError
from swamp_core.payload.violations import violations
from swamp_core.run.events import Json
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.problems import did_you_mean, quoted
from swamp_core.workflow.references import takes_undeclared

_HOW = "Give each input with --input NAME=VALUE, or all with --input-file FILE."


def read_inputs(workflow: Workflow, texts: Mapping[str, str], file: bytes | None = None) -> Json:
    """The inputs of `--input-file` and, over them, of `--input K=V`, each read by the type its schema declares.

    Raises `Refused` (`invalid_input`).
    """
    inputs: Json = {}
    try:
        if file is not None:
            given = parse_json(file)
            if not isinstance(given, dict):
                raise Refused("invalid_input", "The input file does not hold a JSON object.")
            inputs |= given
    except PayloadError as error:
        raise Refused("invalid_input", f"The input file cannot be read: {error.reason}") from error
    members = _members(workflow)
    for name, text in texts.items():
        member = members.get(name)
        try:
            inputs[name] = input_value(text, member if isinstance(member, dict) else None)
        except PayloadError as error:
            raise Refused(
                "invalid_input", f"The input {quoted(name)} cannot be read: {error.reason}"
            ) from error
    return inputs


def checked_inputs(workflow: Workflow, given: Mapping[str, JsonValue]) -> Json:
    """The inputs with defaults filled in. Raises `Refused` (`invalid_input`) when they do not fit the schema."""
    inputs: Json = copy.deepcopy(dict(given))
    if workflow.inputs is None:
        if inputs:
            raise Refused(
                "invalid_input", f"The workflow `{workflow.name}` declares no inputs, so none can be given."
            )
        return inputs
    members = _members(workflow)
    unknown = next((name for name in inputs if name not in members), None)
    if unknown is not None and not takes_undeclared(workflow.inputs):
        raise Refused(
            "invalid_input",
            f"The workflow `{workflow.name}` declares no input {quoted(unknown)}{did_you_mean(unknown, members)}",
            hint=_HOW,
            details={"input": unknown, "known": list(members)},
        )
    for name, member in members.items():
        if isinstance(member, dict) and "default" in member:
            inputs.setdefault(name, copy.deepcopy(member["default"]))
    problems = violations(workflow.inputs, inputs)
    if problems:
        raise Refused(
            "invalid_input",
            f"The inputs do not fit the workflow `{workflow.name}`: {' '.join(problems)}",
            hint=_HOW,
            details={"problems": problems, "schema": workflow.inputs},
        )
    return inputs


def _members(workflow: Workflow) -> Json:
    members = (workflow.inputs or {}).get("properties")
    return members if isinstance(members, dict) else {}
