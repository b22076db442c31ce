"""What becomes of a signal, decided: against a slow twin that goes through every rule in words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.records.base import Absent, Found, Unreadable
from swamp_core.records.families import Accepted, Cancelled, Receipt, Registration, TimedOut
from swamp_core.run.events import FailureApplied, SignalApplied
from swamp_core.run.state import WaitState
from swamp_core.waits.applying import Overdue, StillOpen, Unanswered, decide_application
from swamp_core.waits.signals import (
    AlreadySettled,
    Closed,
    Expired,
    IdempotencyConflict,
    InvalidPayload,
    Repeated,
    Signal,
    Take,
    answer_from,
    decide_signal,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = "01900000-0000-7000-8000-000000000001"
WAIT = "00000000-0000-4000-8000-00000000000a"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
OF_WAIT = {"wait_id": WAIT, "workflow": "w", "run_id": RUN, "job": "j", "step": "s"}

payloads = st.sampled_from([{"n": 1}, {"n": 2}, {"n": 1.0}, {"n": True}, {}, {"n": 1, "m": None}])
instants = st.integers(-3, 3).map(lambda seconds: NOW + timedelta(seconds=seconds))
keys = st.sampled_from(["k1", "k2"])
signals = st.builds(
    Signal,
    payload=payloads,
    idempotency_key=keys,
    receipt_id=st.sampled_from("ab"),
    submitted_by=st.just("ann"),
)
accepted = st.builds(
    lambda payload, key, receipt_id, at: Accepted(
        **OF_WAIT,
        at=at,
        payload=payload,
        receipt=Receipt(id=receipt_id, wait_id=WAIT, received_at=at, submitted_by="bob", idempotency_key=key),
    ),
    payloads,
    keys,
    st.sampled_from("ab"),
    instants,
)
outcomes = accepted | st.sampled_from([TimedOut(**OF_WAIT, at=NOW), Cancelled(**OF_WAIT, at=NOW)])


def registration(deadline: datetime, schema: dict | None) -> Registration:
    return Registration(
        **OF_WAIT, mark=1, wait_kind="signal", opened_at=NOW, deadline=deadline, payload_schema=schema
    )


@given(signals, instants, instants, st.sampled_from([None, SCHEMA]))
def test_a_wait_without_an_outcome_takes_a_valid_signal_before_its_deadline(signal, deadline, now, schema):
    """Only an unexpired wait takes a signal, only one that fits, and at the very deadline none."""
    decision = decide_signal(registration(deadline, schema), signal, now)
    if deadline <= now:
        assert isinstance(decision, Expired)
    elif schema is not None and type(signal.payload.get("n")) is not int:
        assert isinstance(decision, InvalidPayload)
        assert decision.problems
    else:
        assert isinstance(decision, Take)
        assert decision.outcome.payload == signal.payload
        assert decision.outcome.receipt.received_at == now


@given(outcomes, signals)
def test_a_settled_wait_answers_from_what_is_stored(outcome, signal):
    """The stored outcome decides: a repeat gets the first receipt, and nothing else is accepted."""
    answer = answer_from(outcome, signal)
    match outcome:
        case TimedOut():
            assert isinstance(answer, Expired)
        case Cancelled():
            assert isinstance(answer, Closed)
        case Accepted(receipt=receipt, payload=payload):
            same_key = receipt.idempotency_key == signal.idempotency_key
            same_payload = repr(sorted(payload.items())) == repr(sorted(signal.payload.items()))
            if receipt.id == signal.receipt_id or (same_key and same_payload):
                assert answer == Repeated(outcome)
            else:
                assert answer == (IdempotencyConflict(receipt) if same_key else AlreadySettled(receipt))


@given(
    st.just(Absent()) | st.just(Unreadable("wait-outcomes/x", "it is empty")) | outcomes.map(Found),
    instants,
    instants,
    st.sampled_from([None, SCHEMA]),
    st.sampled_from([RUN, "01900000-0000-7000-8000-00000000ffff"]),
)
def test_an_outcome_is_applied_as_it_stands_or_fails_the_step(reading, deadline, now, schema, run_id):
    """A stored outcome holds whatever the time; one that cannot be trusted is neither accepted nor ignored."""
    wait = WaitState(
        job="j", step="s", kind="signal", deadline=deadline, planned_at=NOW, payload_schema=schema
    )
    decision = decide_application(run_id, WAIT, wait, reading, now)
    match reading:
        case Absent():
            assert isinstance(decision, Overdue if deadline <= now else StillOpen)
            return
        case Unreadable():
            expected = "wait_unreadable"
        case Found(record=record) if record.run_id != run_id:
            expected = "wait_unreadable"
        case Found(record=TimedOut()):
            expected = "wait_timeout"
        case Found(record=Cancelled()):
            assert decision == Unanswered()
            return
        case Found(record=record):
            fits = schema is None or type(record.payload.get("n")) is int
            expected = None if fits else "wait_unreadable"
    if expected is None:
        assert isinstance(decision, SignalApplied)
        assert decision.payload == reading.record.payload
    else:
        assert isinstance(decision, FailureApplied)
        assert decision.error.code == expected
