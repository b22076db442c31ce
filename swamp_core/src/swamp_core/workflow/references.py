"""What expressions in a workflow may refer to: only what exists, and has surely ended when it is read.

Where expressions are read: a step's `guard`, the `inputs` of a model method, and the `schema` and `prompt`
of a wait. The last two may use `inputs` alone, because they are settled once, before the wait is opened. A
reference to a step that need not have ended is refused: its value would depend on who is faster.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from swamp_core.expressions import ExpressionError, expression_problems, has_expression, references
from swamp_core.expressions.templates import whole
from swamp_core.workflow.definition import Job, ModelMethod, Step, WaitForSignal, Workflow
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.structure import Dependencies, dependencies_of, depends_on

ROOTS = frozenset({"inputs", "steps", "jobs", "run"})
INPUTS_ONLY = frozenset({"inputs"})
STEP_FIELDS = ("outputs", "status")

_OPEN_KEYWORDS = frozenset({"additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"})

Reference = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where expressions of a step stand: the value that may hold them, and the roots they may start from."""

    path: KeyPath
    value: Any
    roots: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the expressions of one step can see."""

    workflow: Workflow
    job: Job
    step: Step
    steps_of: Mapping[str, Dependencies]
    jobs: Dependencies


def reference_findings(workflow: Workflow) -> Iterator[Finding]:
    """What is wrong with the expressions of a workflow."""
    if _holds_expression(workflow.inputs):
        message = "The schema of the inputs is plain: an expression would have nothing to read yet."
        yield Finding(("inputs",), "expression_not_allowed", message)
    steps_of = {job.name: dependencies_of(job.steps) for job in workflow.jobs}
    jobs = dependencies_of(workflow.jobs)
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            path = ("jobs", job_index, "steps", step_index)
            scope = _Scope(workflow, job, step, steps_of, jobs)
            yield from _step_findings(scope, path)


def _step_findings(scope: _Scope, path: KeyPath) -> Iterator[Finding]:
    guard = scope.step.guard
    if guard is not None and not _is_whole(guard):
        message = "A guard is one expression, written `${{ … }}`, with nothing around it."
        yield Finding((*path, "guard"), "invalid_guard", message)
    task = scope.step.task
    if isinstance(task, ModelMethod):
        for field, value in (("modelIdOrName", task.model_id_or_name), ("methodName", task.method_name)):
            if _holds_expression(value):
                message = f"`{field}` is plain text: what a step calls is known before the run starts."
                yield Finding((*path, "task", field), "expression_not_allowed", message)
    for place in _places(scope.step, path):
        yield from _place_findings(place, scope)


def _places(step: Step, path: KeyPath) -> Iterator[_Place]:
    yield _Place((*path, "guard"), step.guard, ROOTS)
    match step.task:
        case ModelMethod(inputs=inputs):
            yield _Place((*path, "task", "inputs"), inputs, ROOTS)
        case WaitForSignal(payload_schema=schema, prompt=prompt):
            yield _Place((*path, "task", "schema"), schema, INPUTS_ONLY)
            yield _Place((*path, "task", "prompt"), prompt, INPUTS_ONLY)


def _place_findings(place: _Place, scope: _Scope) -> Iterator[Finding]:
    problems = expression_problems(place.value, place.roots)
    for problem in problems:
        yield Finding((*place.path, *problem.path), "invalid_expression", problem.message)
    broken = {problem.path for problem in problems}
    for path, text in texts(place.value):
        if path not in broken:
            for reference in sorted(references(text)):
                yield from _reference_findings(reference, (*place.path, *path), scope)


def texts(value: Any) -> Iterator[tuple[KeyPath, str]]:
    """Each text in the value, with its path."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (((key, *path), text) for path, text in texts(member))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from (((index, *path), text) for path, text in texts(member))


def _is_whole(guard: str) -> bool:
    try:
        return whole(guard) is not None
    except ExpressionError:
        return True  # it is broken, and is reported as that


def _holds_expression(value: Any) -> bool:
    return any(has_expression(text) for _, text in texts(value))


def _reference_findings(reference: Reference, at: KeyPath, scope: _Scope) -> Iterator[Finding]:
    match reference:
        case ("inputs", name, *_):
            yield from _input_findings(name, at, scope.workflow)
        case ("steps", name, *rest):
            yield from _step_reference_findings(scope.job.name, name, rest, at, scope)
        case ("jobs", job, *_) if job not in scope.jobs:
            yield Finding(at, "unknown_job", f"There is no job {quoted(job)}{did_you_mean(job, scope.jobs)}")
        case ("jobs", job, "steps", name, *rest):
            yield from _step_reference_findings(job, name, rest, at, scope)
        case ("steps",) | ("jobs", *_):
            message = 'Name the step that is meant: `steps.NAME`, `steps["a name"]` or `jobs.JOB.steps.NAME`.'
            yield Finding(at, "unclear_reference", message)


def takes_undeclared(inputs: Mapping[str, object]) -> bool:
    """Whether a schema of inputs speaks of members that its `properties` do not name.

    One that does not takes none: a mistyped input would otherwise be taken in silence.
    """
    return any(inputs.get(keyword, False) is not False for keyword in _OPEN_KEYWORDS)


def _input_findings(name: str, at: KeyPath, workflow: Workflow) -> Iterator[Finding]:
    schema = workflow.inputs or {}
    properties = schema.get("properties")
    declared = properties if isinstance(properties, dict) else {}
    if name not in declared and not takes_undeclared(schema):
        message = f"The workflow declares no input {quoted(name)}{did_you_mean(name, declared)}"
        yield Finding(at, "unknown_input", message)


def _step_reference_findings(
    job: str, name: str, rest: list[str], at: KeyPath, scope: _Scope
) -> Iterator[Finding]:
    steps = scope.steps_of[job]
    if name not in steps:
        elsewhere = [each for each, known in scope.steps_of.items() if name in known]
        spelled = f"jobs{_member(elsewhere[0])}.steps{_member(name)}" if elsewhere else ""
        hint = f"; use `{spelled}`." if elsewhere else did_you_mean(name, steps)
        yield Finding(at, "unknown_step", f"There is no step {quoted(name)} in job {quoted(job)}{hint}")
        return
    if rest and rest[0] not in STEP_FIELDS:
        message = f"A step has no {quoted(rest[0])}{did_you_mean(rest[0], STEP_FIELDS)}"
        yield Finding(at, "unknown_field", message)
    if job == scope.job.name:
        ended, dependent, dependency = depends_on(scope.step.name, name, steps), scope.step.name, name
    else:
        ended, dependent, dependency = depends_on(scope.job.name, job, scope.jobs), scope.job.name, job
    if not ended:
        message = (
            f"{quoted(name)} may not have ended when this is read; "
            f"add {quoted(dependency)} to the dependsOn of {quoted(dependent)}."
        )
        yield Finding(at, "reference_without_dependency", message)


def _member(name: str) -> str:
    """How an expression names a member: after a dot where that is possible, else in brackets."""
    return (
        f".{name}" if name.isidentifier() and name.isascii() else f"[{json.dumps(name, ensure_ascii=False)}]"
    )
