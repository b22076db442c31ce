"""Signalling a wait: read the registration, decide, create the outcome, read the mark. Three requests.

It takes no claim, reads no journal and writes no run, so it is safe while the driver is running, and from any host.
The order is what makes it so. The end of a run gives every planned wait an outcome before the mark is deleted, and
its removal deletes the outcomes after that. So a signal that wins the create and then finds the mark gone came either
before the end, and then it stands, or after the removal, and then it is void: withdrawn, and answered as closed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from swamp_core.journal.appending import is_removed
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Reading, Unreadable, read_record
from swamp_core.records.families import OUTCOME, Accepted, Outcome, Registration
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent
from swamp_core.waits.signals import (
    Answer,
    Closed,
    Expired,
    InvalidPayload,
    NoSignalWanted,
    Repeated,
    Signal,
    Take,
    answer_from,
    decide_signal,
)


@dataclass(frozen=True, slots=True)
class Settled:
    """The signal is stored and will be applied."""

    registration: Registration
    outcome: Accepted


@dataclass(frozen=True, slots=True)
class UnknownWait:
    """There is no such wait, or its run was removed."""


SignalResult = Settled | UnknownWait | Unreadable | InvalidPayload | Answer


def signal_wait(wait_id: str, signal: Signal, now: Callable[[], datetime]) -> Protocol[SignalResult]:
    """Give the signal to the wait. A refused signal costs at most two requests and changes nothing.

    To repeat one whose answer is not known, call this again with the same signal: it is then `Repeated`.
    """
    registration = read_record(
        Registration, keys.registration(wait_id), (yield Get(keys.registration(wait_id)))
    )
    if isinstance(registration, Unreadable):
        return registration
    if isinstance(registration, Absent):
        answer = yield from _stored_or(UnknownWait(), wait_id, signal)
        return replace(answer, over=True) if isinstance(answer, Repeated) else answer
    decision = decide_signal(registration.record, signal, now())
    if not isinstance(decision, Take):
        return (yield from _stored_or(decision, wait_id, signal))
    outcome = decision.outcome
    if not (yield PutIfAbsent(outcome.key(), outcome.encode())):
        return (yield from _stored_or(Closed(), wait_id, signal))
    if (yield Get(registration.record.mark_key())) is None and (yield from withdrawn(outcome)):
        return Closed()
    return Settled(registration.record, outcome)


def read_outcome(wait_id: str) -> Protocol[Reading[Outcome]]:
    """The outcome of a wait, if it has one. One request."""
    key = keys.outcome(wait_id)
    return read_record(OUTCOME, key, (yield Get(key)))


def _stored_or(
    otherwise: UnknownWait | InvalidPayload | Expired | Closed | NoSignalWanted, wait_id: str, signal: Signal
) -> Protocol[SignalResult]:
    stored = yield from read_outcome(wait_id)
    match stored:
        case Found(record=outcome):
            answer = answer_from(outcome, signal)
            if isinstance(answer, Repeated) and (yield from withdrawn(answer.outcome)):
                return Closed()
            return answer
        case Unreadable():
            return stored
        case Absent():
            return otherwise


def withdrawn(outcome: Outcome) -> Protocol[bool]:
    """Delete an outcome that was created after its run was removed; whether it was."""
    removed = yield from is_removed(outcome.run_id)
    if removed:
        yield Delete(outcome.key())
    return removed
