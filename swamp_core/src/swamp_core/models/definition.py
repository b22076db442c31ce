"""A model as its author declared it: a name, and methods that steps call.

The methods of a `command/shell` model are scripts for the shell; those of any other are a Python class's, see
`python_definition`. A run pins the models that it uses in its journal with `to_json`, and `from_json` gives
them back, as with a workflow. A script is code, so no text that comes from elsewhere is ever put into it:
inputs reach it as environment variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from swamp_core.models.python_definition import PythonModel
from swamp_core.workflow.fields import Definition, Given, Name, Seconds, Title
from swamp_core.workflow.problems import Finding, KeyPath, quoted

SHELL = "command/shell"
OWN_PREFIX = "SWAMP_"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z", re.ASCII)


class ShellMethod(Definition):
    """A script, run by `/bin/sh -c` in the repo directory or in `working_dir` below it.

    `env` adds variables with plain text; `timeout_s`, in seconds, ends a script that takes longer.
    """

    run: str
    description: str = ""
    env: dict[str, str] = Field(default={})
    working_dir: Annotated[str | None, Given] = None
    timeout_s: Annotated[Seconds | None, Given] = Field(default=None, alias="timeout")


class ShellModel(Definition):
    """A model of scripts; its name is its identity, by which steps call it."""

    type: Literal["command/shell"]
    name: Name
    description: str = ""
    methods: Annotated[dict[Title, ShellMethod], Field(min_length=1)]


Model = ShellModel | PythonModel
"""A model of any type."""


def shell_findings(model: ShellModel) -> Iterator[Finding]:
    """What is wrong with a model of scripts beyond its form."""
    for name, method in model.methods.items():
        path: KeyPath = ("methods", name)
        if "${{" in method.run:
            message = (
                "An expression in `run` would turn untrusted text into code. Give the step the value as an "
                'input, and read it in the script as "$SWAMP_INPUT_NAME".'
            )
            yield Finding((*path, "run"), "expression_in_script", message)
        if not method.run.strip():
            yield Finding((*path, "run"), "empty_script", f"The method {quoted(name)} has nothing to run.")
        yield from _plain_text(method.run, (*path, "run"))
        if method.working_dir is not None:
            yield from _plain_text(method.working_dir, (*path, "workingDir"))
            if "${{" in method.working_dir:
                message = "`workingDir` is plain text, without expressions."
                yield Finding((*path, "workingDir"), "expression_not_allowed", message)
        yield from _variable_findings(method, (*path, "env"))


def _variable_findings(method: ShellMethod, path: KeyPath) -> Iterator[Finding]:
    for variable, value in method.env.items():
        if not _VARIABLE.match(variable):
            message = (
                f"{quoted(variable)} cannot name a variable: letters, digits and `_`, not a digit first."
            )
            yield Finding((*path, variable), "invalid_variable", message, at_key=True)
        elif variable.upper().startswith(OWN_PREFIX):
            message = f"Names that start with `{OWN_PREFIX}` are Swamp's own; rename {quoted(variable)}."
            yield Finding((*path, variable), "invalid_variable", message, at_key=True)
        if "${{" in value:
            message = (
                "`env` is plain text, without expressions; inputs of the step arrive as `SWAMP_INPUT_…`."
            )
            yield Finding((*path, variable), "expression_not_allowed", message)
        yield from _plain_text(value, (*path, variable))


def _plain_text(text: str, path: KeyPath) -> Iterator[Finding]:
    if "\0" in text:
        yield Finding(path, "invalid_text", "A NUL character cannot be handed to a process; remove it.")
