"""Removing a run with all that is nested in it: the root's intent first, then each nested run, then the root's rest.

1. The tree goes as a whole: nothing is deleted before every run of it has ended. A nested run that is retried after
   that has been seen is ended by its canceller, and removed by the next attempt: its root is gone by then.
2. `run_deleted` of the root names the nested runs, and each of theirs names its own. So whoever restarts a removal
   needs no more than the root's newest entry, and the root is the last of the tree to be gone.
3. A run that cannot be read has no state to go by. What its readable entries plan, and what names it in the indexes,
   is all that is known of it; the rest of the removal is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from swamp_core.ambient import Ambient
from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.entry import Entry, Journal
from swamp_core.journal.reading import deletion_in, newest_entry, read_journal
from swamp_core.journal.removal import Begun, begin_removal, delete_together, finish_removal, present
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, read_record
from swamp_core.records.families import OUTCOME, Registration
from swamp_core.run.events import ChildPlanned, RunDeleted, WaitPlanned
from swamp_core.store.operations import Get, List, Protocol, Together


@dataclass(frozen=True, slots=True)
class TreeRemoved:
    """Nothing is left of these runs, the root last; there were `records` of them before."""

    run_ids: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True)
class TreeUnfinished:
    """These runs of the tree are unfinished; nothing was deleted, unless the tree's removal had begun before."""

    run_ids: tuple[str, ...]


TreeRemoval = TreeRemoved | TreeUnfinished | Blocked


def remove_tree(run_id: str, *, ambient: Ambient) -> Protocol[TreeRemoval]:
    """Remove a run and all that is nested in it, or go on with its removal. It can be repeated."""
    unfinished = yield from unfinished_in_tree(run_id)
    if unfinished:
        return TreeUnfinished(unfinished)
    token = ambient.ids.random_id()
    while True:
        workflow = yield from workflow_of(run_id)
        if workflow is None and not (yield List(keys.entries(run_id), limit=1)):
            return TreeRemoved(
                (), 0
            )  # It was planned and never started; whoever starts it yet will withdraw it.
        begun = yield from begin_removal(
            run_id, now=ambient.clock.now(), entry_id=ambient.ids.random_id(), owner=token
        )
        match begun:
            case Begun():
                return (yield from _finish(workflow, run_id, begun, ambient))
            case Lost():
                continue
            case Blocked():
                return begun
            case _:
                return TreeUnfinished((run_id,))


def remove_unreadable(run_id: str, *, ambient: Ambient) -> Protocol[TreeRemoval]:
    """Remove a run whose journal cannot be read, by all that still tells of it."""
    workflow = yield from workflow_of(run_id)
    wait_ids, child_run_ids = yield from _told_by_entries(run_id)
    named = yield from _waits_that_name(run_id)
    foreign = 0
    while True:
        listed: list[str] = yield List(keys.entries(run_id))
        numbers = {key: keys.number_of(key.rsplit("/", 1)[-1]) for key in listed}
        unusable = [key for key, number in numbers.items() if number is None or number == keys.NUMBER_MAX]
        foreign += yield from delete_together(unusable)
        newest = yield from newest_entry(run_id)
        if isinstance(newest, Entry) and (deletion := deletion_in(newest)):
            begun = Begun(deletion, by_us=False)
            break
        event = RunDeleted(
            at=ambient.clock.now(),
            wait_ids=sorted(wait_ids | named),
            child_run_ids=sorted(child_run_ids),
        )
        entry = Entry(
            run_id=run_id,
            number=max(
                (number for key, number in numbers.items() if number and key not in unusable), default=0
            )
            + 1,
            entry_id=ambient.ids.random_id(),
            owner=ambient.ids.random_id(),
            events=[event],
        )
        if isinstance((yield from create_entry(entry)), Entry):
            begun = Begun(event, by_us=True)
            break
    removal = yield from _finish(workflow, run_id, begun, ambient)
    if isinstance(removal, TreeRemoved):
        return TreeRemoved(removal.run_ids, removal.records + foreign)
    return removal


def unfinished_in_tree(run_id: str) -> Protocol[tuple[str, ...]]:
    """The runs of the tree that are unfinished, the root first. A run that cannot be read counts as ended."""
    journal = yield from read_journal(run_id)
    if not isinstance(journal, Journal):
        return ()
    found = [] if journal.run.ended else [run_id]
    for child_run_id in journal.run.children:
        found += yield from unfinished_in_tree(child_run_id)
    return tuple(found)


def count_tree(run_id: str) -> Protocol[int]:
    """How many records the removal of the tree would delete."""
    workflow = yield from workflow_of(run_id)
    entries: list[str] = yield List(keys.entries(run_id))
    marks: list[str] = (yield List(keys.marks(workflow, run_id))) if workflow else []
    wait_ids, child_run_ids = yield from _planned(run_id)
    wanted = [key_of(wait_id) for wait_id in wait_ids for key_of in (keys.registration, keys.outcome)]
    if workflow:
        wanted.append(keys.run_index(workflow, run_id))
    count = len(entries) + len(marks) + len((yield from present(wanted)))
    for child_run_id in child_run_ids:
        count += yield from count_tree(child_run_id)
    return count


def workflow_of(run_id: str) -> Protocol[str | None]:
    """The workflow of a run: as its journal says, or else the index; None for a run that is in neither."""
    journal = yield from read_journal(run_id)
    if isinstance(journal, Journal):
        return journal.run.workflow
    indexed: list[str] = yield List(keys.WORKFLOW_RUNS)
    named = filter(None, map(keys.run_indexed, indexed))
    return next((workflow for workflow, each in named if each == run_id), None)


def _finish(workflow: str | None, run_id: str, begun: Begun, ambient: Ambient) -> Protocol[TreeRemoval]:
    run_ids: tuple[str, ...] = ()
    records = 0
    for child_run_id in begun.deletion.child_run_ids:
        removal = yield from remove_tree(child_run_id, ambient=ambient)
        if isinstance(removal, Blocked):
            removal = yield from remove_unreadable(child_run_id, ambient=ambient)
        if not isinstance(removal, TreeRemoved):
            return removal
        run_ids += removal.run_ids
        records += removal.records
    records += yield from finish_removal(workflow, run_id, begun)
    return TreeRemoved((*run_ids, run_id), records)


def _planned(run_id: str) -> Protocol[tuple[Iterable[str], Iterable[str]]]:
    """The waits and the nested runs that a run ever planned, by ID, as far as can be told."""
    newest = yield from newest_entry(run_id)
    if isinstance(newest, Entry) and (deletion := deletion_in(newest)):
        return deletion.wait_ids, deletion.child_run_ids
    journal = yield from read_journal(run_id)
    if isinstance(journal, Journal):
        return journal.run.waits, journal.run.children
    if isinstance(journal, Absent):
        return (), ()
    wait_ids, child_run_ids = yield from _told_by_entries(run_id)
    return wait_ids | (yield from _waits_that_name(run_id)), child_run_ids


def _told_by_entries(run_id: str) -> Protocol[tuple[set[str], set[str]]]:
    wait_ids: set[str] = set()
    child_run_ids: set[str] = set()
    listed: list[str] = yield List(keys.entries(run_id))
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in listed))
    for key, data in zip(listed, found, strict=True):
        reading = read_record(Entry, key, data)
        if not isinstance(reading, Found):
            continue
        entry = reading.record
        if entry.snapshot is not None:
            wait_ids |= entry.snapshot.waits.keys()
            child_run_ids |= entry.snapshot.children.keys()
        wait_ids |= {event.wait_id for event in entry.events if isinstance(event, WaitPlanned)}
        child_run_ids |= {event.child_run_id for event in entry.events if isinstance(event, ChildPlanned)}
    return wait_ids, child_run_ids


def _waits_that_name(run_id: str) -> Protocol[set[str]]:
    """The waits with a registration or an outcome that names the run, by ID."""
    found: set[str] = set()
    for prefix in (keys.WAITS, keys.OUTCOMES):
        listed: list[str] = yield List(prefix)
        read: list[bytes | None] = yield Together(tuple(Get(key) for key in listed))
        found |= {wait_id for wait_id, owner in owners(prefix, listed, read) if owner == run_id}
    return found


def owners(prefix: str, listed: list[str], read: list[bytes | None]) -> Iterator[tuple[str, str]]:
    """The wait IDs of those registrations or outcomes that can be read, each with the ID of the run it names."""
    for key, data in zip(listed, read, strict=True):
        run_id = _registered(key, data) if prefix == keys.WAITS else _settled(key, data)
        if run_id is not None:
            yield key.removeprefix(prefix), run_id


def _registered(key: str, data: bytes | None) -> str | None:
    reading = read_record(Registration, key, data)
    return reading.record.run_id if isinstance(reading, Found) else None


def _settled(key: str, data: bytes | None) -> str | None:
    reading = read_record(OUTCOME, key, data)
    return reading.record.run_id if isinstance(reading, Found) else None
