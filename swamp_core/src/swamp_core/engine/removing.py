"""Removing a run with all that is nested in it: the root's intent first, then each nested run, then the root's rest.

1. The tree goes as a whole: nothing is deleted before every run of it has ended. A nested run that is retried after
   that has been seen is ended by its canceller, and removed by the next attempt: its root is gone by then.
2. `run_deleted` of the root names the nested runs, and each of theirs names its own. So whoever restarts a removal
   needs no more than the root's newest entry, and the root is the last of the tree to be gone.
3. A run that cannot be read has no state to go by. What its readable entries plan, and what names it in the indexes,
   is all that is known of it; the rest of the removal is the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from swamp_core.ambient import Ambient
from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.entry import Entry, Journal
from swamp_core.journal.owners import named_run, records_of_waits
from swamp_core.journal.reading import deletion_in, newest_entry, read_journal
from swamp_core.journal.removal import Begun, begin_removal, delete_together, finish_removal, present
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.run.events import ChildPlanned, RunDeleted, WaitPlanned
from swamp_core.store.operations import Get, List, Protocol, Together


@dataclass(frozen=True, slots=True)
class TreeRemoved:
    """Nothing is left of these runs, the root last; there were `records` of them before."""

    run_ids: tuple[str, ...]
    records: int


@dataclass(frozen=True, slots=True)
class Tree:
    """A run with all that is nested in it: those runs that are unfinished, and those that cannot be read, by ID."""

    unfinished: tuple[str, ...]
    unreadable: Mapping[str, Unreadable]


@dataclass(frozen=True, slots=True)
class TreeUnfinished:
    """These runs of the tree are unfinished; nothing was deleted, unless the tree's removal had begun before."""

    run_ids: tuple[str, ...]


TreeRemoval = TreeRemoved | TreeUnfinished | Blocked


def remove_tree(run_id: str, *, ambient: Ambient) -> Protocol[TreeRemoval]:
    """Remove a run and all that is nested in it, or go on with its removal. It can be repeated.

    `Blocked` by what cannot be read, before anything is deleted, unless the tree's removal had begun before.
    """
    tree = yield from look_at_tree(run_id)
    if tree.unfinished:
        return TreeUnfinished(tree.unfinished)
    for unreadable in tree.unreadable.values():
        return Blocked(unreadable)
    return (yield from _remove(run_id, (), ambient))


def _remove(run_id: str, above: tuple[str, ...], ambient: Ambient) -> Protocol[TreeRemoval]:
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
                return (yield from _finish(workflow, run_id, begun, above, ambient))
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
    removal = yield from _finish(workflow, run_id, begun, (), ambient)
    if isinstance(removal, TreeRemoved):
        return TreeRemoved(removal.run_ids, removal.records + foreign)
    return removal


def look_at_tree(run_id: str) -> Protocol[Tree]:
    """The tree as it stands. What is nested in a run that cannot be read, or is being removed, is not looked at."""
    return (yield from _look(run_id, ()))


def _look(run_id: str, above: tuple[str, ...]) -> Protocol[Tree]:
    journal = yield from read_journal(run_id)
    match journal:
        case Absent():
            return Tree((), {})
        case Unreadable():
            return Tree((), {run_id: journal})
    unfinished = [] if journal.run.ended else [run_id]
    unreadable: dict[str, Unreadable] = {}
    above = (*above, run_id)
    for child_run_id in (yield from _own_children(journal.run.children, above)):
        below = yield from _look(child_run_id, above)
        unfinished += below.unfinished
        unreadable |= below.unreadable
    return Tree(tuple(unfinished), unreadable)


def count_tree(run_id: str) -> Protocol[int]:
    """How many records the removal of the tree would delete."""
    return (yield from _count(run_id, ()))


def _count(run_id: str, above: tuple[str, ...]) -> Protocol[int]:
    workflow = yield from workflow_of(run_id)
    entries: list[str] = yield List(keys.entries(run_id))
    marks: list[str] = (yield List(keys.marks(workflow, run_id))) if workflow else []
    index = (yield from present([keys.run_index(workflow, run_id)])) if workflow else []
    wait_ids, child_run_ids = yield from _planned(run_id)
    of_waits = yield from records_of_waits(run_id, wait_ids)
    count = len(entries) + len(marks) + len(index) + len(of_waits)
    above = (*above, run_id)
    for child_run_id in (yield from _own_children(child_run_ids, above)):
        count += yield from _count(child_run_id, above)
    return count


def workflow_of(run_id: str) -> Protocol[str | None]:
    """The workflow of a run: as its journal says, or else the index; None for a run that is in neither."""
    journal = yield from read_journal(run_id)
    if isinstance(journal, Journal):
        return journal.run.workflow
    indexed: list[str] = yield List(keys.WORKFLOW_RUNS)
    named = filter(None, map(keys.run_indexed, indexed))
    return next((workflow for workflow, each in named if each == run_id), None)


def _finish(
    workflow: str | None, run_id: str, begun: Begun, above: tuple[str, ...], ambient: Ambient
) -> Protocol[TreeRemoval]:
    run_ids: tuple[str, ...] = ()
    records = 0
    above = (*above, run_id)
    for child_run_id in (yield from _own_children(begun.deletion.child_run_ids, above)):
        removal = yield from _remove(child_run_id, above, ambient)
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
        for key, data in zip(listed, read, strict=True):
            if named_run(key, data) == run_id:
                found.add(key.removeprefix(prefix))
    return found


def _own_children(run_ids: Iterable[str], above: tuple[str, ...]) -> Protocol[list[str]]:
    """Those runs that say, as far as they can be read, that they are nested in the last of the runs above them."""
    own: list[str] = []
    for run_id in run_ids:
        journal = yield from read_journal(run_id)
        parent = journal.run.parent if isinstance(journal, Journal) else None
        is_other = isinstance(journal, Journal) and (parent is None or parent.run_id != above[-1])
        if run_id not in above and not is_other:
            own.append(run_id)
    return own
