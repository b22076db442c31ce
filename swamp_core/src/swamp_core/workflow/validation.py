"""What must hold before a workflow may run, beyond the form of its file: one list of findings, in one place.

A workflow that passes cannot fail later for a reason that could have been read in its file. Models are
known to a higher floor, and other workflows to whoever has read their files, so both are handed in; without
them, what a step calls is not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from swamp_core.expressions import has_expression
from swamp_core.payload.schema import schema_problems
from swamp_core.workflow.definition import ModelMethod, WaitForSignal, Workflow
from swamp_core.workflow.nesting import KnownWorkflows, nesting_findings
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.references import reference_findings
from swamp_core.workflow.steps import step_findings
from swamp_core.workflow.structure import structure_findings
from swamp_core.workflow.texts import holds_expression


@dataclass(frozen=True, slots=True)
class MethodInputs:
    """The inputs that a method takes, by name, and those that it must be given.

    `problem` is the sentence about a value that the input of a name cannot have; None about one that it can.
    """

    names: Collection[str]
    required: Collection[str]
    takes_others: bool
    problem: Callable[[str, Any], str | None]


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a check needs to know of a model. `methods` is None where nobody can tell: then none is missed.

    A method that is not in `inputs` takes any. One that is in `unusable` cannot be called; a sentence says why.
    """

    methods: Collection[str] | None
    inputs: Mapping[str, MethodInputs] = field(default_factory=dict)
    unusable: Mapping[str, str] = field(default_factory=dict)


def validate(
    workflow: Workflow,
    known_models: Mapping[str, ModelInfo] | None = None,
    known_workflows: KnownWorkflows | None = None,
) -> list[Finding]:
    """What is wrong with the workflow.

    `known_models` is by every name and ID that a step may use, `known_workflows` by every name in the repo. That
    one which a step runs is valid itself is told by `broken_nesting_findings`, once all were checked.
    """
    findings = [
        *structure_findings(workflow),
        *_step_findings(workflow),
        *reference_findings(workflow, known_workflows or {}),
        *_schema_findings(workflow),
    ]
    if known_models is not None:
        findings.extend(_model_findings(workflow, known_models))
    if known_workflows is not None:
        findings.extend(nesting_findings(workflow, known_workflows))
    return findings


def _step_findings(workflow: Workflow) -> Iterator[Finding]:
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            yield from step_findings(step, ("jobs", job_index, "steps", step_index))


def _schema_findings(workflow: Workflow) -> Iterator[Finding]:
    if workflow.inputs is not None:
        for problem in schema_problems(workflow.inputs, defaults=True):
            yield Finding(("inputs", *problem.path), "invalid_schema", problem.message)
    for path, task in _tasks(workflow):
        if isinstance(task, WaitForSignal) and task.payload_schema is not None:
            for problem in schema_problems(task.payload_schema, is_open=has_expression):
                yield Finding((*path, "schema", *problem.path), "invalid_schema", problem.message)


def _model_findings(workflow: Workflow, known: Mapping[str, ModelInfo]) -> Iterator[Finding]:
    for path, task in _tasks(workflow):
        if not isinstance(task, ModelMethod):
            continue
        name = task.model_id_or_name
        if name in known:
            yield from _method_findings(task, known[name], path)
        else:
            message = f"There is no model {quoted(name)}{did_you_mean(name, known)}"
            yield Finding((*path, "modelIdOrName"), "unknown_model", message)


def _method_findings(task: ModelMethod, model: ModelInfo, path: KeyPath) -> Iterator[Finding]:
    method = task.method_name
    if model.methods is None:
        return
    if method not in model.methods:
        message = f"The model {quoted(task.model_id_or_name)} has no method {quoted(method)}"
        suggestion = did_you_mean(method, model.methods)
        yield Finding((*path, "methodName"), "unknown_method", message + suggestion)
    elif method in model.unusable:
        yield Finding((*path, "methodName"), "unsupported_method", model.unusable[method])
    elif method in model.inputs:
        yield from _input_findings(task, model.inputs[method], path)


def _input_findings(task: ModelMethod, takes: MethodInputs, path: KeyPath) -> Iterator[Finding]:
    method = quoted(task.method_name)
    for name in takes.required:
        if name not in task.inputs:
            message = f"The method {method} needs the input {quoted(name)}."
            yield Finding((*path, "methodName"), "missing_input", message)
    for name, value in task.inputs.items():
        at = (*path, "inputs", name)
        if name not in takes.names and not takes.takes_others:
            message = f"The method {method} takes no input {quoted(name)}{did_you_mean(name, takes.names)}"
            yield Finding(at, "unknown_input", message, at_key=True)
        elif not holds_expression(value):
            problem = takes.problem(name, value)
            if problem is not None:
                yield Finding(at, "invalid_method_input", problem)


def _tasks(workflow: Workflow) -> Iterator[tuple[KeyPath, Any]]:
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            yield ("jobs", job_index, "steps", step_index, "task"), step.task
