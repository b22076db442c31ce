"""The removal of a run that has ended, restartable at any point.

1. `run_deleted` is appended, with the IDs of all waits and nested runs: whoever restarts a removal needs nothing
   else, and whoever was stalled sees from it that they must withdraw what they made.
2. What the end may not have come to (first the mark, then claims and registrations), and the outcomes. While the mark
   is there a signal could still be acknowledged, so no outcome is deleted before it.
3. The entry in the index of runs, which a start and a retry look for last. It goes before any entry of the journal,
   so that nobody who could make an entry because another one was deleted takes it for a win.
4. The journal, the highest entry last (rule 2).

An index without a journal is a start that was cut off, or one that is only slow. So that a slow one cannot begin any
more, `run_deleted` takes entry 1. A journal without an index is a removal that was cut off in step 4, or was made by
somebody who was stalled while the run was removed: nobody counts it, and a sweep deletes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.claims import release_key, wait_keys
from swamp_core.journal.early import end_used_by
from swamp_core.journal.entry import Entry, Journal, next_entry
from swamp_core.journal.owners import records_of_waits
from swamp_core.journal.reading import read_standing
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import RunDeleted
from swamp_core.store.operations import Delete, Get, List, Protocol, Together


@dataclass(frozen=True, slots=True)
class Begun:
    """The journal says that the run is being removed; `by_us`: this call wrote it."""

    deletion: RunDeleted
    by_us: bool


@dataclass(frozen=True, slots=True)
class Removed:
    """No record of the run is left; there were `records` of it before."""

    records: int = 0


@dataclass(frozen=True, slots=True)
class NotEnded:
    """The run is unfinished; it must be ended first."""

    run_id: str


Removal = Removed | NotEnded | Lost | Blocked


def remove_run(workflow: str, run_id: str, *, now: datetime, entry_id: str, owner: str) -> Protocol[Removal]:
    """Remove everything of an ended run, but its nested runs. On `Lost`, call it again with another `entry_id`."""
    begun = yield from begin_removal(run_id, now=now, entry_id=entry_id, owner=owner)
    if not isinstance(begun, Begun):
        return begun
    return Removed((yield from finish_removal(workflow, run_id, begun)))


def begin_removal(
    run_id: str, *, now: datetime, entry_id: str, owner: str
) -> Protocol[Begun | NotEnded | Lost | Blocked]:
    """Write that the run is being removed, unless that is written. Once it is, nothing is done for the run any more."""
    standing = yield from read_standing(run_id)
    match standing:
        case RunDeleted():
            return Begun(standing, by_us=False)
        case Unreadable():
            return Blocked(standing)
        case Absent():
            return (yield from write_deletion(Journal(run_id), now=now, entry_id=entry_id, owner=owner))
        case Journal(run=run) if run.ended:
            return (yield from write_deletion(standing, now=now, entry_id=entry_id, owner=owner))
        case _:
            return NotEnded(run_id)


def write_deletion(
    journal: Journal, *, now: datetime, entry_id: str, owner: str
) -> Protocol[Begun | Lost | Blocked]:
    """Write that a run which was read as ended, or which has no entry, is being removed."""
    if journal.state is None:
        event = RunDeleted(at=now, wait_ids=[])
        entry = Entry(run_id=journal.run_id, number=1, entry_id=entry_id, owner=owner, events=[event])
    else:
        run = journal.state
        event = RunDeleted(
            at=now, wait_ids=list(run.waits), child_run_ids=list(run.children), wait_keys=wait_keys(run)
        )
        entry, _ = next_entry(journal, [event], entry_id=entry_id, owner=owner)
    written = yield from create_entry(entry)
    return written if isinstance(written, Lost | Blocked) else Begun(event, by_us=True)


def finish_removal(workflow: str | None, run_id: str, begun: Begun) -> Protocol[int]:
    """Delete all that is left of a run whose removal has begun; how many records of it there were before.

    Without a `workflow` nothing but its waits and its journal can be left: the index is gone already.
    """
    deleted = 0
    if workflow is not None:
        if begun.deletion.wait_keys:
            yield from end_used_by(begun.deletion.wait_ids)
        marks: list[str] = yield List(keys.marks(workflow, run_id))
        deleted += yield from delete_together(marks)
        for key in begun.deletion.wait_keys:
            yield from release_key(workflow, key, run_id)
    of_waits = yield from records_of_waits(run_id, begun.deletion.wait_ids)
    deleted += yield from delete_together(of_waits)
    if workflow is not None:
        deleted += yield from delete_present([keys.run_index(workflow, run_id)])
    deleted += yield from remove_entries(run_id)
    return deleted - begun.by_us


def remove_entries(run_id: str) -> Protocol[int]:
    """Delete the journal of a run whose index is gone, the highest entry last; how many entries that were."""
    newest_first: list[str] = yield List(keys.entries(run_id))
    yield from delete_together(newest_first[1:])
    yield from delete_together(newest_first[:1])
    return len(newest_first)


def delete_present(wanted: Iterable[str]) -> Protocol[int]:
    """Delete those of the records that are there; how many they were."""
    return (yield from delete_together((yield from present(wanted))))


def present(wanted: Iterable[str]) -> Protocol[list[str]]:
    """Those of the keys under which there is a record."""
    asked = list(wanted)
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in asked))
    return [key for key, data in zip(asked, found, strict=True) if data is not None]


def delete_together(listed: list[str]) -> Protocol[int]:
    """Delete the records under these keys; how many they are."""
    yield Together(tuple(Delete(key) for key in listed))
    return len(listed)
