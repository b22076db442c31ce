"""How a task is told, in a graph and in a dry run alike: what it does, in a few words."""

from __future__ import annotations

from swamp_core.app.seeing_views import ConcurrencyView, TaskType
from swamp_core.run.statuses import ShownStatus

_UNITS = ((86400, "days"), (3600, "hours"), (60, "minutes"))


def task_text(task: TaskType | None, target: str | None, timeout: float | None) -> str:
    """What the task does, as the end of a sentence whose subject is the step."""
    length = f", at most {seconds_text(timeout)}" if timeout else ""
    match task:
        case "model_method":
            return f"calls {target}"
        case "wait_for_signal":
            return f"waits for a signal{length}"
        case "manual_approval":
            return f"waits for an approval{length}"
        case "workflow":
            return f"runs the workflow {target}"
        case "assert":
            return f"asserts {target}"
    return ""


def nested_run_text(run_id: str, status: ShownStatus | None) -> str:
    """The nested run that is a step's work, and where it stands if that is known."""
    return f"nested run {run_id}{f': {status}' if status else ''}"


def seconds_text(seconds: float) -> str:
    """The length in the largest unit of which it is two or more, and exactly: `24 hours`, `90 minutes`."""
    for size, name in _UNITS:
        if seconds >= 2 * size and seconds % size == 0:
            return f"{seconds / size:.0f} {name}"
    return "1 second" if seconds == 1 else f"{seconds:g} seconds"


def concurrency_text(bounds: ConcurrencyView) -> str:
    """How many may run at a time: `at a time at most 1 of its items, 4 steps of the job`."""
    told = ((bounds.items, "of its items"), (bounds.job, "of the job"), (bounds.workflow, "of the workflow"))
    return f"at a time at most {', '.join(f'{count} {what}' for count, what in told if count is not None)}"
