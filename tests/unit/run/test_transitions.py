"""The transitions of a run: what the fold keeps true, and what it refuses."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.run.events import (
    CancelRequested,
    RunDeleted,
    RunFinished,
    RunResumed,
    RunSuspended,
    StepFailed,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitPlanned,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import ImpossibleEvent, apply, fold

from tests.histories import NOW, OWNER, candidate_events, histories, started


@given(histories())
def test_a_job_counts_its_steps_as_a_slow_count_would(events):
    """The counts that a job's status is found by are those of its steps, whatever happened."""
    state = fold(None, events)
    for job in state.jobs.values():
        slow = Counter(step.status for step in job.steps.values())
        unforgiven = [s for s in job.steps.values() if s.status == "failed" and not s.allowed_failure]
        assert job.ended == slow["succeeded"] + slow["failed"] + slow["skipped"]
        assert job.skipped == slow["skipped"]
        assert job.failed == len(unforgiven)


@given(histories())
def test_a_state_survives_being_a_snapshot(events):
    """A state that was written as a snapshot and read back is the same state."""
    state = fold(None, events)
    assert RunState.model_validate_json(state.model_dump_json(exclude_none=True)) == state


@given(histories(), st.data())
def test_a_step_that_ended_never_ends_again(events, data):
    """Whatever is tried after an end, a step that is over keeps its status, outputs and error."""
    state = fold(None, events)
    ended = {(j, s): step for j, job in state.jobs.items() for s, step in job.steps.items() if step.ended}
    for event in data.draw(st.lists(candidate_events, max_size=10)):
        try:
            state = apply(state, event)
        except ImpossibleEvent:
            continue
    assert {ref: state.step(*ref) for ref in ended} == ended


@given(histories())
def test_every_wait_is_settled_or_waited_for(events):
    """A run that is over has no step that waits, and a step waits only for a wait of its run."""
    state = fold(None, events)
    assert not (state.ended and state.waiting())
    for job in state.jobs.values():
        for step in job.steps.values():
            assert step.status != "waiting" or step.wait_id in state.waits


def in_state(*events):
    return fold(None, [started(), *events])


STEP = {"at": NOW, "job": "build", "step": "one"}
RUNNING = StepStarted(**STEP)
DONE = StepSucceeded(**STEP, outputs={})
PLANNED = WaitPlanned(**STEP, wait_id="w", wait_kind="signal", deadline=NOW)
FINISHED = RunFinished(at=NOW, status="succeeded")

REFUSED = {
    "a step that is done is started": ([RUNNING, DONE], RUNNING),
    "a step that is pending succeeds": ([], DONE),
    "a run is suspended while a step runs": ([RUNNING], RunSuspended(at=NOW)),
    "a run is finished while a step waits": ([PLANNED], FINISHED),
    "a run is resumed that is driven": ([], RunResumed(at=NOW, owner=OWNER)),
    "a run is started twice": ([], started()),
    "a run is cancelled twice": ([CancelRequested(at=NOW, by="a")], CancelRequested(at=NOW, by="b")),
    "anything happens after the end": ([FINISHED], RUNNING),
    "an unfinished run is deleted": ([], RunDeleted(at=NOW, wait_ids=[])),
    "a wait ID is used again": (
        [PLANNED, StepFailed(**STEP, error={"code": "cancelled", "message": "no"})],
        WaitPlanned(at=NOW, job="build", step="two", wait_id="w", wait_kind="signal", deadline=NOW),
    ),
    "an outcome is applied to a step that does not wait": (
        [RUNNING],
        WaitApplied(
            **STEP, wait_id="w", application={"result": "failed", "error": {"code": "x", "message": ""}}
        ),
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_the_fold_refuses(what):
    """An event that the state does not allow is refused, so it is neither written nor believed."""
    events, event = REFUSED[what]
    with pytest.raises(ImpossibleEvent):
        apply(in_state(*events), event)


def test_nothing_comes_before_the_start():
    """The first event of a run is that it started."""
    with pytest.raises(ImpossibleEvent):
        apply(None, RUNNING)
