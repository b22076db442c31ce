"""A sweep: finishing what was cut off, and deleting what no run owns any more. It never touches a run that goes on.

What is left over is decided from a survey (`leftovers`); here each leftover is cleaned up, by a protocol that looks
again wherever what the survey saw may have changed since.
"""

from __future__ import annotations

from datetime import datetime
from typing import assert_never

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import RunEnded, cancel_run
from swamp_core.engine.forgetting import delete_in_order, forgettable, remove_over, weigh_over
from swamp_core.engine.leftovers import (
    ClosedWait,
    CutOff,
    ForgottenSignal,
    Leftover,
    Orphan,
    OverSignal,
    StaleKey,
    StaleMark,
    UnknownWait,
    VoidJournal,
    leftovers,
)
from swamp_core.engine.removing import TreeRemoved, count_tree, remove_tree
from swamp_core.engine.surveying import Seen, Sight, Survey, look_at_run, survey
from swamp_core.journal.appending import create_entry
from swamp_core.journal.claims import delete_lower, release_key
from swamp_core.journal.entry import Entry, Journal, next_entry
from swamp_core.journal.marks import is_stale, may_be_retried
from swamp_core.journal.owners import named_run
from swamp_core.journal.reading import read_journal
from swamp_core.journal.removal import delete_present, present, remove_entries
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.run.events import RetryAbandoned
from swamp_core.store.operations import Get, List, Protocol

NOBODY = "swamp"
"""Who cancels a nested run that has lost its parent."""


def sweep(*, ambient: Ambient) -> Protocol[int]:
    """Survey the store and clean up all that is left over, one after the other; how many records were deleted."""
    records = 0
    found = yield from survey()
    for leftover in leftovers(found, ambient.clock.now()):
        records += yield from clean_up(leftover, found, ambient=ambient)
    return records


def clean_up(leftover: Leftover, found: Survey, *, ambient: Ambient) -> Protocol[int]:
    """Clean up one leftover of the survey; how many records were deleted. It can be repeated."""
    match leftover:
        case CutOff(run_id=run_id):
            return (yield from _removed(run_id, ambient))
        case VoidJournal(run_id=run_id):
            return (yield from remove_entries(run_id))
        case StaleMark():
            return (yield from _delete_mark(leftover, ambient))
        case Orphan(run_id=run_id, removed=removed):
            cancelled = yield from cancel_run(
                run_id, by=NOBODY, reason="The run that it is nested in is over.", ambient=ambient
            )
            over = removed and isinstance(cancelled, RunEnded)
            return (yield from _removed(run_id, ambient)) if over else 0
        case ClosedWait(wait_id=wait_id):
            return (yield from delete_present([keys.registration(wait_id)]))
        case UnknownWait():
            return (yield from delete_present((yield from _unowned(leftover, found))))
        case StaleKey():
            yield from _clear_key(leftover)
            return 0
        case OverSignal(signal=signal):
            return (yield from remove_over(signal, ambient.clock.now()))
        case ForgottenSignal():
            return (yield from delete_in_order((yield from _forgettable(leftover))))
        case _ as never:
            assert_never(never)


def weigh(leftover: Leftover, found: Survey, now: datetime) -> Protocol[int]:
    """How many records `clean_up` would delete."""
    match leftover:
        case CutOff(run_id=run_id):
            return (yield from count_tree(run_id))
        case VoidJournal(run_id=run_id):
            entries: list[str] = yield List(keys.entries(run_id))
            return len(entries)
        case StaleMark(workflow=workflow, run_id=run_id, number=number):
            return len((yield from present([keys.mark(workflow, run_id, number)])))
        case Orphan(run_id=run_id, removed=removed):
            return (yield from count_tree(run_id)) if removed else 0
        case ClosedWait(wait_id=wait_id):
            return len((yield from present([keys.registration(wait_id)])))
        case UnknownWait():
            return len((yield from _unowned(leftover, found)))
        case StaleKey():
            return 0
        case OverSignal(signal=signal):
            return (yield from weigh_over(signal, now))
        case ForgottenSignal():
            return len((yield from _forgettable(leftover)))
        case _ as never:
            assert_never(never)


def _clear_key(stale: StaleKey) -> Protocol[None]:
    """Leave one record of a key. None that goes is counted, nor where a run gives up its key: one is made for it."""
    if stale.run_id is not None:
        yield from release_key(stale.workflow, stale.key, stale.run_id)
    yield from delete_lower(stale.workflow, stale.key)


def _forgettable(forgotten: ForgottenSignal) -> Protocol[list[str]]:
    return forgettable(forgotten.id, idempotency_key=forgotten.idempotency_key, wait_id=forgotten.wait_id)


def _removed(run_id: str, ambient: Ambient) -> Protocol[int]:
    removal = yield from remove_tree(run_id, ambient=ambient)
    return removal.records if isinstance(removal, TreeRemoved) else 0


def _delete_mark(mark: StaleMark, ambient: Ambient) -> Protocol[int]:
    """Delete a stale mark; one that a retry may be about to use only after its entry was taken from it."""
    if mark.awaited and not (yield from _abandon_retry(mark, ambient)):
        return 0
    return (yield from delete_present([keys.mark(mark.workflow, mark.run_id, mark.number)]))


def _abandon_retry(mark: StaleMark, ambient: Ambient) -> Protocol[bool]:
    """Take the place of the entry that the mark was made for; whether the mark can count no more.

    The mark was listed before the run is read here. So it was made for the entry that follows the failure, which
    nobody else can write once this one is there, or for an earlier one, which somebody has written.
    """
    journal = yield from read_journal(mark.run_id)
    if not isinstance(journal, Journal):
        return False
    if not may_be_retried(journal.run):
        return is_stale(mark.number, journal.run)
    abandoned = RetryAbandoned(at=ambient.clock.now())
    token = ambient.ids.random_id()
    entry, _ = next_entry(journal, [abandoned], entry_id=ambient.ids.random_id(), owner=token)
    return isinstance((yield from create_entry(entry)), Entry)


def _unowned(wait: UnknownWait, found: Survey) -> Protocol[list[str]]:
    """The registration and the outcome of the wait, as far as the run that each names does not own it."""
    unowned: list[str] = []
    for prefix in (keys.WAITS, keys.OUTCOMES):
        key = prefix + wait.wait_id
        data: bytes | None = yield Get(key)
        run_id = named_run(key, data)
        if run_id is None:
            continue  # What cannot be read may belong to any run.
        sight = found.sights.get(run_id) or (yield from look_at_run(run_id))
        is_void = run_id in found.sights and run_id not in found.listed.indexed
        if is_void or not _may_own(sight, wait.wait_id):
            unowned.append(key)
    return unowned


def _may_own(sight: Sight, wait_id: str) -> bool:
    return isinstance(sight, Unreadable) or (isinstance(sight, Seen) and wait_id in sight.wait_ids)
