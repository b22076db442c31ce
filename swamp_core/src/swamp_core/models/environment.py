"""What a script is given: environment variables. Text from elsewhere reaches a script here and only here.

A text input is passed as it is and any other value as compact JSON; all inputs together are in SWAMP_INPUTS
as JSON. An input that cannot arrive unchanged is refused before anything is started, never cut or altered.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swamp_core.models.definition import ShellMethod
from swamp_core.models.method import Invocation
from swamp_core.payload.values import compact
from swamp_core.workflow.problems import quoted

INPUT_PREFIX = "SWAMP_INPUT_"

_NOT_IN_VARIABLE = re.compile(r"[^A-Za-z0-9]")


class InputNotPassed(ValueError):
    """An input cannot be handed to a process as it is; the text says which and why."""


def variable_of(name: str) -> str:
    """The variable that holds the input of the name: `release-note` is in SWAMP_INPUT_RELEASE_NOTE."""
    return INPUT_PREFIX + _NOT_IN_VARIABLE.sub("_", name).upper()


def environment(
    method: ShellMethod, invocation: Invocation, output_file: Path, inherited: Mapping[str, str]
) -> dict[str, str]:
    """The variables for one call, the inherited ones included; raises `InputNotPassed`.

    Inputs of an outer step, whose script called swamp, are not inherited.
    """
    kept = {name: value for name, value in inherited.items() if not name.startswith(INPUT_PREFIX)}
    own = {
        "SWAMP_REPO_DIR": str(invocation.repo_dir.absolute()),
        "SWAMP_WORKFLOW": invocation.workflow,
        "SWAMP_RUN_ID": invocation.run_id,
        "SWAMP_JOB": invocation.job,
        "SWAMP_STEP": invocation.step,
        "SWAMP_INPUTS": _json(dict(invocation.inputs)),
        "SWAMP_OUTPUT": str(output_file),
    }
    return {**kept, **method.env, **own, **_input_variables(invocation.inputs)}


def _input_variables(inputs: Mapping[str, Any]) -> dict[str, str]:
    variables: dict[str, str] = {}
    names: dict[str, str] = {}
    for name, value in inputs.items():
        variable = variable_of(name)
        if variable in names:
            first = quoted(names[variable])
            raise InputNotPassed(
                f"The inputs {first} and {quoted(name)} would both be in ${variable}; rename one."
            )
        text = value if isinstance(value, str) else _json(value)
        if "\0" in text:
            raise InputNotPassed(
                f"The input {quoted(name)} holds a NUL character, which no variable can hold."
            )
        names[variable] = name
        variables[variable] = text
    return variables


def _json(value: Any) -> str:
    try:
        return compact(value).decode("utf-8")
    except ValueError as error:
        raise InputNotPassed(
            "An input holds something that JSON cannot carry, such as half of a character."
        ) from error
