"""Why a nested run failed or was cancelled, for the step that it is the work of: pure.

The cause is handed up: of runs nested in one another, each says in which run, at which step and why it began.
"""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.run.events import Json, StepError
from swamp_core.run.state import RunState, StepState

CAUSE_CHARACTERS_MAX = 300
"""How much of the message of a step, or of the reason of a cancel, is handed up."""

_CAUSE = {"runId", "workflow", "job", "step", "code", "message"}

Failed = tuple[str, str, StepState, StepError]
"""A step that failed: its job, its name, where it stands, and why."""


def nested_failure(child: RunState) -> StepError:
    """The error of a step whose nested run has ended otherwise than with success."""
    cause = _cause(child)
    details: Json = {"runId": child.run_id, "status": child.status}
    if cause is not None:
        details["cause"] = cause
    if child.status == "cancelled":
        return StepError(code="nested_run_failed", message=_cancelled(child), details=details)
    why = "." if cause is None else f": {_told(cause, child)}"
    message = f"The nested run {child.run_id} of `{child.workflow}` failed{why}"
    return StepError(code="nested_run_failed", message=message, details=details)


def _cause(child: RunState) -> Json | None:
    """The first step that failed, and why; where that was a nested run's failure, the cause of that."""
    if child.status == "cancelled":
        return None
    failures = sorted(_failures(child), key=lambda each: _rank(child, each))
    if not failures:
        return None
    job, step, _, error = failures[0]
    handed_up = error.details.get("cause")
    if error.code == "nested_run_failed" and isinstance(handed_up, dict) and _is_cause(handed_up):
        return handed_up
    return {
        "runId": child.run_id,
        "workflow": child.workflow,
        "job": job,
        "step": step,
        "code": error.code,
        "message": _cut(error.message),
    }


def _is_cause(details: Json) -> bool:
    """Whether this can be told as a cause: other writers reach the journal."""
    return set(details) == _CAUSE and all(isinstance(value, str) for value in details.values())


def _failures(child: RunState) -> Iterator[Failed]:
    """The steps and items that made the run fail, each for a reason of its own."""
    for job, state in child.jobs.items():
        for step, each in (*state.steps.items(), *state.items.items()):
            if each.error is not None and each.counts_as_failed and not each.cut_off:
                yield job, step, each, each.error


def _rank(child: RunState, failed: Failed) -> tuple[bool, str]:
    """A gate that was rejected ended the run; else what failed first made it fail."""
    _, _, step, _ = failed
    rejected = child.cancellation.rejected if child.cancellation else None
    is_rejected = rejected is not None and step.wait_id == rejected
    return not is_rejected, step.finished_at.isoformat() if step.finished_at else ""


def _told(cause: Json, child: RunState) -> str:
    where = f"{cause['job']}/{cause['step']}"
    if cause["runId"] != child.run_id:
        where += f" of the run {cause['runId']} of `{cause['workflow']}` below it"
    return f"{where} failed ({cause['code']}): {_cut(str(cause['message']))}"


def _cancelled(child: RunState) -> str:
    why = child.cancellation
    by = f" by {why.by}" if why else ""
    reason = f": {_cut(why.reason)}" if why and why.reason else "."
    return f"The nested run {child.run_id} of `{child.workflow}` was cancelled{by}{reason}"


def _cut(text: str) -> str:
    return text if len(text) <= CAUSE_CHARACTERS_MAX else f"{text[: CAUSE_CHARACTERS_MAX - 1]}…"
