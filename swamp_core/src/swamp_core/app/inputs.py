"""The inputs of a run: read, completed with the declared defaults, and checked against the workflow's schema."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from swamp_core.app.refusals import Refused
from swamp_core.payload.inputs import input_value
from swamp_core.payload.strict_json import parse_json
from swamp_core.payload.values import PayloadError
from swamp_core.payload.violations import violations
from swamp_core.run.events import Json
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.inputs import declared_inputs, takes_input, with_defaults
from swamp_core.workflow.problems import did_you_mean, quoted

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
    members = declared_inputs(workflow)
    for name, text in texts.items():
        member = members.get(name)
        try:
            inputs[name] = input_value(text, member if isinstance(member, dict) else None)
        except PayloadError as error:
            raise Refused(
                "invalid_input", f"The input {quoted(name)} cannot be read: {error.reason}", hint=_HOW
            ) from error
    return inputs


def checked_inputs(workflow: Workflow, given: Mapping[str, JsonValue]) -> Json:
    """The inputs with defaults filled in. Raises `Refused` (`invalid_input`) when they do not fit the schema."""
    if workflow.inputs is None:
        if given:
            raise Refused(
                "invalid_input", f"The workflow `{workflow.name}` declares no inputs, so none can be given."
            )
        return {}
    members = declared_inputs(workflow)
    unknown = next((name for name in given if not takes_input(workflow, name)), None)
    if unknown is not None:
        raise Refused(
            "invalid_input",
            f"The workflow `{workflow.name}` declares no input {quoted(unknown)}{did_you_mean(unknown, members)}",
            hint=_HOW,
            details={"input": unknown, "known": list(members)},
        )
    inputs: Json = with_defaults(workflow, given)
    problems = violations(workflow.inputs, inputs)
    if problems:
        raise Refused(
            "invalid_input",
            f"The inputs do not fit the workflow `{workflow.name}`: {' '.join(problems)}",
            hint=_HOW,
            details={"problems": problems, "schema": workflow.inputs},
        )
    return inputs
