"""Removing runs: one by its ID, with all that is nested in it, ended first where that is asked for."""

from __future__ import annotations

from contextlib import suppress
from threading import Event as Flag

from swamp_core.app.finding import find_run_id, unknown_run, unreadable_run
from swamp_core.app.refusals import Refused
from swamp_core.app.views import KeptRunView, RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import CancelRecorded, cancel_run
from swamp_core.engine.removing import (
    Tree,
    TreeRemoved,
    TreeUnfinished,
    indexed_workflow,
    look_at_tree,
    remove_tree,
    remove_unreadable,
)
from swamp_core.engine.surveying import NoJournal, Seen, look_at_run
from swamp_core.journal.appending import Blocked
from swamp_core.records.base import Unreadable
from swamp_core.run.events import Parent
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable

POLL_S = 0.5
REASON = "The run is being deleted."
STILL_DRIVEN = "It is to be cancelled, and the process that drives it has not ended it yet."


def delete_run(
    workspace: Workspace, text: str, *, force: bool = False, interrupted: Flag | None = None
) -> RemovalResult:
    """Remove everything of a run, and of all that is nested in it. With `force` it is cancelled first.

    A run that cannot be read is removed only with `force`. Raises `Refused` (`unknown_run`, `ambiguous_run`,
    `nested_run`, `run_active`, `unreadable`) and `StoreError`.
    """
    run_id = find_run_id(workspace, text, delete_all=True)
    sight = workspace.execute(look_at_run(run_id))
    if isinstance(sight, NoJournal) and workspace.execute(indexed_workflow(run_id)) is None:
        raise unknown_run(workspace, text)
    if isinstance(sight, Seen) and sight.parent is not None:
        _refuse_nested(workspace, run_id, sight.parent)
    command = workspace.command("run", "delete", run_id, "--force")
    removed = remove(workspace, run_id, force=force, command=command, interrupted=interrupted or Flag())
    if removed is None:
        return RemovalResult(removed=[], kept=[KeptRunView(run_id=run_id, reason=STILL_DRIVEN)], records=0)
    return RemovalResult(removed=list(removed.run_ids), records=removed.records)


def remove(
    workspace: Workspace, run_id: str, *, force: bool, command: str, interrupted: Flag
) -> TreeRemoved | None:
    """Remove the tree of a root; `command` is what removes it by force. None when the caller interrupted before.

    Raises `Refused` (`run_active`, `unreadable`).
    """
    while True:
        tree = workspace.execute(look_at_tree(run_id))
        if not force:
            refuse_unless_over(workspace, run_id, tree, command)
        elif tree.unfinished and not _end(workspace, tree, interrupted):
            return None
        removal = workspace.execute(remove_tree(run_id, ambient=workspace.ambient))
        if isinstance(removal, Blocked) and force:
            removal = workspace.execute(remove_unreadable(run_id, ambient=workspace.ambient))
        match removal:
            case TreeRemoved():
                return removal
            case Blocked(unreadable=unreadable):
                raise unreadable_run(workspace, run_id, unreadable, command=command)
            case TreeUnfinished() if not force:
                refuse_unless_over(workspace, run_id, Tree(removal.run_ids, {}), command)


def refuse_unless_over(workspace: Workspace, run_id: str, tree: Tree, command: str) -> None:
    """Raise `Refused` (`run_active`, `unreadable`) unless every run of the tree is over."""
    if tree.unfinished:
        others = [each for each in tree.unfinished if each != run_id]
        which = (
            f"The run {run_id} is" if run_id in tree.unfinished else f"The run {others[0]}, nested in it, is"
        )
        raise Refused(
            "run_active",
            f"{which} not over.",
            hint=f"Cancel it and delete everything of it with:\n{command}",
            details={"runId": run_id, "runIds": list(tree.unfinished)},
        )
    for each, unreadable in tree.unreadable.items():
        raise unreadable_run(workspace, each, unreadable, command=command)


def _refuse_nested(workspace: Workspace, run_id: str, parent: Parent) -> None:
    """Raise `Refused` (`nested_run`) when the run that this one is nested in is there; it goes with its root only."""
    root = outermost(workspace, parent)
    if root is None:
        return
    tree = workspace.execute(look_at_tree(root))
    command = workspace.command(
        "run", "delete", root, *(("--force",) if tree.unfinished or tree.unreadable else ())
    )
    what = "Cancel what is not over, and delete" if tree.unfinished else "Delete"
    raise Refused(
        "nested_run",
        f"The run {run_id} is nested in the run {root}, and is removed with that one only.",
        hint=f"{what} both, and all else that is nested there, with:\n{command}",
        details={"runId": run_id, "rootRunId": root},
    )


def _end(workspace: Workspace, tree: Tree, interrupted: Flag) -> bool:
    """Cancel what is unfinished, and wait for those that drive it; False when the caller interrupts."""
    ambient = workspace.ambient
    waits_for_driver = False
    for run_id in tree.unfinished:
        found = None
        with suppress(StoreUnavailable, OutcomeUnknown):
            found = workspace.execute(cancel_run(run_id, by=ambient.user, reason=REASON, ambient=ambient))
        if isinstance(found, Blocked):  # Its journal can be read, and pins what no build could go on with.
            workspace.execute(remove_unreadable(run_id, ambient=ambient))
        waits_for_driver |= found is None or isinstance(found, CancelRecorded)
    return not (waits_for_driver and ambient.clock.wait(interrupted, POLL_S))


def outermost(workspace: Workspace, parent: Parent) -> str | None:
    """The ID of the outermost run that is there of those that a run with this parent is nested in."""
    root: str | None = None
    above: Parent | None = parent
    while above is not None:
        sight = workspace.execute(look_at_run(above.run_id))
        if not isinstance(sight, Seen | Unreadable):
            break
        root = above.run_id
        above = sight.parent if isinstance(sight, Seen) else None
    return root
