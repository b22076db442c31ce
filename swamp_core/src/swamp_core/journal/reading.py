"""Reading a run's journal: the newest entry, the snapshot that it points to, and what came since.

The journal may be removed while it is read. A reader that misses an entry looks again from the newest; it never
takes a journal with a hole for a shorter one.
"""

from __future__ import annotations

from swamp_core.journal.entry import Entry, Journal, from_snapshot
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.run.events import RunDeleted
from swamp_core.run.transitions import ImpossibleEvent
from swamp_core.store.operations import Get, List, Protocol, Together

_LOOKS_MAX = 5
_TOGETHER_MAX = 256


def read_journal(run_id: str) -> Protocol[Journal | Absent | Unreadable]:
    """The run's journal, folded; `Unreadable` when it cannot be folded.

    `Absent` when it has no entry, or says that the run is being removed.
    Requests: one listing, then one `get` for the newest entry and for each one back to the latest snapshot.
    """
    found = yield from read_standing(run_id)
    return Absent() if isinstance(found, RunDeleted) else found


def read_standing(run_id: str) -> Protocol[Journal | RunDeleted | Absent | Unreadable]:
    """As `read_journal`, for whoever may finish a removal: of a run that is being removed, the event that says so."""
    entries = yield from _read(run_id, whole=False)
    return folded(entries) if isinstance(entries, list) else entries


def read_entries(run_id: str) -> Protocol[list[Entry] | Absent | Unreadable]:
    """Every entry of the run's journal, oldest first: its history."""
    entries = yield from _read(run_id, whole=True)
    return Absent() if isinstance(entries, RunDeleted) else entries


def newest_entry(run_id: str) -> Protocol[Entry | Absent | Unreadable]:
    """The entry with the highest number. Two requests."""
    for _ in range(_LOOKS_MAX):
        listed: list[str] = yield List(keys.entries(run_id), limit=1)
        if not listed:
            break
        reading = read_record(Entry, listed[0], (yield Get(listed[0])))
        if not isinstance(reading, Absent):
            return reading.record if isinstance(reading, Found) else reading
    return Absent()


def deletion_in(entry: Entry) -> RunDeleted | None:
    """The event that the run is being removed, if the entry has it."""
    return next((event for event in entry.events if isinstance(event, RunDeleted)), None)


def folded(entries: list[Entry]) -> Journal | Unreadable:
    """The journal that the entries make, oldest first, from the first one or from one that has a snapshot."""
    first = entries[0]
    try:
        journal = from_snapshot(first) if first.number > 1 else Journal(first.run_id).followed_by(first)
        for entry in entries[1:]:
            journal = journal.followed_by(entry)
    except ImpossibleEvent as error:
        return Unreadable(
            keys.entry(first.run_id, first.number), f"the journal does not fit together: {error}"
        )
    return journal


def _read(run_id: str, *, whole: bool) -> Protocol[list[Entry] | RunDeleted | Absent | Unreadable]:
    for _ in range(_LOOKS_MAX):
        newest = yield from newest_entry(run_id)
        if not isinstance(newest, Entry):
            return newest
        if deletion := deletion_in(newest):
            return deletion
        first = 1 if whole else newest.snapshot_at or 1
        entries = yield from _between(run_id, first, newest)
        if not isinstance(entries, Absent):
            return entries
    return Unreadable(keys.entries(run_id), "entries are missing in the middle of the journal")


def _between(run_id: str, first: int, newest: Entry) -> Protocol[list[Entry] | Absent | Unreadable]:
    entries: list[Entry] = []
    for start in range(first, newest.number, _TOGETHER_MAX):  # A number may be any: a hole ends the reading.
        numbers = range(start, min(start + _TOGETHER_MAX, newest.number))
        wanted = [keys.entry(run_id, number) for number in numbers]
        found: list[bytes | None] = yield Together(tuple(Get(key) for key in wanted))
        for key, data in zip(wanted, found, strict=True):
            reading = read_record(Entry, key, data)
            if not isinstance(reading, Found):
                return reading
            entries.append(reading.record)
    return [*entries, newest]
