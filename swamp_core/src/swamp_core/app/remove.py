"""Removing runs: one by its ID, with all that is nested in it, ended first where that is asked for."""

from __future__ import annotations

from swamp_core.ambient import Ambient
from swamp_core.app.finding import find_run_id, unknown_run, unreadable_run
from swamp_core.app.patience import Patience
from swamp_core.app.refusals import Refused
from swamp_core.app.views import KeptRunView, RemovalResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import CancelRecorded, cancel_run
from swamp_core.engine.removing import (
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
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol, side_by_side

POLL_S = 0.5
REASON = "The run is being deleted."
STILL_DRIVEN = "It is to be cancelled, and the process that drives it has not ended it yet."


def delete_run(
    workspace: Workspace, text: str, *, force: bool = False, patience: Patience | None = None
) -> RemovalResult:
    """Remove everything of a run, and of all that is nested in it. With `force` it is cancelled first.

    Processes that drive a run of these are waited for. A run that cannot be read is removed only with `force`.
    Raises `Refused` (`unknown_run`, `ambiguous_run`, `nested_run`, `run_active`, `unreadable`) and `StoreError`.
    """
    run_id = find_run_id(workspace, text, delete_all=True)
    sight = workspace.execute(look_at_run(run_id))
    if isinstance(sight, NoJournal) and workspace.execute(indexed_workflow(run_id)) is None:
        raise unknown_run(workspace, text)
    if isinstance(sight, Seen) and sight.parent is not None:
        _refuse_nested(workspace, run_id, sight.parent)
    command = workspace.command("run", "delete", run_id, "--force")
    removed = remove(workspace, run_id, force=force, command=command, patience=patience or Patience())
    if removed is None:
        return RemovalResult(removed=[], kept=[KeptRunView(run_id=run_id, reason=STILL_DRIVEN)], records=0)
    return RemovalResult(removed=list(removed.run_ids), records=removed.records)


def remove(
    workspace: Workspace, run_id: str, *, force: bool, command: str, patience: Patience
) -> TreeRemoved | None:
    """Remove the tree of a root; `command` is what removes it by force. None when the caller interrupted before.

    Raises `Refused` (`run_active`, `unreadable`).
    """
    while True:
        removal = workspace.execute(remove_tree(run_id, ambient=workspace.ambient))
        if isinstance(removal, Blocked) and force:
            removal = workspace.execute(remove_unreadable(run_id, ambient=workspace.ambient))
        match removal:
            case TreeRemoved():
                return removal
            case Blocked(unreadable=unreadable):
                raise unreadable_run(workspace, run_id, unreadable, command=command)
            case TreeUnfinished(run_ids=unfinished) if not force:
                raise _active(run_id, unfinished, command)
            case TreeUnfinished(run_ids=unfinished):
                if not _end(workspace, unfinished, patience):
                    return None


def _active(run_id: str, unfinished: tuple[str, ...], command: str) -> Refused:
    which = f"The run {run_id}" if run_id in unfinished else f"The run {unfinished[0]}, nested in it,"
    return Refused(
        "run_active",
        f"{which} is not over.",
        hint=f"Cancel it and delete everything of it with:\n{command}",
        details={"runId": run_id, "runIds": list(unfinished)},
    )


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


def _end(workspace: Workspace, unfinished: tuple[str, ...], patience: Patience) -> bool:
    """Cancel what is unfinished, the outermost first, and wait a little for those that drive any of it.

    False when the caller interrupts that.
    """
    ambient = workspace.ambient
    outermost_run, *nested = [_cancel(run_id, ambient) for run_id in unfinished]
    found = [workspace.execute(outermost_run), *workspace.execute(side_by_side(nested))]
    driven = [run for run in found if run is not None]
    for run in driven:
        patience.awaited(run)
    return not (driven and ambient.clock.wait(patience.interrupted, POLL_S))


def _cancel(run_id: str, ambient: Ambient) -> Protocol[RunState | None]:
    """End the run, or remove what no build could go on with; the run when a process that drives it is to end it."""
    found = yield from cancel_run(run_id, by=ambient.user, reason=REASON, ambient=ambient)
    if isinstance(found, Blocked):  # Its journal can be read, and pins what no build could go on with.
        yield from remove_unreadable(run_id, ambient=ambient)
    return found.run if isinstance(found, CancelRecorded) else None


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
