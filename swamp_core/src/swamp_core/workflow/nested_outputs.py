"""What an expression may read of a step that ran another workflow: that run's ID, and the steps of its jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from swamp_core.workflow.definition import NestedWorkflow
from swamp_core.workflow.nesting import KnownWorkflows
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted

OUTPUTS = ("runId", "jobs")
STEP_FIELDS = ("outputs", "status")


def nested_outputs_findings(
    names: Sequence[str], at: KeyPath, task: NestedWorkflow, known: KnownWorkflows
) -> Iterator[Finding]:
    """What is wrong with reading the names, one below the other, of the outputs of the task."""
    nested = known.get(task.workflow_id_or_name)
    jobs = {job.name: {step.name for step in job.steps} for job in nested.jobs} if nested else None
    within = f"in the workflow {quoted(task.workflow_id_or_name)}"
    match names:
        case [field, *_] if field not in OUTPUTS:
            message = f"A nested run has no output {quoted(field)}{did_you_mean(field, OUTPUTS)}"
            yield Finding(at, "unknown_field", message)
        case ["jobs", job, *_] if jobs is not None and job not in jobs:
            message = f"There is no job {quoted(job)} {within}{did_you_mean(job, jobs)}"
            yield Finding(at, "unknown_job", message)
        case ["jobs", _, field, *_] if field != "steps":
            message = f"A job of a nested run has no {quoted(field)}{did_you_mean(field, ['steps'])}"
            yield Finding(at, "unknown_field", message)
        case ["jobs", job, "steps", step, *_] if jobs is not None and step not in jobs[job]:
            message = f"There is no step {quoted(step)} in job {quoted(job)} {within}{did_you_mean(step, jobs[job])}"
            yield Finding(at, "unknown_step", message)
        case ["jobs", _, "steps", _, field, *_] if field not in STEP_FIELDS:
            message = f"A step has no {quoted(field)}{did_you_mean(field, STEP_FIELDS)}"
            yield Finding(at, "unknown_field", message)
