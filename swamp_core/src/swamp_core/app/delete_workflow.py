"""Deleting all runs of a workflow, and what is held for its keys; its file stays."""

from __future__ import annotations

from datetime import timedelta

from swamp_core.app.collecting import (
    Collection,
    below,
    is_older,
    remove_roots,
    root_of,
    survey_store,
    sweep_store,
    why_unreadable,
)
from swamp_core.app.patience import Patience
from swamp_core.app.refusals import Refused
from swamp_core.app.views import RemovalResult
from swamp_core.app.workflows import list_workflows
from swamp_core.app.workspace import Workspace
from swamp_core.engine.forgetting import forget_workflow
from swamp_core.engine.surveying import Seen, Survey
from swamp_core.engine.surveying_signals import EarlyKeys, list_signals
from swamp_core.records.base import Unreadable
from swamp_core.store.keys import is_segment
from swamp_core.workflow.problems import did_you_mean, quoted

SLOW_START = timedelta(hours=1)
"""How long a start of another workflow may take before it is taken for one that was cut off."""


def delete_workflow(
    workspace: Workspace, name: str, *, force: bool = False, patience: Patience | None = None
) -> RemovalResult:
    """Remove all runs of a workflow, but for those nested in runs of others; the workflow's file stays.

    The signals that are held for its keys go too, though no wait has had them. With `force` unfinished runs are
    cancelled first, and those that cannot be read removed. Raises `Refused` (`unknown_workflow`, `run_active`,
    `unknown_format`) and `StoreError`.
    """
    found = survey_store(workspace)
    run_ids = [run_id for run_id in found.listed.run_ids if found.listed.indexed.get(run_id) == name]
    if not run_ids and not _has_signals(workspace, name):
        _refuse_unknown(workspace, name, found)
    if not force:
        _refuse_active(workspace, name, run_ids, found)
    collection = Collection()
    patience = patience or Patience()
    due = [run_id for run_id in run_ids if _is_due(run_id, name, found, collection, force=force)]
    remove_roots(workspace, due, collection, force=force, patience=patience)
    long_ago = workspace.ambient.clock.now() - SLOW_START
    sweep_store(
        workspace,
        found,
        collection,
        lambda run_id, workflow: workflow == name or is_older(run_id, long_ago),
        dry_run=False,
    )
    if not patience.interrupted.is_set():
        collection.records += workspace.execute(forget_workflow(name))
    return collection.result()


def _is_due(run_id: str, name: str, found: Survey, collection: Collection, *, force: bool) -> bool:
    """Whether the run is a root to be removed; one that is kept for a reason is told in the collection."""
    sight = found.sights[run_id]
    if isinstance(sight, Unreadable) and not force:
        collection.keep(run_id, why_unreadable(sight))
    elif isinstance(sight, Seen) and (root := root_of(sight, found)) is not sight:
        if isinstance(root, Seen) and root.workflow != name:
            reason = (
                f"It is nested in the run {root.run_id} of workflow {root.workflow}, and goes with that one."
            )
            collection.keep(run_id, reason)
    else:
        return isinstance(sight, Seen | Unreadable)
    return False


def _has_signals(workspace: Workspace, name: str) -> bool:
    """Whether there is anything of a signal that was held for a key of the workflow."""
    return is_segment(name) and workspace.execute(list_signals(name)) != EarlyKeys()


def _refuse_unknown(workspace: Workspace, name: str, found: Survey) -> None:
    known = [each.name for each in list_workflows(workspace).workflows]
    if is_segment(name) and name in known:
        return
    known += {*found.listed.indexed.values(), *(each.id[0] for each in found.signals)}
    raise Refused(
        "unknown_workflow",
        f"There is no workflow {quoted(name)}, and no run of one{did_you_mean(name, known)}",
        hint=f"The workflows are listed by:\n{workspace.command('workflow', 'list')}",
        details={"workflow": name},
    )


def _refuse_active(workspace: Workspace, name: str, run_ids: list[str], found: Survey) -> None:
    roots = [
        sight
        for sight in map(found.sights.get, run_ids)
        if isinstance(sight, Seen) and root_of(sight, found) is sight
    ]
    active = [
        each.run_id
        for root in roots
        for each in (root, *below(root, found))
        if isinstance(each, Seen) and not each.ended
    ]
    if active:
        command = workspace.command("workflow", "delete", name, "--force")
        which = f"The run {active[0]} is" if len(active) == 1 else f"{len(active)} runs are"
        raise Refused(
            "run_active",
            f"{which} not over; nothing was deleted.",
            hint=f"Cancel what is unfinished and delete all runs of {name} with:\n{command}",
            details={"workflow": name, "runIds": active},
        )
