"""Collecting the runs that ended long ago, and what no run owns any more."""

from __future__ import annotations

from datetime import datetime, timedelta

from swamp_core.app.collecting import (
    Collection,
    below,
    is_older,
    remove_roots,
    survey_store,
    sweep_store,
    why_unreadable,
)
from swamp_core.app.patience import Patience
from swamp_core.app.proving import sweep_probes
from swamp_core.app.views import RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.removing import count_tree
from swamp_core.engine.surveying import Seen, Survey
from swamp_core.records.base import Unreadable, instant_text


def collect(workspace: Workspace, older_than: timedelta, *, dry_run: bool = False) -> RemovalResult:
    """Remove the runs that ended longer ago than that, each with all that is nested in it, and sweep the store.

    What is older and unfinished is kept, and reported. With `dry_run` nothing is deleted. Raises `Refused`
    (`unknown_format`) and `StoreError`.
    """
    found = survey_store(workspace)
    before = workspace.ambient.clock.now() - older_than
    collection = Collection()
    due: list[str] = []
    for run_id in found.listed.run_ids:
        sight = found.sights[run_id]
        if isinstance(sight, Unreadable):
            collection.keep(run_id, why_unreadable(sight))
        elif isinstance(sight, Seen) and run_id in found.listed.indexed and sight.parent is None:
            due += _due_root(workspace, sight, before, found, collection, dry_run=dry_run)
    remove_roots(workspace, due, collection, force=False, patience=Patience())
    sweep_store(workspace, found, collection, lambda run_id, _: is_older(run_id, before), dry_run=dry_run)
    collection.records += sweep_probes(workspace, dry_run=dry_run)
    return collection.result(dry_run=dry_run)


def _due_root(
    workspace: Workspace,
    root: Seen,
    before: datetime,
    found: Survey,
    collection: Collection,
    *,
    dry_run: bool,
) -> list[str]:
    """The run, if it is to be removed. What is kept is told in the collection, and of a dry run what would go."""
    nested = below(root, found)
    if (reason := _why_kept(root, nested, before)) is not None:
        if reason:
            collection.keep(root.run_id, reason)
    elif dry_run:
        collection.records += workspace.execute(count_tree(root.run_id))
        collection.removed += [*(each.run_id for each in nested if isinstance(each, Seen)), root.run_id]
    else:
        return [root.run_id]
    return []


def _why_kept(root: Seen, nested: list[Seen | Unreadable], before: datetime) -> str | None:
    """Why a run is not collected: empty where that goes without saying, since it is not old enough."""
    if not root.ended:
        since = instant_text(root.started_at)
        return f"It is unfinished; it began at {since}." if root.started_at <= before else ""
    if root.finished_at is not None and root.finished_at > before:
        return ""
    for each in nested:
        if isinstance(each, Unreadable):
            return f"A run that is nested in it cannot be read. {why_unreadable(each)}"
        if not each.ended:
            return f"The run {each.run_id}, nested in it, is unfinished."
    return None
