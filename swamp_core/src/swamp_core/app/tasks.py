"""What a task is about, in the words that graphs and dry runs share."""

from __future__ import annotations

from swamp_core.app.seeing_views import ConcurrencyView
from swamp_core.workflow.definition import (
    Assert,
    Job,
    ManualApproval,
    ModelMethod,
    NestedWorkflow,
    Step,
    Task,
    WaitForSignal,
    Workflow,
)


def target_of(task: Task) -> str | None:
    """What the task calls, runs or asserts; None if it only waits."""
    match task:
        case ModelMethod(model_id_or_name=model, method_name=method):
            return f"{model}.{method}"
        case NestedWorkflow(workflow_id_or_name=name):
            return name
        case Assert(expr=expr):
            return expr.strip()
    return None


def timeout_of(task: Task) -> int | float | None:
    """How many seconds the task waits at most; None if it does not wait, or without an end."""
    return task.timeout_s if isinstance(task, WaitForSignal | ManualApproval) else None


def concurrency_of(
    *, workflow: Workflow | None = None, job: Job | None = None, step: Step | None = None
) -> ConcurrencyView | None:
    """The bounds that these give, if any does."""
    items = step.concurrency if step and step.for_each else None
    of_job, of_workflow = (each.concurrency if each else None for each in (job, workflow))
    if items is None and of_job is None and of_workflow is None:
        return None
    return ConcurrencyView(items=items, job=of_job, workflow=of_workflow)
