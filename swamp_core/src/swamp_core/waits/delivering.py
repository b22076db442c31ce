"""Delivering to a wait what is held for its key: the oldest signal that is free and fits the wait.

A signal is taken before it becomes an outcome, and the take counts only if it is the highest and the signal still has
its name, which goes before any take does. Without the second: (1) B finds a signal free, and stalls. (2) It is
discarded, its sender is told so, and in time its last records go. (3) B wakes, takes it, and its wait has a signal that
was discarded.

Who opens a wait claims its key, registers it, and then delivers; who sends stores the signal and then delivers. So
whichever is later finds the other's record.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime

from swamp_core.journal.claims import highest_of
from swamp_core.journal.early import end_used_in, numbered_takes
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.early import EarlySignal, EarlyTake, Use, accepted
from swamp_core.records.families import Accepted, Claim, Registration
from swamp_core.store.operations import Get, Protocol, PutIfAbsent
from swamp_core.waits.early import Free, HeldSignal, Reserved, by_its_name, clear_over, read_held
from swamp_core.waits.settling import withdrawn
from swamp_core.waits.signals import Signal, Take, decide_signal


def choose_signal(registration: Registration, held: Iterable[HeldSignal], now: datetime) -> HeldSignal | None:
    """The signal that a wait is to get: pure. The one that it has taken already, else the oldest that it may take."""
    fitting = [each for each in held if fits(registration, each.signal, now)]
    taken = [
        each
        for each in fitting
        if isinstance(each.state, Reserved)
        and each.state.use
        and each.state.use.wait_id == registration.wait_id
    ]
    return next(iter([*taken, *(each for each in fitting if each.is_free(now))]), None)


def fits(registration: Registration, early: EarlySignal, now: datetime) -> bool:
    """Whether the wait would accept the signal now."""
    return isinstance(decide_signal(registration, signal_in(early), now), Take)


def signal_in(early: EarlySignal) -> Signal:
    """The message of a held signal."""
    return Signal(early.payload, early.idempotency_key, early.signal_id, early.submitted_by)


def deliver(registration: Registration, now: Callable[[], datetime]) -> Protocol[bool]:
    """Give a registered wait one of the signals that are held for its key, if one fits and the wait is open.

    False when none does, which is one request where none is held. It can be repeated.
    """
    while True:
        delivered = yield from try_to_deliver(registration, now())
        if delivered is not None:
            return delivered


def try_to_deliver(registration: Registration, now: datetime) -> Protocol[bool | None]:
    """One try of `deliver`; None when others were quicker, and it has to look again."""
    assert registration.key_name is not None
    held = yield from read_held(registration.workflow, registration.key_name)
    yield from clear_over(held, now)
    chosen = choose_signal(registration, held.signals, now)
    if chosen is None:
        return False
    use = Use(
        wait_id=registration.wait_id,
        run_id=registration.run_id,
        job=registration.job,
        step=registration.step,
        taken_at=now,
    )
    if isinstance(chosen.state, Reserved) or (yield from _taken(chosen, use, registration.mark)):
        yield from _settle(registration, accepted(chosen.signal, use))
        return True
    return None


def deliver_to_holder(workflow: str, key: str, now: Callable[[], datetime]) -> Protocol[None]:
    """Deliver what is held for a key to the wait that holds it; one that is not registered yet will look by itself."""
    highest = yield from highest_of(workflow, key)
    if isinstance(highest, Claim):
        registration = keys.registration(highest.wait_id)
        reading = read_record(Registration, registration, (yield Get(registration)))
        if isinstance(reading, Found) and reading.record.key_name == key:
            yield from deliver(reading.record, now)


def _taken(chosen: HeldSignal, use: Use, mark: int) -> Protocol[bool]:
    """Take a signal that was found free; whether the wait has it."""
    signal = chosen.signal
    take = EarlyTake(
        workflow=signal.workflow,
        key_name=signal.key_name,
        signal_id=signal.signal_id,
        number=chosen.number + 1,
        use=use,
        mark=mark,
    )
    if not (yield PutIfAbsent(take.key(), take.encode())):
        return False
    listed = yield from numbered_takes(signal.workflow, signal.key_name, signal.signal_id)
    return listed[:1] == [take.key()] and isinstance((yield from by_its_name(signal)), Free)


def _settle(registration: Registration, outcome: Accepted) -> Protocol[None]:
    """Make the signal the outcome of the wait, unless the wait has one or its run is over, and end it.

    Where that is cut off, whoever looks at the signal sees that it was used, and the run's end ends it.
    """
    if not (yield PutIfAbsent(outcome.key(), outcome.encode())):
        return
    if (yield Get(registration.mark_key())) is None and (yield from withdrawn(outcome)):
        return
    yield from end_used_in(outcome)
