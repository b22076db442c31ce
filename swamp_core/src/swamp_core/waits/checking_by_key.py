"""What would become of a signal by key, as far as can be told without sending it: reads only.

It decides as `by_key` does, and what it says may be overtaken.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from swamp_core.journal.claims import highest_of
from swamp_core.payload.strict_json import same_value
from swamp_core.records.base import Unreadable
from swamp_core.records.early import accepted
from swamp_core.records.families import Claim
from swamp_core.store.operations import Protocol
from swamp_core.waits.by_key import (
    Delivered,
    Full,
    NameTaken,
    NoOpenWait,
    NotUsed,
    RefusedBy,
    SignalByKey,
    Stored,
    ended_so,
    hold_for,
    known_signal,
)
from swamp_core.waits.checking import WouldTake, check_signal
from swamp_core.waits.early import Ended, Free, HeldSignal, Used, look_at, read_held
from swamp_core.waits.signals import Expired, InvalidPayload, NoSignalWanted


@dataclass(frozen=True, slots=True)
class WouldHold:
    """The signal would be held until then, unless a wait takes it first."""

    expires_at: datetime


ByKeyCheck = (
    WouldTake
    | WouldHold
    | Delivered
    | Stored
    | NotUsed
    | NameTaken
    | NoOpenWait
    | Full
    | RefusedBy
    | Unreadable
)


def check_by_key(sent: SignalByKey, now: datetime) -> Protocol[ByKeyCheck]:
    """What the signal would be told."""
    if sent.is_named and (known := (yield from known_signal(sent))):
        if isinstance(known, Unreadable):
            return known
        if not same_value(known.payload, sent.signal.payload):
            return NameTaken(known)
        return _became((yield from look_at(known)), now)
    held = yield from read_held(sent.workflow, sent.key)
    highest = yield from highest_of(sent.workflow, sent.key)
    if isinstance(highest, Unreadable):
        return highest
    holder = highest if isinstance(highest, Claim) else None
    hold = hold_for(sent, holder)
    until = now + timedelta(seconds=sent.ttl_s or hold.ttl_s)
    if holder:
        answer = yield from check_signal(holder.wait_id, sent.signal, now)
        if isinstance(answer, WouldTake):
            return WouldHold(until) if held.count(now) and hold.max else answer
        if isinstance(answer, InvalidPayload | NoSignalWanted) or (
            isinstance(answer, Expired) and answer.deadline is not None
        ):
            return RefusedBy(holder.wait_id, answer)
    if hold.max == 0:
        return NoOpenWait(holder is not None)
    return Full(held.count(now)) if held.count(now) >= hold.max else WouldHold(until)


def _became(known: HeldSignal, now: datetime) -> Delivered | NotUsed | Stored:
    match known.state:
        case Ended(end=end):
            return ended_so(known.signal, end, again=True)
        case Used(use=use):
            return Delivered(accepted(known.signal, use), again=True)
        case Free() if known.signal.has_expired(now):
            return NotUsed(known.signal, "expired")
        case _:
            return Stored(known.signal)
