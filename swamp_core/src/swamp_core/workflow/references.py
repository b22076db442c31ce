"""What expressions in a workflow may refer to: only what exists, and has surely ended when it is read.

Where expressions stand is said in `steps`. A reference to a step that need not have ended is refused: its value
would depend on who is faster.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from swamp_core.expressions import expression_problems, references
from swamp_core.workflow.definition import Job, NestedWorkflow, Step, Workflow
from swamp_core.workflow.inputs import declared_inputs, takes_input
from swamp_core.workflow.items import SELF, item_findings, outputs_findings
from swamp_core.workflow.nested_outputs import nested_outputs_findings
from swamp_core.workflow.nesting import KnownWorkflows
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.steps import Place, places
from swamp_core.workflow.structure import Dependencies, dependencies_of, depends_on
from swamp_core.workflow.texts import holds_expression, texts

STEP_FIELDS = ("outputs", "status")

Reference = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Scope:
    """What the expressions of one step can see."""

    workflow: Workflow
    job: Job
    step: Step
    steps: Mapping[str, Mapping[str, Step]]
    steps_of: Mapping[str, Dependencies]
    jobs: Dependencies
    known: KnownWorkflows


def reference_findings(workflow: Workflow, known: KnownWorkflows) -> Iterator[Finding]:
    """What is wrong with the expressions of a workflow; `known` is what its steps may run."""
    if holds_expression(workflow.inputs):
        message = "The schema of the inputs is plain: an expression would have nothing to read yet."
        yield Finding(("inputs",), "expression_not_allowed", message)
    steps = {job.name: {step.name: step for step in job.steps} for job in workflow.jobs}
    steps_of = {job.name: dependencies_of(job.steps) for job in workflow.jobs}
    jobs = dependencies_of(workflow.jobs)
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            scope = _Scope(workflow, job, step, steps, steps_of, jobs, known)
            for place in places(step, ("jobs", job_index, "steps", step_index)):
                yield from _place_findings(place, scope)


def _place_findings(place: Place, scope: _Scope) -> Iterator[Finding]:
    problems = expression_problems(place.value, place.roots | {SELF})
    for problem in problems:
        yield Finding((*place.path, *problem.path), "invalid_expression", problem.message)
    broken = {problem.path for problem in problems}
    for path, text in texts(place.value):
        if path not in broken:
            for name, *rest in sorted(references(text)):
                at = (*place.path, *path)
                if name == SELF:
                    yield from item_findings(rest, at, place)
                else:
                    yield from _reference_findings((name, *rest), at, scope)


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


def _input_findings(name: str, at: KeyPath, workflow: Workflow) -> Iterator[Finding]:
    if not takes_input(workflow, name):
        suggestion = did_you_mean(name, declared_inputs(workflow))
        message = f"The workflow declares no input {quoted(name)}{suggestion}"
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
    elif rest[:1] == ["outputs"]:
        yield from _outputs_findings(scope.steps[job][name], rest[1:], at, scope.known)
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


def _outputs_findings(step: Step, names: list[str], at: KeyPath, known: KnownWorkflows) -> Iterator[Finding]:
    """What is wrong with reading the names, one below the other, of a step's outputs."""
    if step.for_each is not None:
        yield from outputs_findings(names, at, step.name, step.for_each)
    elif isinstance(step.task, NestedWorkflow):
        yield from nested_outputs_findings(names, at, step.task, known)


def _member(name: str) -> str:
    """How an expression names a member: after a dot where that is possible, else in brackets."""
    return (
        f".{name}" if name.isidentifier() and name.isascii() else f"[{json.dumps(name, ensure_ascii=False)}]"
    )
