"""Which signals are held for a key, and who has each: decided from its highest take, and the wait that this names.

A signal is used when a wait that is marked has it as its outcome, or when its end says so. A take counts for nothing
once its wait has come to something else, or its run has lost its mark: whatever such a wait used was ended before the
mark went, so that whoever still takes it for free finds the number of their take taken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from swamp_core.journal.early import Take, end_signal, highest_take
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Reading, Unreadable, read_record
from swamp_core.records.early import EarlyEnd, EarlyName, EarlySignal, EarlyTake, Use, is_use_of, use_in
from swamp_core.records.families import Accepted, Outcome
from swamp_core.store.operations import Delete, Get, List, Protocol, Together, side_by_side
from swamp_core.waits.settling import read_outcome


@dataclass(frozen=True, slots=True)
class Free:
    """No wait has it."""


@dataclass(frozen=True, slots=True)
class Reserved:
    """A wait has it that is open still, or somebody has it whose take cannot be read (None)."""

    use: Use | None


@dataclass(frozen=True, slots=True)
class Used:
    """It is the outcome of a wait."""

    use: Use


@dataclass(frozen=True, slots=True)
class Ended:
    """What it came to is written."""

    end: EarlyEnd


@dataclass(frozen=True, slots=True)
class Void:
    """It was stored when its name was gone, by a request that came late: nobody takes it."""


State = Free | Reserved | Used | Ended | Void


@dataclass(frozen=True, slots=True)
class HeldSignal:
    """A signal, the number of its highest take (0 without one), and what it is."""

    signal: EarlySignal
    number: int
    state: State

    def is_free(self, now: datetime) -> bool:
        """Whether a wait may take it."""
        return isinstance(self.state, Free) and not self.signal.has_expired(now)


@dataclass(frozen=True, slots=True)
class Held:
    """What is held for a key, oldest first, and the records that cannot be read."""

    signals: tuple[HeldSignal, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    def count(self, now: datetime) -> int:
        """How many there are that a wait has or may take; what cannot be read may be one."""
        alive = [each for each in self.signals if isinstance(each.state, Reserved) or each.is_free(now)]
        return len(alive) + len(self.unreadable)


def decide_state(
    signal: EarlySignal, take: Take | None, outcome: Reading[Outcome], *, is_marked: bool
) -> State:
    """What a signal is: pure. `outcome` and `is_marked` are those of the wait that the highest take names."""
    match take:
        case None:
            return Free()
        case EarlyEnd():
            return Ended(take)
        case Unreadable():
            return Reserved(None)
        case EarlyTake() if not is_marked:
            return Free()
    match outcome:
        case Found(record=Accepted() as used) if is_use_of(signal.signal_id, used):
            return Used(use_in(used))
        case Found():
            return Free()
        case _:
            return Reserved(take.use)


def look_at(signal: EarlySignal) -> Protocol[HeldSignal]:
    """What a signal is. At most four requests, the mark last."""
    number, take = yield from highest_take(signal.workflow, signal.key_name, signal.signal_id)
    outcome: Reading[Outcome] = Absent()
    is_marked = False
    if isinstance(take, EarlyTake):
        outcome = yield from read_outcome(take.use.wait_id)
        is_marked = (yield Get(take.mark_key())) is not None
    state = decide_state(signal, take, outcome, is_marked=is_marked)
    if isinstance(state, Free):
        state = yield from by_its_name(signal)
    return HeldSignal(signal, number, state)


def by_its_name(signal: EarlySignal) -> Protocol[Free | Void | Reserved]:
    """Whether a signal that no wait has may be taken. One that nobody can say of is left alone."""
    key = keys.early_name(signal.workflow, signal.key_name, signal.idempotency_key)
    name = read_record(EarlyName, key, (yield Get(key)))
    if isinstance(name, Unreadable):
        return Reserved(None)
    is_named = isinstance(name, Found) and name.record.signal.signal_id == signal.signal_id
    return Free() if is_named else Void()


def read_signals(listed: list[str]) -> Protocol[tuple[list[EarlySignal], list[Unreadable]]]:
    """The signals under these keys that are there, oldest first, and what cannot be read."""
    found: list[bytes | None] = (yield Together(tuple(map(Get, listed)))) if listed else []
    readings = [read_record(EarlySignal, key, data) for key, data in zip(listed, found, strict=True)]
    signals = [each.record for each in readings if isinstance(each, Found)]
    signals.sort(key=lambda each: (each.place, each.received_at, each.signal_id))
    return signals, [each for each in readings if isinstance(each, Unreadable)]


def read_held(workflow: str, key: str) -> Protocol[Held]:
    """What is held for a key. One request when nothing is."""
    listed: list[str] = yield List(keys.early_signals(workflow, key))
    signals, unreadable = yield from read_signals(listed)
    held: list[HeldSignal] = yield from side_by_side([look_at(each) for each in signals])
    return Held(tuple(held), tuple(unreadable))


def clear_over(held: Held, now: datetime) -> Protocol[None]:
    """End and delete what no wait will take any more: what was used, what has expired, what has its end."""
    for each in held.signals:
        match each.state:
            case Ended() | Void():
                yield Delete(each.signal.key())
            case Used(use=use):
                yield from end_signal(each.signal, after=each.number, reason="used", use=use)
            case Free() if each.signal.has_expired(now):
                yield from end_signal(each.signal, after=each.number, reason="expired")


def discard_signal(signal: EarlySignal) -> Protocol[HeldSignal | None]:
    """Let no wait have a signal that none has; what it is after that, or None when it is gone."""
    while isinstance((held := (yield from look_at(signal))).state, Free):
        ended = yield from end_signal(signal, after=held.number, reason="discarded")
        if not ended and (yield Get(signal.key())) is None:
            return None
    if isinstance(held.state, Void):
        yield Delete(signal.key())
        return None
    return held
