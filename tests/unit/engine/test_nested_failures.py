"""Why a nested run failed: the step that began it, told in few words, for whoever looks at the run above."""

from datetime import UTC, datetime, timedelta

import pytest
from swamp_core.engine.nested_failures import CAUSE_CHARACTERS_MAX, nested_failure
from swamp_core.run.events import StepError
from swamp_core.run.state import Cancellation, JobState, RunState, StepState, WaitState

NOW = datetime(2026, 7, 27, 12, tzinfo=UTC)
CHILD, BELOW = "019fa372-3a00-7000-8000-000000010002", "019fa372-3a00-7000-8000-000000020002"
GATE = "00050001-0000-4000-8000-000000000000"
CAUSE = {
    "runId": BELOW,
    "workflow": "inner",
    "job": "x",
    "step": "y",
    "code": "command_failed",
    "message": "It broke.",
}


def failed(after_s, message="It failed.", *, code="command_failed", **fields):
    details = fields.pop("details", {})
    error = StepError(code=code, message=message, details=details)
    at = NOW + timedelta(seconds=after_s)
    return StepState(status="failed", started_at=NOW, finished_at=at, error=error, **fields)


def child(steps, status="failed", **fields):
    jobs = {
        "a": JobState(steps=steps, ended=len(steps), failed=sum(s.counts_as_failed for s in steps.values()))
    }
    return RunState(
        run_id=CHILD,
        workflow="region",
        mark=1,
        status=status,
        definition={},
        models={},
        inputs={},
        started_by="ada",
        started_at=NOW,
        jobs=jobs,
        **fields,
    )


def test_the_step_that_failed_first_is_the_cause():
    """Neither what was allowed to fail, nor what was cut off by the end, nor what failed later is."""
    steps = {
        "late": failed(9, "Late."),
        "allowed": failed(1, "Allowed.", allowed_failure=True),
        "cut": failed(2, "Cut.", cut_off=True),
        "first": failed(3, "First."),
    }
    error = nested_failure(child(steps))
    assert (
        error.message == f"The nested run {CHILD} of `region` failed: a/first failed (command_failed): First."
    )
    assert error.details["cause"]["step"] == "first"


def test_a_rejected_gate_is_the_cause_whatever_failed_before():
    """It is what ended the run."""
    steps = {
        "early": failed(1),
        "gate": failed(5, "mara rejected it.", code="approval_rejected", wait_id=GATE),
    }
    ended = child(
        steps,
        waits={GATE: WaitState(job="a", step="gate", kind="approval", planned_at=NOW)},
        cancellation=Cancellation(by="mara", at=NOW, rejected=GATE),
    )
    assert nested_failure(ended).details["cause"]["code"] == "approval_rejected"


def test_the_cause_is_handed_up_from_any_depth():
    """The message names the run in which it began, and does not grow with the depth."""
    error = nested_failure(child({"b": failed(1, code="nested_run_failed", details={"cause": CAUSE})}))
    assert error.details["cause"] == CAUSE
    where = f"x/y of the run {BELOW} of `inner` below it failed (command_failed): It broke."
    assert error.message == f"The nested run {CHILD} of `region` failed: {where}"


@pytest.mark.parametrize(
    "cause", [{}, {"runId": BELOW}, {**CAUSE, "job": 1}, {**CAUSE, "more": ""}, [], "x", None]
)
def test_what_is_no_cause_is_not_handed_up(cause):
    """Other writers reach the journal: what is not as this build writes it is left out, and the step is the cause."""
    error = nested_failure(child({"b": failed(1, code="nested_run_failed", details={"cause": cause})}))
    assert (error.details["cause"]["runId"], error.details["cause"]["step"]) == (CHILD, "b")


def test_a_cause_is_told_in_few_words():
    """However much a step says, the run above says little of it."""
    error = nested_failure(child({"b": failed(1, "x" * 10_000)}))
    assert len(error.message) < CAUSE_CHARACTERS_MAX + 200
    assert len(error.details["cause"]["message"]) == CAUSE_CHARACTERS_MAX


@pytest.mark.parametrize(("reason", "end"), [(None, "."), ("too late", ": too late")])
def test_a_cancel_is_told_with_who_and_why(reason, end):
    """It failed at no step of its own, so it has no cause but the cancel."""
    cancelled = child(
        {"b": failed(1, code="cancelled", cut_off=True)},
        status="cancelled",
        cancellation=Cancellation(by="mara", at=NOW, reason=reason),
    )
    error = nested_failure(cancelled)
    assert error.message == f"The nested run {CHILD} of `region` was cancelled by mara{end}"
    assert "cause" not in error.details


def test_a_run_that_failed_at_no_step_has_no_cause():
    """Then only that it failed is known."""
    error = nested_failure(child({}))
    assert error.message == f"The nested run {CHILD} of `region` failed."
