"""Deciding a gate: read the registration, judge the time, create the outcome, read the mark. Three requests.

It is settled as a wait for a signal is (`settling`), by the first create of its outcome, and a second decision is
shown the first. Who rejects a gate then has the run ended, which is not done here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.families import (
    Approved,
    Cancelled,
    Decision,
    Outcome,
    Registration,
    Rejected,
    TimedOut,
)
from swamp_core.store.operations import Get, Protocol, PutIfAbsent
from swamp_core.waits.settling import UnknownWait, read_outcome, withdrawn
from swamp_core.waits.signals import Closed, Expired


@dataclass(frozen=True, slots=True)
class Decided:
    """The gate has this decision, made by this call."""

    outcome: Approved | Rejected


@dataclass(frozen=True, slots=True)
class AlreadyDecided:
    """The gate was decided before, so; the decision that was asked for changes nothing."""

    outcome: Approved | Rejected


@dataclass(frozen=True, slots=True)
class NoGate:
    """The wait is for a signal: it cannot be approved or rejected."""


GateAnswer = Decided | AlreadyDecided | Expired | Closed | NoGate | UnknownWait | Unreadable


def decide_gate(
    wait_id: str, *, approve: bool, by: str, reason: str | None, decision_id: str, now: Callable[[], datetime]
) -> Protocol[GateAnswer]:
    """Approve or reject a gate that is undecided and whose deadline, if it has one, has not passed.

    To repeat a decision whose answer is not known, call this again with the same `decision_id`.
    """
    key = keys.registration(wait_id)
    reading = read_record(Registration, key, (yield Get(key)))
    if isinstance(reading, Unreadable):
        return reading
    if isinstance(reading, Absent):
        return (yield from _stored_or(UnknownWait(), wait_id, decision_id))
    gate, at = reading.record, now()
    if gate.wait_kind != "approval":
        return NoGate()
    if gate.is_overdue(at):
        return (yield from _stored_or(Expired(gate.deadline), wait_id, decision_id))
    kind = Approved if approve else Rejected
    outcome = kind(
        wait_id=wait_id,
        workflow=gate.workflow,
        run_id=gate.run_id,
        job=gate.job,
        step=gate.step,
        at=at,
        decision=Decision(id=decision_id, by=by, at=at, reason=reason),
    )
    if not (yield PutIfAbsent(outcome.key(), outcome.encode())):
        return (yield from _stored_or(Closed(), wait_id, decision_id))
    if (yield Get(gate.mark_key())) is None and (yield from withdrawn(outcome)):
        return Closed()
    return Decided(outcome)


def answer_from(outcome: Outcome, decision_id: str) -> Decided | AlreadyDecided | Expired | Closed | NoGate:
    """What a decision is told when the gate has this outcome already."""
    match outcome:
        case Approved() | Rejected():
            ours = outcome.decision.id == decision_id
            return Decided(outcome) if ours else AlreadyDecided(outcome)
        case TimedOut():
            return Expired(None)
        case Cancelled():
            return Closed()
        case _:
            return NoGate()


def _stored_or(
    otherwise: UnknownWait | Expired | Closed, wait_id: str, decision_id: str
) -> Protocol[GateAnswer]:
    stored = yield from read_outcome(wait_id)
    match stored:
        case Found(record=outcome):
            answer = answer_from(outcome, decision_id)
            if isinstance(answer, Decided | AlreadyDecided) and (yield from withdrawn(answer.outcome)):
                return Closed()
            return answer
        case Unreadable():
            return stored
        case _:
            return otherwise
