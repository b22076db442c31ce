"""What must hold within one step, whatever stands around it; and where in it expressions are read.

Expressions stand in the `in` of a forEach, in the `guard`, in the inputs of a model method or of a nested run, in the
prompt of a gate, in an assert, and in the schema and prompt of a wait. The last two may use `inputs` alone, because
they are settled once, before the wait is opened. What a step calls is plain text: it is known before a run starts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from swamp_core.workflow.definition import (
    Assert,
    ForEach,
    ManualApproval,
    ModelMethod,
    NestedWorkflow,
    Step,
    WaitForSignal,
)
from swamp_core.workflow.problems import Finding, KeyPath
from swamp_core.workflow.texts import holds_expression, is_one_expression

ROOTS = frozenset({"inputs", "steps", "jobs", "run"})
INPUTS_ONLY = frozenset({"inputs"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where expressions of a step stand: the value that may hold them, and the roots they may start from.

    Where `for_each` is given they may read its item as well. Its own `in` is the place that `is_source`.
    """

    path: KeyPath
    value: Any
    roots: frozenset[str]
    for_each: ForEach | None
    is_source: bool = False


def places(step: Step, path: KeyPath) -> Iterator[Place]:
    """Every place of the step where expressions may stand; `path` is that of the step."""
    if step.for_each is not None:
        yield Place((*path, "forEach", "in"), step.for_each.source, ROOTS, None, is_source=True)
    yield Place((*path, "guard"), step.guard, ROOTS, step.for_each)
    roots, fields = _fields(step.task)
    for field, value in fields.items():
        yield Place((*path, "task", field), value, roots, step.for_each)


def step_findings(step: Step, path: KeyPath) -> Iterator[Finding]:
    """What is wrong within the step; `path` is that of the step."""
    yield from _whole_findings(step, path)
    for field, value in _plain_fields(step.task).items():
        if holds_expression(value):
            message = f"`{field}` is plain text: what a step calls is known before the run starts."
            yield Finding((*path, "task", field), "expression_not_allowed", message)
    for field, text in _said_to_people(step.task).items():
        if text is not None and not text.strip():
            message = f"`{field}` is blank; write what people are to read."
            yield Finding((*path, "task", field), "empty_text", message)
    if step.concurrency is not None and step.for_each is None:
        message = "`concurrency` does nothing on a step without `forEach`: it is one step."
        yield Finding((*path, "concurrency"), "useless_concurrency", message, "warning", at_key=True)


def _whole_findings(step: Step, path: KeyPath) -> Iterator[Finding]:
    if step.guard is not None and not is_one_expression(step.guard):
        message = "A guard is one expression, written `${{ … }}`, with nothing around it."
        yield Finding((*path, "guard"), "invalid_guard", message)
    if isinstance(step.task, Assert) and not is_one_expression(step.task.expr):
        message = "`expr` is one expression, written `${{ … }}`, with nothing around it."
        yield Finding((*path, "task", "expr"), "invalid_assert", message)
    source = step.for_each.source if step.for_each else None
    if isinstance(source, str) and not is_one_expression(source):
        message = "`in` is a list, a mapping, or one expression that gives one, written `${{ … }}`."
        yield Finding((*path, "forEach", "in"), "invalid_for_each", message)


def _fields(task: object) -> tuple[frozenset[str], dict[str, Any]]:
    """The roots that expressions in the task may use, and the fields that may hold them."""
    match task:
        case ModelMethod(inputs=inputs) | NestedWorkflow(inputs=inputs):
            return ROOTS, {"inputs": inputs}
        case ManualApproval(prompt=prompt):
            return ROOTS, {"prompt": prompt}
        case Assert(expr=expr, message=message):
            return ROOTS, {"expr": expr, "message": message}
        case WaitForSignal(payload_schema=schema, prompt=prompt):
            return INPUTS_ONLY, {"schema": schema, "prompt": prompt}
    return ROOTS, {}


def _plain_fields(task: object) -> dict[str, str]:
    match task:
        case ModelMethod(model_id_or_name=model, method_name=method):
            return {"modelIdOrName": model, "methodName": method}
        case NestedWorkflow(workflow_id_or_name=workflow):
            return {"workflowIdOrName": workflow}
    return {}


def _said_to_people(task: object) -> dict[str, str | None]:
    match task:
        case WaitForSignal(prompt=prompt) | ManualApproval(prompt=prompt):
            return {"prompt": prompt}
        case Assert(message=message):
            return {"message": message}
    return {}
