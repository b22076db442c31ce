"""Removing a run with all that is nested in it: the root's intent first, then each nested run, then the root's rest.

1. The tree goes as a whole: nothing is deleted before every run of it has ended. A nested run that is retried after
   that has been seen is ended by its canceller, and removed by the next attempt: its root is gone by then.
2. `run_deleted` of the root names the nested runs, and each of theirs names its own. So whoever restarts a removal
   needs no more than the root's newest entry, and the root is the last of the tree to be gone.
3. A run is removed with a root only if it says itself that it is nested there: a journal may name any run.

What is nested in one run goes side by side, each in its own order, so that a wide tree takes no more rounds than one
of its runs. A failure cuts all of them off where they are, as the death of this process would.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from swamp_core.ambient import Ambient
from swamp_core.engine.unreadable import begin_unreadable, told_of
from swamp_core.journal.appending import Blocked, Lost
from swamp_core.journal.entry import Journal
from swamp_core.journal.owners import records_of_waits
from swamp_core.journal.reading import read_standing
from swamp_core.journal.removal import Begun, finish_removal, present, write_deletion
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import RunDeleted
from swamp_core.store.operations import List, Protocol, side_by_side


@dataclass(frozen=True, slots=True)
class Tree:
    """A run with all that is nested in it: those runs that are unfinished, and those that cannot be read, by ID."""

    unfinished: tuple[str, ...]
    unreadable: Mapping[str, Unreadable]


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
Standing = Journal | RunDeleted | Absent | Unreadable
Above = tuple[str, ...]
"""The runs that a run is nested in, the root first, by ID."""

NOTHING = TreeRemoved((), 0)


def look_at_tree(run_id: str) -> Protocol[Tree]:
    """The tree as it stands. What is nested in a run that cannot be read, or is being removed, is not looked at."""
    return (yield from _look(run_id, ()))


def remove_tree(run_id: str, *, ambient: Ambient) -> Protocol[TreeRemoval]:
    """Remove a run and all that is nested in it, or go on with its removal. It can be repeated.

    `Blocked` by what cannot be read, before anything is deleted, unless the tree's removal had begun before.
    """
    tree = yield from look_at_tree(run_id)
    if tree.unfinished:
        return TreeUnfinished(tree.unfinished)
    for unreadable in tree.unreadable.values():
        return Blocked(unreadable)
    return (yield from _remove(run_id, (), ambient, forced=False))


def remove_unreadable(run_id: str, *, ambient: Ambient) -> Protocol[TreeRemoval]:
    """Remove a run that nobody can read or go on with, by all that still tells of it, and what is nested in it."""
    return (yield from _remove(run_id, (), ambient, forced=True))


def count_tree(run_id: str) -> Protocol[int]:
    """How many records the removal of the tree would delete."""
    return (yield from _count(run_id, ()))


def indexed_workflow(run_id: str) -> Protocol[str | None]:
    """The workflow that the index has for a run. One listing of all runs, for a run that does not tell it itself."""
    indexed: list[str] = yield List(keys.WORKFLOW_RUNS)
    named = filter(None, map(keys.run_indexed, indexed))
    return next((workflow for workflow, each in named if each == run_id), None)


def _look(run_id: str, above: Above) -> Protocol[Tree]:
    standing = yield from read_standing(run_id)
    if isinstance(standing, Unreadable):
        return Tree((), {run_id: standing})
    if not isinstance(standing, Journal) or not _is_nested(standing, above):
        return Tree((), {})
    unfinished = [] if standing.run.ended else [run_id]
    unreadable: dict[str, Unreadable] = {}
    children = _below(run_id, standing.run.children, above)
    for below in (yield from side_by_side([_look(each, (*above, run_id)) for each in children])):
        unfinished += below.unfinished
        unreadable |= below.unreadable
    return Tree(tuple(unfinished), unreadable)


def _remove(run_id: str, above: Above, ambient: Ambient, *, forced: bool) -> Protocol[TreeRemoval]:
    """Remove a run, whose root's removal has begun, and what is nested in it. `forced`: in whatever state it is."""
    while True:
        standing = yield from read_standing(run_id)
        if isinstance(standing, Journal) and not _is_nested(standing, above):
            return NOTHING
        if isinstance(standing, Journal) and not (standing.run.ended or forced):
            return TreeUnfinished((run_id,))
        if isinstance(standing, Absent) and (yield from indexed_workflow(run_id)) is None:
            return NOTHING  # It was planned and never started; whoever starts it yet withdraws it.
        begun = yield from _begin(run_id, standing, ambient, forced=forced or bool(above))
        if isinstance(begun, Blocked):
            return begun
        if isinstance(begun, Begun):
            return (yield from _finish(run_id, standing, begun, above, ambient))


def _begin(
    run_id: str, standing: Standing, ambient: Ambient, *, forced: bool
) -> Protocol[Begun | Lost | Blocked]:
    now, entry_id, owner = ambient.clock.now(), ambient.ids.random_id(), ambient.ids.random_id()
    match standing:
        case RunDeleted():
            return Begun(standing, by_us=False)
        case Journal(run=run) if run.ended:
            return (yield from write_deletion(standing, now=now, entry_id=entry_id, owner=owner))
        case Absent():
            return (yield from write_deletion(Journal(run_id), now=now, entry_id=entry_id, owner=owner))
        case Unreadable() if not forced:
            return Blocked(standing)
        case _:
            return (yield from begin_unreadable(run_id, now=now, entry_id=entry_id, owner=owner))


def _finish(
    run_id: str, standing: Standing, begun: Begun, above: Above, ambient: Ambient
) -> Protocol[TreeRemoval]:
    run_ids: list[str] = []
    records = 0
    children = _below(run_id, begun.deletion.child_run_ids, above)
    nested = [_remove(each, (*above, run_id), ambient, forced=False) for each in children]
    for removal in (yield from side_by_side(nested)):
        if not isinstance(removal, TreeRemoved):
            return removal
        run_ids += removal.run_ids
        records += removal.records
    workflow = yield from _workflow_of(run_id, standing)
    records += yield from finish_removal(workflow, run_id, begun)
    return TreeRemoved((*run_ids, run_id), records)


def _count(run_id: str, above: Above) -> Protocol[int]:
    standing = yield from read_standing(run_id)
    wait_ids: Iterable[str] = ()
    child_run_ids: Iterable[str] = ()
    match standing:
        case Journal() if not _is_nested(standing, above):
            return 0
        case Journal(run=run):
            wait_ids, child_run_ids = run.waits, run.children
        case RunDeleted():
            wait_ids, child_run_ids = standing.wait_ids, standing.child_run_ids
        case Unreadable():
            told = yield from told_of(run_id)
            wait_ids, child_run_ids = told.wait_ids, told.child_run_ids
    workflow = yield from _workflow_of(run_id, standing)
    listed: list[str] = yield List(keys.entries(run_id))
    if workflow is not None:
        listed += yield List(keys.marks(workflow, run_id))
        listed += yield from present([keys.run_index(workflow, run_id)])
    count = len(listed) + len((yield from records_of_waits(run_id, wait_ids)))
    children = _below(run_id, child_run_ids, above)
    return count + sum((yield from side_by_side([_count(each, (*above, run_id)) for each in children])))


def _workflow_of(run_id: str, standing: Standing) -> Protocol[str | None]:
    if isinstance(standing, Journal):
        return standing.run.workflow
    return (yield from indexed_workflow(run_id))


def _is_nested(journal: Journal, above: Above) -> bool:
    """Whether the run says that it is nested in the last of the runs above it; a root need not."""
    parent = journal.run.parent
    return not above or (parent is not None and parent.run_id == above[-1])


def _below(run_id: str, child_run_ids: Iterable[str], above: Above) -> list[str]:
    return [each for each in child_run_ids if each != run_id and each not in above]
