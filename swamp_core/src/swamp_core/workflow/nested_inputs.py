"""What a step gives to the workflow that it runs, held against the inputs which that one declares.

What an expression will give is not known yet; it is checked when the run is started. Everything else is checked here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from swamp_core.payload.schema import schema_problems, violations
from swamp_core.payload.violations import violations_of
from swamp_core.workflow.definition import JsonObject, NestedWorkflow, Workflow
from swamp_core.workflow.inputs import declared_inputs, default_inputs, takes_input, with_defaults
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.texts import holds_expression

_ABOUT_MEMBERS = ("properties", "patternProperties", "additionalProperties", "propertyNames")


def nested_input_findings(task: NestedWorkflow, nested: Workflow, path: KeyPath) -> Iterator[Finding]:
    """What is wrong with the inputs of the task; `nested` is what it runs, and `path` is that of the task."""
    schema = nested.inputs or {}
    if nested.inputs is not None and schema_problems(schema, defaults=True):
        return  # what is wrong there is told there
    found = [*_missing(task, nested, path)]
    for name, value in task.inputs.items():
        found += _member_findings(name, value, nested, (*path, "inputs", name))
    yield from found
    if nested.inputs is not None and not found and not holds_expression(task.inputs):
        for message in violations(schema, with_defaults(nested, task.inputs)):
            yield _invalid(nested, message, (*path, "inputs") if task.inputs else path)


def _missing(task: NestedWorkflow, nested: Workflow, path: KeyPath) -> Iterator[Finding]:
    given = {*task.inputs, *default_inputs(nested)}
    for name in (nested.inputs or {}).get("required", ()):
        if name not in given:
            message = f"The workflow {quoted(nested.name)} needs the input {quoted(name)}."
            yield Finding((*path, "workflowIdOrName"), "missing_input", message)


def _member_findings(name: str, value: Any, nested: Workflow, at: KeyPath) -> Iterator[Finding]:
    if not takes_input(nested, name):
        suggestion = did_you_mean(name, declared_inputs(nested))
        message = f"The workflow {quoted(nested.name)} declares no input {quoted(name)}{suggestion}"
        yield Finding(at, "unknown_input", message, at_key=True)
    elif not holds_expression(value):
        schema: JsonObject = nested.inputs or {}
        about_members = {keyword: schema[keyword] for keyword in _ABOUT_MEMBERS if keyword in schema}
        for message in violations_of(schema, about_members, {name: value}):
            yield _invalid(nested, message, at)


def _invalid(nested: Workflow, message: str, at: KeyPath) -> Finding:
    message = f"The workflow {quoted(nested.name)} does not take these inputs. {message}"
    return Finding(at, "invalid_nested_input", message)
