"""The removal of a run that has ended, restartable at any point.

1. `run_deleted` is appended, with the IDs of all waits: whoever restarts a removal needs nothing else, and whoever
   was stalled sees from it that they must withdraw what they made.
2. What the end may not have come to (first the mark, then the registrations), and the outcomes. While the mark is
   there a signal could still be acknowledged, so no outcome is deleted before it.
3. The journal, the highest entry last (rule 2).
4. The entry in the index of runs.

An index without a journal is a start or a removal that was cut off, or a start that is only slow. So that a slow one
cannot begin any more, `run_deleted` takes entry 1, and it stays until the index is gone, which a start looks for last.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.entry import Entry, next_entry
from swamp_core.journal.reading import deletion_in, newest_entry, read_journal
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import RunDeleted
from swamp_core.store.operations import Delete, List, Protocol, Together


@dataclass(frozen=True, slots=True)
class Removed:
    """No record of the run is left."""


@dataclass(frozen=True, slots=True)
class NotEnded:
    """The run is unfinished; it must be ended first."""


Removal = Removed | NotEnded | Lost | Blocked


def remove_run(workflow: str, run_id: str, *, now: datetime, entry_id: str, owner: str) -> Protocol[Removal]:
    """Remove everything of an ended run. On `Lost`, call it again with another `entry_id`."""
    newest = yield from newest_entry(run_id)
    if isinstance(newest, Unreadable):
        return Blocked(newest)
    deletion = deletion_in(newest) if isinstance(newest, Entry) else None
    if deletion is None:
        written = yield from _write_deletion(run_id, now=now, entry_id=entry_id, owner=owner)
        if not isinstance(written, RunDeleted):
            return written
        deletion = written
    marks: list[str] = yield List(keys.marks(workflow, run_id))
    yield Together(tuple(Delete(key) for key in marks))
    yield Together(tuple(Delete(keys.registration(wait_id)) for wait_id in deletion.wait_ids))
    yield Together(tuple(Delete(keys.outcome(wait_id)) for wait_id in deletion.wait_ids))
    yield from _remove_journal(workflow, run_id)
    return Removed()


def _write_deletion(
    run_id: str, *, now: datetime, entry_id: str, owner: str
) -> Protocol[RunDeleted | NotEnded | Lost | Blocked]:
    journal = yield from read_journal(run_id)
    if isinstance(journal, Unreadable):
        return Blocked(journal)
    if isinstance(journal, Absent):
        event = RunDeleted(at=now, wait_ids=[])
        entry = Entry(run_id=run_id, number=1, entry_id=entry_id, owner=owner, events=[event])
    elif journal.run.ended:
        event = RunDeleted(at=now, wait_ids=list(journal.run.waits))
        entry, _ = next_entry(journal, [event], entry_id=entry_id, owner=owner)
    else:
        return NotEnded()
    written = yield from create_entry(entry)
    if isinstance(written, Lost | Blocked):
        return written
    return event


def _remove_journal(workflow: str, run_id: str) -> Protocol[None]:
    newest_first: list[str] = yield List(keys.entries(run_id))
    yield Together(tuple(Delete(key) for key in newest_first[1:]))
    index = Delete(keys.run_index(workflow, run_id))
    highest = tuple(Delete(key) for key in newest_first[:1])
    if newest_first == [keys.entry(run_id, 1)]:
        yield index
        yield Together(highest)
    else:
        yield Together(highest)
        yield index
