"""What a collection and the deletion of a workflow share: the survey, what came of it, and the sweep at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from swamp_core.app.patience import Patience
from swamp_core.app.refusals import Refused
from swamp_core.app.remove import STILL_DRIVEN, remove
from swamp_core.app.run_refusals import unknown_format
from swamp_core.app.views import KeptRunView, RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.leftovers import ClosedWait, CutOff, Leftover, OverSignal, StaleMark, leftovers
from swamp_core.engine.removing import TreeRemoved, remove_tree
from swamp_core.engine.surveying import (
    NoJournal,
    Seen,
    Sight,
    Survey,
    list_all,
    look_at_run,
    survey_signals,
)
from swamp_core.engine.sweeping import clean_up, weigh
from swamp_core.journal.starting import check_format
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.store.fan_out import fan_out
from swamp_core.store.operations import side_by_side

AT_ONCE = 64
"""How many roots are removed side by side at most; an interrupt is heeded after so many."""

Due = Callable[[str, str | None], bool]
"""Called with a run ID, and the workflow that the index has for it."""


@dataclass(slots=True)
class Collection:
    """What a collection has come to so far."""

    removed: list[str] = field(default_factory=list)
    kept: list[KeptRunView] = field(default_factory=list)
    records: int = 0

    def keep(self, run_id: str, reason: str) -> None:
        """Keep a run, for this reason."""
        self.kept.append(KeptRunView(run_id=run_id, reason=reason))

    def result(self, *, dry_run: bool = False) -> RemovalResult:
        """What the use case answers with."""
        return RemovalResult(removed=self.removed, kept=self.kept, records=self.records, dry_run=dry_run)


def survey_store(workspace: Workspace) -> Survey:
    """List everything and read every run, several at once. Raises `Refused` (`unknown_format`)."""
    unknown = workspace.execute(check_format(workspace.build))
    if unknown:
        raise unknown_format(unknown)
    listed = workspace.execute(list_all())
    sights = fan_out(lambda run_id: workspace.execute(look_at_run(run_id)), listed.run_ids)
    by_id = dict(zip(listed.run_ids, sights, strict=True))
    return Survey(listed, by_id, workspace.execute(survey_signals(by_id)))


def remove_roots(
    workspace: Workspace, run_ids: list[str], collection: Collection, *, force: bool, patience: Patience
) -> None:
    """Remove the roots that are over with all that is nested in them, many at once, and then the others.

    It begins with one, and doubles that: each removal writes before it deletes, so that on a disk that is almost full
    one makes room for the next.
    """
    left, others, at_once = run_ids, list[str](), 1
    while left and not patience.interrupted.is_set():
        some, left = left[:at_once], left[at_once:]
        at_once = min(2 * at_once, AT_ONCE)
        trees = side_by_side([remove_tree(run_id, ambient=workspace.ambient) for run_id in some])
        for run_id, removal in zip(some, workspace.execute(trees), strict=True):
            if isinstance(removal, TreeRemoved):
                collection.removed += removal.run_ids
                collection.records += removal.records
            else:
                others.append(run_id)
    for run_id in [*others, *left]:
        if patience.interrupted.is_set():
            collection.keep(run_id, "It was not come to before the interrupt.")
        else:
            _remove_root(workspace, run_id, collection, force=force, patience=patience)


def _remove_root(
    workspace: Workspace, run_id: str, collection: Collection, *, force: bool, patience: Patience
) -> None:
    """Remove a root, or keep it for the reason that it cannot be removed for: it was retried, say."""
    command = workspace.command("run", "delete", run_id, "--force")
    try:
        removed = remove(workspace, run_id, force=force, command=command, patience=patience)
    except Refused as refused:
        collection.keep(run_id, refused.message)
        return
    if removed is None:
        collection.keep(run_id, STILL_DRIVEN)
    else:
        collection.removed += removed.run_ids
        collection.records += removed.records


def sweep_store(
    workspace: Workspace, found: Survey, collection: Collection, is_due: Due, *, dry_run: bool
) -> None:
    """Clean up what the survey found to be left over; with `dry_run`, only count it.

    `is_due` decides whether a start without a journal is cut off rather than slow. To sweep a slow one does no harm,
    but its user has to start again.
    """
    now = workspace.ambient.clock.now()
    for leftover in leftovers(found, now):
        if _is_counted(leftover, collection) or not _is_due(leftover, found, is_due):
            continue
        if dry_run:
            collection.records += workspace.execute(weigh(leftover, found, now))
        else:
            collection.records += workspace.execute(clean_up(leftover, found, ambient=workspace.ambient))


def is_older(run_id: str, before: datetime) -> bool:
    """Whether a run began before; one whose ID does not tell when counts as older."""
    if not keys.is_id(run_id):
        return True
    milliseconds = int(run_id.replace("-", "")[:12], 16)
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds) <= before


def root_of(run: Seen, found: Survey) -> Seen | Unreadable | None:
    """The run that this one is nested in at last, or itself; None where one in between is gone."""
    passed: set[str] = set()
    above: Sight | None = run
    while isinstance(above, Seen) and above.parent is not None and above.run_id not in passed:
        passed.add(above.run_id)
        above = found.sights.get(above.parent.run_id)
    return above if isinstance(above, Seen | Unreadable) else None


def below(root: Seen, found: Survey) -> list[Seen | Unreadable]:
    """The runs that are nested in it, and in these, those further down first."""
    nested: list[Seen | Unreadable] = []
    passed, coming = {root.run_id}, [root]
    while coming:
        above = coming.pop()
        for run_id in sorted(above.child_run_ids - passed):
            sight = found.sights.get(run_id)
            if isinstance(sight, Unreadable):
                nested.append(sight)
            elif isinstance(sight, Seen) and sight.parent and sight.parent.run_id == above.run_id:
                nested.append(sight)
                coming.append(sight)
            passed.add(run_id)
    return nested[::-1]


def why_unreadable(unreadable: Unreadable) -> str:
    """The reason for which a run that cannot be read is kept."""
    return f"The record `{unreadable.key}` cannot be read: {unreadable.reason}."


def _is_counted(leftover: Leftover, collection: Collection) -> bool:
    """Whether the leftover goes with a run that is removed, and is counted with it."""
    return isinstance(leftover, ClosedWait | StaleMark | OverSignal) and leftover.run_id in collection.removed


def _is_due(leftover: Leftover, found: Survey, is_due: Due) -> bool:
    if not (isinstance(leftover, CutOff) and isinstance(found.sights[leftover.run_id], NoJournal)):
        return True
    return is_due(leftover.run_id, found.listed.indexed.get(leftover.run_id))
