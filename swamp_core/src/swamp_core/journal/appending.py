"""Appending to a run's journal: compare-and-swap on the next number, and the mark after it.

Rule 5, as an interleaving. (1) A driver reads entry 4 and stalls before it creates entry 5. (2) Another host ends
the run with entry 5 and removes it, entries and all. (3) The driver wakes and creates entry 5: it wins, since
nothing stands there. So a won create is read against the run's mark, which was deleted at (2) and never returns:
without it the win is void, and the driver withdraws what it made.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.journal.entry import Entry, Journal, next_entry
from swamp_core.journal.reading import deletion_in, newest_entry
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.run.events import Event
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent


@dataclass(frozen=True, slots=True)
class Appended:
    """The events are facts; this is the journal with them."""

    journal: Journal


@dataclass(frozen=True, slots=True)
class Lost:
    """Another process wrote the next entry first; read it and decide again."""

    theirs: Entry


@dataclass(frozen=True, slots=True)
class Void:
    """The run has ended, so nothing counts any more that is done for it; what was written is withdrawn."""


@dataclass(frozen=True, slots=True)
class Blocked:
    """Something stands under the next number that is no entry: the run cannot go on until it is looked into."""

    unreadable: Unreadable


Append = Appended | Lost | Void | Blocked


def append(journal: Journal, events: list[Event], *, entry_id: str, owner: str) -> Protocol[Append]:
    """Add the events as the next entry. Two requests: the entry, and the mark.

    To repeat an append whose answer is not known, call this again with the same arguments: an entry with this
    `entry_id` is a win, whenever it landed.
    """
    entry, after = next_entry(journal, events, entry_id=entry_id, owner=owner)
    written = yield from create_entry(entry)
    if not isinstance(written, Entry):
        return written
    run = after.run
    if (yield Get(keys.mark(run.workflow, run.run_id, run.mark))) is not None:
        return Appended(after)
    return (yield from _without_mark(entry, after))


def create_entry(entry: Entry) -> Protocol[Entry | Lost | Void | Blocked]:
    """Create the entry on its number; the entry itself when it stands there."""
    if (yield PutIfAbsent(entry.key(), entry.encode())):
        return entry
    reading = read_record(Entry, entry.key(), (yield Get(entry.key())))
    match reading:
        case Found(record=theirs):
            return entry if theirs.entry_id == entry.entry_id else Lost(theirs)
        case Absent():
            return Void()
        case Unreadable():
            return Blocked(reading)


def is_removed(run_id: str) -> Protocol[bool]:
    """Whether the run's removal has begun, or is done: then nobody else will remove a record that is made now.

    Removal writes `run_deleted` before it deletes anything, and deletes that entry after all others. So when the
    newest entry is another one, either nothing has been deleted yet, or it was made by somebody who was stalled as
    well; entry 1 tells which.
    """
    return (yield from _is_removed(run_id, (yield from newest_entry(run_id))))


def _without_mark(entry: Entry, after: Journal) -> Protocol[Appended | Void]:
    """What a won entry is worth when its mark is gone: void, unless it is itself the end that deleted the mark.

    It is withdrawn when the run was removed meanwhile, for then nobody else would.
    """
    newest = yield from newest_entry(entry.run_id)
    newest_is_ours = isinstance(newest, Entry) and newest.entry_id == entry.entry_id
    given_up_start = newest_is_ours and entry.number == 1
    if given_up_start or (yield from _is_removed(entry.run_id, newest)):
        yield Delete(entry.key())
        return Void()
    return Appended(after) if newest_is_ours else Void()


def _is_removed(run_id: str, newest: Entry | Absent | Unreadable) -> Protocol[bool]:
    if not isinstance(newest, Entry):
        return isinstance(newest, Absent)
    if deletion_in(newest):
        return True
    return newest.number > 1 and (yield Get(keys.entry(run_id, 1))) is None
