"""What must hold before a workflow may run, beyond the form of its file: one list of findings, in one place.

A workflow that passes cannot fail later for a reason that could have been read in its file. Models are
known to a higher floor, so they are handed in; without them, what a step calls is not checked.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from swamp_core.expressions import has_expression
from swamp_core.payload.schema import schema_problems
from swamp_core.workflow.definition import ModelMethod, WaitForSignal, Workflow
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.references import reference_findings
from swamp_core.workflow.structure import structure_findings


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """What a check needs to know of a model."""

    methods: Collection[str]


def validate(workflow: Workflow, known_models: Mapping[str, ModelInfo] | None = None) -> list[Finding]:
    """What is wrong with the workflow. `known_models` is by every name and ID that a step may use."""
    findings = [*structure_findings(workflow), *reference_findings(workflow), *_schema_findings(workflow)]
    if known_models is not None:
        findings.extend(_model_findings(workflow, known_models))
    return findings


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
        name, method = task.model_id_or_name, task.method_name
        if name not in known:
            message = f"There is no model {quoted(name)}{did_you_mean(name, known)}"
            yield Finding((*path, "modelIdOrName"), "unknown_model", message)
        elif method not in known[name].methods:
            message = f"The model {quoted(name)} has no method {quoted(method)}"
            suggestion = did_you_mean(method, known[name].methods)
            yield Finding((*path, "methodName"), "unknown_method", message + suggestion)


def _tasks(workflow: Workflow) -> Iterator[tuple[KeyPath, Any]]:
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            yield ("jobs", job_index, "steps", step_index, "task"), step.task
