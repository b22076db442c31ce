"""Whether a signal would be accepted, as far as can be told without sending it: reads only, at most five requests.

It decides as `settling` does, and what it says may be overtaken: by another signal, the deadline, or the run's end.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime

from swamp_core.journal.appending import is_removed
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.families import Registration
from swamp_core.store.operations import Get, Protocol
from swamp_core.waits.settling import UnknownWait, read_outcome
from swamp_core.waits.signals import (
    Answer,
    Closed,
    InvalidPayload,
    Repeated,
    Signal,
    Take,
    answer_from,
    decide_signal,
)


@dataclass(frozen=True, slots=True)
class WouldTake:
    """The wait is open and takes such a signal."""

    registration: Registration


SignalCheck = WouldTake | UnknownWait | Unreadable | InvalidPayload | Answer


def check_signal(wait_id: str, signal: Signal, now: datetime) -> Protocol[SignalCheck]:
    """What a wait would answer to the signal."""
    key = keys.registration(wait_id)
    registration = read_record(Registration, key, (yield Get(key)))
    if isinstance(registration, Unreadable):
        return registration
    stored = yield from read_outcome(wait_id)
    if isinstance(stored, Unreadable):
        return stored
    if isinstance(stored, Found):
        answer = answer_from(stored.record, signal)
        if not isinstance(answer, Repeated):
            return answer
        gone = yield from is_removed(stored.record.run_id)
        return Closed() if gone else replace(answer, over=isinstance(registration, Absent))
    if isinstance(registration, Absent):
        return UnknownWait()
    decision = decide_signal(registration.record, signal, now)
    if not isinstance(decision, Take):
        return decision
    marked = (yield Get(registration.record.mark_key())) is not None
    return WouldTake(registration.record) if marked else Closed()
