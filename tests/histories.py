"""Random histories of runs: lists of events that the transitions allow, for property tests."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

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

M = TypeVar("M")
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = "01900000-0000-7000-8000-000000000001"
OWNER = Owner(host="here", pid=1, token="owner", lease_until=NOW + timedelta(seconds=90))

JOBS = ("build", "release")
STEPS = ("one", "two", "three")


def made(model: type[M], **members: st.SearchStrategy[Any]) -> st.SearchStrategy[M]:
    """Models with these members. (`st.builds` would add the members that have an alias.)"""
    return st.fixed_dictionaries(members).map(lambda given: model(**given))


text = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(text, json_values, max_size=3)
errors = made(StepError, code=st.just("broken"), message=text, details=json_objects)
failures = made(FailureApplied, error=errors, allowed=st.booleans())


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


def _candidates() -> st.SearchStrategy[Event]:
    at = NOW
    where: dict[str, Any] = {"at": st.just(at), "job": st.sampled_from(JOBS), "step": st.sampled_from(STEPS)}
    wait_ids = st.sampled_from([f"wait-{n}" for n in range(6)])
    applications = wait_ids.flatmap(
        lambda wait_id: (
            made(SignalApplied, receipt=st.just(receipt(wait_id)), payload=json_objects) | failures
        )
    )
    starts = made(StepStarted, **where)
    ends = made(StepSucceeded, **where, outputs=json_objects)
    return st.one_of(
        starts,
        starts,
        ends,
        ends,
        made(StepFailed, **where, error=errors, allowed=st.booleans()),
        made(StepSkipped, **where, reason=st.just("no")),
        made(StepReset, **where, reason=st.just("lost")),
        made(
            WaitPlanned,
            **where,
            wait_id=wait_ids,
            wait_kind=st.just("signal"),
            deadline=st.just(at + timedelta(hours=1)),
        ),
        made(WaitOpened, **where, wait_id=wait_ids),
        made(WaitApplied, **where, wait_id=wait_ids, application=applications),
        st.sampled_from(
            [
                RunSuspended(at=at),
                RunResumed(at=at, owner=OWNER),
                LeaseRenewed(at=at, lease_until=at + timedelta(seconds=90)),
            ]
        ),
        st.sampled_from([CancelRequested(at=at, by="somebody"), RunFinished(at=at, status="failed")]),
    )


candidate_events = _candidates()
"""Any event, possible or not."""


@st.composite
def histories(draw: st.DrawFn, tries: int = 40) -> list[Event]:
    """A history that starts a run and goes on with events that its state allows."""
    events: list[Event] = [started(inputs=draw(json_objects))]
    state: RunState = apply(None, events[0])
    for event in draw(st.lists(candidate_events, max_size=tries)):
        try:
            state = apply(state, event)
        except ImpossibleEvent:
            continue
        events.append(event)
    return events
