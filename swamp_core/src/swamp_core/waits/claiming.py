"""Claiming a key for a wait: at no moment do two open waits hold one key.

What stands under a key is numbered, and only the highest record counts. Three things keep a key from being held twice:

1. The highest is never deleted, only superseded (rule 2). Else: (1) B reads that 4 is the highest and free, and
   stalls. (2) A makes 5, is settled, and 5 is deleted. (3) C finds nothing, makes 1 and holds the key. (4) B wakes and
   makes 5, which is the highest.
2. Who made a claim looks whether it is still the highest (rule 3). Else: (1) B reads that 4 is the highest and free,
   and stalls. (2) A makes 5, which 6 supersedes; 5 is deleted. (3) C makes 7 and holds the key. (4) B wakes, makes 5,
   and takes it for a win.
3. Who made a claim looks for the mark of its run (rule 5). Else the claim of a run that was removed stays for ever.

A wait whose run has lost its mark holds nothing: it can never be open again, so nothing has to be written to say so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from swamp_core.journal.claims import highest_of, numbered, supersede
from swamp_core.records import keys
from swamp_core.records.base import Absent, Reading, Unreadable
from swamp_core.records.families import Claim, KeyRecord, Outcome, TimedOut
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent, Together
from swamp_core.waits.settling import read_outcome, withdrawn


@dataclass(frozen=True, slots=True)
class Free:
    """No wait holds the key."""


@dataclass(frozen=True, slots=True)
class Held:
    """The wait of this claim holds the key."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Overdue:
    """The wait of this claim holds the key until somebody who needs it settles it: its deadline has passed."""

    claim: Claim


@dataclass(frozen=True, slots=True)
class Acquired:
    """The wait holds the key, or has an outcome already: it may be registered."""


@dataclass(frozen=True, slots=True)
class RunOver:
    """The run of the wait has ended: the claim is void, and superseded."""


Holder = Free | Held | Overdue
Claiming = Acquired | Held | RunOver | Unreadable


def decide_key_holder(
    highest: KeyRecord | None, outcome: Reading[Outcome], now: datetime, *, is_marked: bool
) -> Holder:
    """Who holds a key: pure. `outcome` and `is_marked` are those of the wait of the highest claim.

    An outcome that cannot be read frees the key: it exists, so no signal can win the wait any more.
    """
    if not isinstance(highest, Claim) or not isinstance(outcome, Absent) or not is_marked:
        return Free()
    return Overdue(highest) if highest.is_overdue(now) else Held(highest)


def claim_key(claim: Claim, now: Callable[[], datetime]) -> Protocol[Claiming]:
    """Let the wait of the claim hold its key; the claim's number is chosen here. Five requests for a free key.

    `Held` names a wait that held the key at some moment of this call. After a crash or a lost reply, call this again
    with the same claim: what this wait has acquired is not forgotten.
    """
    while True:
        claiming = yield from try_to_claim(claim, now())
        if claiming is not None:
            return claiming


def try_to_claim(claim: Claim, now: datetime) -> Protocol[Claiming | None]:
    """One try of `claim_key`; None when others were quicker, and it has to look again."""
    highest = yield from highest_of(claim.workflow, claim.key_name)
    if isinstance(highest, Unreadable):
        return highest
    if isinstance(highest, Claim) and highest.wait_id == claim.wait_id:
        return (yield from _confirmed(highest))
    holder = yield from _holder(highest, now)
    if isinstance(holder, Held):
        # It may have come after this wait was settled, which then holds nothing and is to be applied.
        is_settled = (yield Get(keys.outcome(claim.wait_id))) is not None
        return Acquired() if is_settled else holder
    if isinstance(holder, Overdue):
        yield from _settle(holder.claim, now)
    ours = claim.numbered(highest.number + 1 if highest else 1)
    if not (yield PutIfAbsent(ours.key(), ours.encode())):
        return None
    return (yield from _confirmed(ours))


def find_holder(workflow: str, key: str, now: datetime) -> Protocol[Holder | Unreadable]:
    """Who holds the key. At most four requests."""
    highest = yield from highest_of(workflow, key)
    return highest if isinstance(highest, Unreadable) else (yield from _holder(highest, now))


def _confirmed(ours: Claim) -> Protocol[Acquired | RunOver | None]:
    """What a claim that was made is worth; None when it is not the highest, and deleted."""
    listed = yield from numbered(ours.workflow, ours.key_name)
    if listed[:1] != [ours.key()]:
        yield Delete(ours.key())
        return None
    if (yield Get(ours.mark_key())) is None:
        yield from supersede(ours)
        return RunOver()
    yield Together(tuple(Delete(each) for each in listed[1:]))
    return Acquired()


def _holder(highest: KeyRecord | None, now: datetime) -> Protocol[Holder]:
    """Who holds the key whose highest record this is.

    The mark is read last: while it is there no outcome is removed. So what is found held was held when it was listed.
    """
    if not isinstance(highest, Claim):
        return Free()
    outcome = yield from read_outcome(highest.wait_id)
    is_marked = isinstance(outcome, Absent) and (yield Get(highest.mark_key())) is not None
    return decide_key_holder(highest, outcome, now, is_marked=is_marked)


def _settle(claim: Claim, now: datetime) -> Protocol[None]:
    """Let an overdue wait time out, unless it has an outcome by now."""
    outcome = TimedOut(
        wait_id=claim.wait_id,
        workflow=claim.workflow,
        run_id=claim.run_id,
        job=claim.job,
        step=claim.step,
        at=now,
    )
    if (yield PutIfAbsent(outcome.key(), outcome.encode())) and (yield Get(claim.mark_key())) is None:
        yield from withdrawn(outcome)
