"""The refusals of a run that cannot be gone on with: it is not there, is driven, was interrupted, or is over."""

from __future__ import annotations

from swamp_core.app.finding import unknown_run, unreadable_run
from swamp_core.app.refusals import Refused
from swamp_core.app.retry_command import retry_command
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.journal.appending import Blocked
from swamp_core.journal.starting import UnknownFormat
from swamp_core.records.base import Absent, instant_text
from swamp_core.run.state import RunState


def not_resumable(workspace: Workspace, run: RunState) -> Refused:
    """The refusal of a run that is not suspended: driven by another, interrupted, or over."""
    status = shown_status(run, workspace.ambient.clock.now(), workspace.ambient.host)
    details = {"runId": run.run_id, "status": status}
    if status == "running" and run.owner is not None:
        owner = run.owner
        return Refused(
            "already_resumed",
            f"The run {run.run_id} is being driven by process {owner.pid} on {owner.host}.",
            hint=f"See how far it is with:\n{workspace.command('workflow', 'history', 'get', run.run_id)}",
            details={**details, "owner": {"host": owner.host, "pid": owner.pid}},
        )
    if status == "interrupted":
        command = workspace.command("workflow", "recover", run.workflow, "--run", run.run_id)
        return Refused(
            "not_resumable",
            f"The run {run.run_id} was interrupted: its driver is gone.",
            hint=f"Recover it first:\n{command}",
            details=details,
        )
    hint = f"See it with:\n{workspace.command('workflow', 'history', 'get', run.run_id)}"
    if run.status == "failed" and run.parent is None:
        hint = f"{hint}\nRun what failed again with:\n{retry_command(workspace, run)}"
    return Refused(
        "not_resumable",
        f"The run {run.run_id} is over: it {_ended(run)}.",
        hint=hint,
        details=details,
    )


def _ended(run: RunState) -> str:
    when = f" at {instant_text(run.finished_at)}" if run.finished_at else ""
    return f"was cancelled{when}" if run.status == "cancelled" else f"{run.status}{when}"


def unusable(workspace: Workspace, run_id: str, found: Absent | Blocked | UnknownFormat) -> Refused:
    """The refusal of a run that is not there or that this build cannot go on with."""
    match found:
        case Absent():
            return unknown_run(workspace, run_id)
        case Blocked(unreadable=unreadable):
            return unreadable_run(workspace, run_id, unreadable)
        case UnknownFormat():
            return unknown_format(found)


def unknown_format(found: UnknownFormat) -> Refused:
    """The refusal of a store that a newer build, or something else, has written."""
    return Refused(
        "unknown_format",
        f"This build must not run or resume on this store: of its record `format`, {found.reason}.",
        hint="Install the build of Swamp that the store was written with, or a newer one.",
    )
