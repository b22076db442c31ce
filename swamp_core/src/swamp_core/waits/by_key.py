"""Signalling by workflow and key: to the wait that holds the key, or held for the next one.

With nothing held and no name given by its sender a signal goes straight to the holder. Else it is stored first, then
whatever is held is delivered, and then what became of this one is read: so it waits its turn, and a repeat, which finds
it by its name, is told the same. What the holder would refuse is refused before it is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from swamp_core.journal.claims import highest_of
from swamp_core.journal.early import end_signal, highest_take
from swamp_core.payload.strict_json import same_value
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.early import EarlyEnd, EarlyName, EarlySignal, EndReason, accepted
from swamp_core.records.families import Accepted, Claim, Hold, Registration
from swamp_core.store.operations import Delete, Get, List, Protocol, PutIfAbsent
from swamp_core.waits.delivering import deliver_to_holder
from swamp_core.waits.early import Ended, Free, Used, Void, clear_over, look_at, read_held, read_signals
from swamp_core.waits.settling import Settled, SignalResult, signal_wait
from swamp_core.waits.signals import (
    Expired,
    InvalidPayload,
    NoSignalWanted,
    Repeated,
    Signal,
    Take,
    decide_signal,
)


@dataclass(frozen=True, slots=True)
class SignalByKey:
    """A signal on its way to a key. `is_named`: its sender gave it its idempotency key, and may be repeating it.

    `hold`: how it is held where no wait holds the key; None as the last claim of the key says, and not at all without
    one. `ttl_s`: for how many seconds, instead.
    """

    workflow: str
    key: str
    signal: Signal
    is_named: bool = False
    hold: Hold | None = None
    ttl_s: float | None = None


@dataclass(frozen=True, slots=True)
class Stored:
    """The signal is held until a wait takes it, or its time is over."""

    signal: EarlySignal


@dataclass(frozen=True, slots=True)
class Delivered:
    """A wait has the signal. `again`: it had been sent before this call."""

    outcome: Accepted
    again: bool


@dataclass(frozen=True, slots=True)
class NotUsed:
    """This very signal was sent before; no wait took it, nor will."""

    signal: EarlySignal
    reason: EndReason


@dataclass(frozen=True, slots=True)
class NameTaken:
    """Another payload was sent under the same idempotency key, with this signal."""

    signal: EarlySignal


@dataclass(frozen=True, slots=True)
class NoOpenWait:
    """No open wait holds the key, and no signal is held for the next; `is_claimed`: some wait has claimed it before."""

    is_claimed: bool


@dataclass(frozen=True, slots=True)
class Full:
    """As many signals are held for the key as may be."""

    held: int


@dataclass(frozen=True, slots=True)
class RefusedBy:
    """The wait that holds the key does not take the signal, and stays as it is."""

    wait_id: str
    answer: InvalidPayload | Expired | NoSignalWanted | Unreadable


ByKeyResult = Delivered | Stored | NotUsed | NameTaken | NoOpenWait | Full | RefusedBy | Unreadable


def signal_by_key(
    sent: SignalByKey, now: Callable[[], datetime], sending_to: Callable[[str | None], None] = lambda _: None
) -> Protocol[ByKeyResult]:
    """Give the signal to the wait that holds the key, or hold it for the next. Six requests in the plain case.

    `sending_to` is told which wait the signal is on its way to. One whose answer is not known may be repeated to that
    wait; to the key only when it was not (None), for by now another wait may hold that.
    """
    while True:
        result = yield from try_by_key(sent, now, sending_to)
        if result is not None:
            return result


def try_by_key(
    sent: SignalByKey, now: Callable[[], datetime], sending_to: Callable[[str | None], None] = lambda _: None
) -> Protocol[ByKeyResult | None]:
    """One try of `signal_by_key`; None when others were quicker, and it has to look again."""
    if sent.is_named and (known := (yield from known_signal(sent))):
        return known if isinstance(known, Unreadable) else (yield from _repeated(known, sent, now))
    listed: list[str] = yield List(keys.early_signals(sent.workflow, sent.key))
    highest = yield from highest_of(sent.workflow, sent.key)
    if isinstance(highest, Unreadable):
        return highest
    holder = highest if isinstance(highest, Claim) else None
    goes_directly = not listed and not sent.is_named
    if holder and goes_directly:
        sending_to(holder.wait_id)
        answer = yield from signal_wait(holder.wait_id, sent.signal, now)
        if (told := told_by(holder.wait_id, answer)) is not None:
            return told
        sending_to(None)
    elif holder and (refused := (yield from _refusal(holder, sent.signal, now()))):
        return refused
    if hold_for(sent, holder).max == 0 and (goes_directly or not holder):
        return NoOpenWait(is_claimed=holder is not None)
    return (yield from _store(sent, holder, listed, now))


def known_signal(sent: SignalByKey) -> Protocol[EarlySignal | Unreadable | None]:
    """The signal that was sent under this name before."""
    key = keys.early_name(sent.workflow, sent.key, sent.signal.idempotency_key)
    reading = read_record(EarlyName, key, (yield Get(key)))
    match reading:
        case Found(record=name):
            return name.signal
        case Unreadable():
            return reading
        case _:
            return None


def _repeated(first: EarlySignal, sent: SignalByKey, now: Callable[[], datetime]) -> Protocol[ByKeyResult]:
    """What became of a signal that was sent before; it is stored again where its sender did not come to that."""
    if not same_value(first.payload, sent.signal.payload):
        return NameTaken(first)
    _, take = yield from highest_take(first.workflow, first.key_name, first.signal_id)
    if isinstance(take, EarlyEnd):
        return ended_so(first, take, again=True)
    return (yield from _seen_through(first, now, again=True))


def told_by(wait_id: str, answer: SignalResult) -> Delivered | RefusedBy | None:
    """What a wait answered that was signalled directly; None where it is not open (yet, or any more)."""
    match answer:
        case Settled(outcome=outcome) | Repeated(outcome=outcome):
            return Delivered(outcome, again=False)
        case Unreadable(key=key) if key == keys.outcome(wait_id):
            return None  # It exists, so no signal can win the wait any more.
        case InvalidPayload() | NoSignalWanted() | Unreadable():
            return RefusedBy(wait_id, answer)
        case Expired(deadline=deadline) if deadline is not None:
            return RefusedBy(wait_id, answer)
        case _:
            return None


def _refusal(holder: Claim, signal: Signal, now: datetime) -> Protocol[RefusedBy | None]:
    """Why the holder would not take the signal, if it is open."""
    key = keys.registration(holder.wait_id)
    reading = read_record(Registration, key, (yield Get(key)))
    if not isinstance(reading, Found):
        return None
    decision = decide_signal(reading.record, signal, now)
    if isinstance(decision, Take):
        return None
    is_settled = (yield Get(keys.outcome(holder.wait_id))) is not None
    if is_settled or (yield Get(holder.mark_key())) is None:
        return None
    return RefusedBy(holder.wait_id, decision)


def hold_for(sent: SignalByKey, holder: Claim | None) -> Hold:
    """How the signal is held if no wait takes it, for how long and how many."""
    return sent.hold or (holder.hold or Hold() if holder else Hold(max=0))


def _store(
    sent: SignalByKey, holder: Claim | None, listed: list[str], now: Callable[[], datetime]
) -> Protocol[ByKeyResult | None]:
    """Hold the signal and see it through; None where another is stored under its name."""
    hold = hold_for(sent, holder)
    wants_no_more = hold.max == 0
    if not wants_no_more and len(listed) >= hold.max:
        held = yield from read_held(sent.workflow, sent.key)
        yield from clear_over(held, now())
        if held.count(now()) >= hold.max:
            return Full(held.count(now()))
    before, _ = yield from read_signals(listed)
    at = now()
    until = holder.deadline if wants_no_more and holder else at + timedelta(seconds=sent.ttl_s or hold.ttl_s)
    signal = EarlySignal(
        workflow=sent.workflow,
        key_name=sent.key,
        signal_id=sent.signal.receipt_id,
        place=min(max((each.place for each in before), default=0) + 1, keys.NUMBER_MAX),
        payload=sent.signal.payload,
        received_at=at,
        submitted_by=sent.signal.submitted_by,
        idempotency_key=sent.signal.idempotency_key,
        expires_at=until,
    )
    name = EarlyName(signal=signal)
    if not (yield PutIfAbsent(name.key(), name.encode())):
        return None
    result = yield from _seen_through(signal, now, again=False)
    if wants_no_more and isinstance(result, Stored):
        return (yield from _taken_back(name, now))
    return result


def _seen_through(
    signal: EarlySignal, now: Callable[[], datetime], *, again: bool
) -> Protocol[Delivered | Stored | NotUsed]:
    """Store a signal that has its name, deliver what is held, and read what became of this one."""
    yield PutIfAbsent(signal.key(), signal.encode())
    yield from deliver_to_holder(signal.workflow, signal.key_name, now)
    while True:
        held = yield from look_at(signal)
        match held.state:
            case Ended(end=end):
                yield Delete(signal.key())
                return ended_so(signal, end, again=again)
            case Used(use=use):
                return Delivered(accepted(signal, use), again)
            case Void():  # The workflow was deleted meanwhile, with all that was held.
                yield Delete(signal.key())
                return NotUsed(signal, "discarded")
            case Free() if signal.has_expired(now()):
                ended = yield from end_signal(signal, after=held.number, reason="expired")
                if not ended and (yield Get(signal.key())) is None:
                    return NotUsed(signal, "expired")
            case _:
                return Stored(signal)


def ended_so(signal: EarlySignal, end: EarlyEnd, *, again: bool) -> Delivered | NotUsed:
    """What is told of a signal that has its end."""
    return Delivered(accepted(signal, end.use), again) if end.use else NotUsed(signal, end.reason)


def _taken_back(name: EarlyName, now: Callable[[], datetime]) -> Protocol[ByKeyResult]:
    """Give up a signal that is not to be held, and that no wait took, and its name: the next try is another signal."""
    signal = name.signal
    held = yield from look_at(signal)
    if isinstance(held.state, Free) and (
        yield from end_signal(signal, after=held.number, reason="discarded")
    ):
        yield Delete(name.key())
        return NoOpenWait(is_claimed=True)
    return (yield from _seen_through(signal, now, again=False))
