"""Random histories of runs: lists of events that the transitions allow, for property tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import strategies as st
from swamp_core.records.families import Receipt
from swamp_core.run.events import (
    CancelRequested,
    Event,
    FailureApplied,
    LeaseRenewed,
    Owner,
    RunFinished,
    RunResumed,
    RunStarted,
    RunSuspended,
    SignalApplied,
    StepError,
    StepFailed,
    StepReset,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
    WaitPlanned,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import ImpossibleEvent, apply

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = "01900000-0000-7000-8000-000000000001"
OWNER = Owner(host="here", pid=1, token="owner", lease_until=NOW + timedelta(seconds=90))

JOBS = ("build", "release")
STEPS = ("one", "two", "three")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(st.text(max_size=4), json_values, max_size=3)
errors = st.builds(StepError, code=st.just("broken"), message=st.text(max_size=8), details=json_objects)


def started(**changes: Any) -> RunStarted:
    """The first event of a run."""
    given: dict[str, Any] = {
        "at": NOW,
        "run_id": RUN,
        "workflow": "release",
        "mark": 1,
        "definition": {},
        "models": {},
        "inputs": {},
        "owner": OWNER,
        "started_by": "somebody",
    }
    return RunStarted(**{**given, **changes})


def receipt(wait_id: str) -> Receipt:
    """A receipt for the wait."""
    return Receipt(id="r", wait_id=wait_id, received_at=NOW, submitted_by="somebody", idempotency_key="k")


@st.composite
def candidate_events(draw: st.DrawFn, number: int) -> Event:
    """Any event, possible or not."""
    at = NOW + timedelta(seconds=number)
    job, step = draw(st.sampled_from(JOBS)), draw(st.sampled_from(STEPS))
    where: dict[str, Any] = {"at": at, "job": job, "step": step}
    wait_id = f"wait-{draw(st.integers(0, number))}"
    kind = draw(st.integers(0, 14))
    match kind:
        case 0 | 1:
            return StepStarted(**where)
        case 2 | 3:
            return StepSucceeded(**where, outputs=draw(json_objects))
        case 4:
            return StepFailed(**where, error=draw(errors), allowed=draw(st.booleans()))
        case 5:
            return StepSkipped(**where, reason="no")
        case 6:
            return StepReset(**where, reason="lost")
        case 7 | 8:
            deadline = at + timedelta(hours=1)
            return WaitPlanned(**where, wait_id=f"wait-{number}", wait_kind="signal", deadline=deadline)
        case 9:
            return WaitOpened(**where, wait_id=wait_id)
        case 10:
            applied = SignalApplied(receipt=receipt(wait_id), payload=draw(json_objects))
            failed = FailureApplied(error=draw(errors), allowed=draw(st.booleans()))
            return WaitApplied(**where, wait_id=wait_id, application=draw(st.sampled_from([applied, failed])))
        case 11:
            return RunSuspended(at=at)
        case 12:
            return RunResumed(at=at, owner=OWNER)
        case 13:
            return LeaseRenewed(at=at, lease_until=at + timedelta(seconds=90))
        case _:
            return draw(
                st.sampled_from([CancelRequested(at=at, by="somebody"), RunFinished(at=at, status="failed")])
            )


@st.composite
def histories(draw: st.DrawFn, tries: int = 40) -> list[Event]:
    """A history that starts a run and goes on with events that its state allows."""
    events: list[Event] = [started(inputs=draw(json_objects))]
    state: RunState = apply(None, events[0])
    for number in range(1, draw(st.integers(1, tries))):
        event = draw(candidate_events(number))
        try:
            state = apply(state, event)
        except ImpossibleEvent:
            continue
        events.append(event)
    return events
