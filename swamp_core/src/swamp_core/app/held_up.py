"""What holds a run up, with the commands that settle what it waits for, however deep; and the refusal to resume it.

For a nested run that cannot go on it is the innermost thing that has to be done which is named.
"""

from __future__ import annotations

from swamp_core.app.refusals import Refused
from swamp_core.app.retry_command import retry_command
from swamp_core.app.run_views import run_wait_views
from swamp_core.app.views import StandingView, WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import read_run
from swamp_core.engine.standing import look_at
from swamp_core.engine.suspending import WaitsOpen
from swamp_core.journal.entry import Journal
from swamp_core.records.base import instant_text
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import fan_out

SHOWN_MAX = 10


def held_up(workspace: Workspace, found: WaitsOpen) -> Refused:
    """Why the run cannot be resumed yet: `wait_open`, `gate_undecided`, or `nested_run_open`."""
    run = found.run
    waits = run_wait_views(run, workspace, found.wait_ids)
    open_waits = [each for each in waits if each.kind == "signal"]
    details = {
        "runId": run.run_id,
        "waits": [each.to_json() for each in waits],
        "childRunIds": list(found.child_run_ids),
    }
    commands = commands_for(workspace, run, found.wait_ids, found.child_run_ids)
    hint = "\n".join(commands[:SHOWN_MAX])
    if open_waits:
        message = f"The run {run.run_id} waits for a signal: {_first_of(open_waits)}."
        return Refused("wait_open", message, hint=f"Signal it first:\n{hint}", details=details)
    if waits:
        message = f"The run {run.run_id} waits for a decision: {_first_of(waits)}."
        return Refused("gate_undecided", message, hint=f"Decide it first:\n{hint}", details=details)
    nested = found.child_run_ids[0] if found.child_run_ids else ""
    message = f"The run {run.run_id} waits for its nested run {nested}, which cannot go on yet."
    return Refused("nested_run_open", message, hint=f"Do this first:\n{hint}", details=details)


def not_failed(workspace: Workspace, run: RunState) -> Refused:
    """The refusal to retry a run that is suspended: it waits, as `held_up` tells, or it can be resumed as it is."""
    why = "Only a run that failed is run again from a step."
    held = workspace.execute(look_at(run, workspace.ambient.clock.now()))
    if not held.is_resumable:
        refused = held_up(workspace, WaitsOpen(run, held.wait_ids, held.child_run_ids))
        return Refused(refused.code, f"{refused.message} {why}", hint=refused.hint, details=refused.details)
    return Refused(
        "not_resumable",
        f"The run {run.run_id} is suspended, and nothing holds it up. {why}",
        hint=f"Resume it without --from:\n{workspace.command('workflow', 'resume', run.run_id)}",
        details={"runId": run.run_id, "status": "suspended"},
    )


def commands_for(
    workspace: Workspace, run: RunState, wait_ids: tuple[str, ...], child_run_ids: tuple[str, ...]
) -> list[str]:
    """The commands that settle these waits, and what these nested runs wait for, down to the innermost."""
    commands = [each.next_command for each in run_wait_views(run, workspace, wait_ids)]
    for below in fan_out(lambda run_id: _commands_below(workspace, run_id), child_run_ids):
        commands += below
    return commands


def standing(workspace: Workspace, run: RunState, *, besides: str | None = None) -> StandingView:
    """How a run stands, and the commands that make it go on, as if its nested run `besides` were over already."""
    now, commands = workspace.ambient.clock.now(), list[str]()
    status, resumable = shown_status(run, now, workspace.ambient.host), False
    match status:
        case "suspended":
            held = workspace.execute(look_at(run, now, besides=besides))
            resumable = held.is_resumable
            commands = (
                [workspace.command("workflow", "resume", run.run_id)]
                if resumable
                else commands_for(workspace, run, held.wait_ids, held.child_run_ids)
            )
        case "interrupted":
            commands = [workspace.command("workflow", "recover", run.workflow, "--run", run.run_id)]
        case "running":
            commands = [workspace.command("workflow", "watch", run.run_id)]
        case "failed" if run.parent is None:  # To resume it is to retry it.
            commands = [retry_command(workspace, run)]
        case _:
            pass
    return StandingView(
        run_id=run.run_id,
        workflow=run.workflow,
        status=status,
        awaiting_resume=resumable,
        next_commands=commands,
    )


def parent_standing(workspace: Workspace, run: RunState) -> StandingView | None:
    """How the run stands that a run is nested in, as if this one were over; None where there is none to be read."""
    journal = workspace.execute(read_run(run.parent.run_id)) if run.parent else None
    return standing(workspace, journal.run, besides=run.run_id) if isinstance(journal, Journal) else None


def _commands_below(workspace: Workspace, run_id: str) -> list[str]:
    journal = workspace.execute(read_run(run_id))
    if not isinstance(journal, Journal):
        return [workspace.command("workflow", "history", "get", run_id)]
    # One that has ended meanwhile holds nothing up any more; to watch it says so.
    commands = standing(workspace, journal.run).next_commands
    return commands or [workspace.command("workflow", "watch", run_id)]


def _first_of(waits: list[WaitView]) -> str:
    first = waits[0]
    until = f" until {instant_text(first.deadline)}" if first.deadline else ""
    more = f", and {len(waits) - 1} more" if len(waits) > 1 else ""
    return f"step `{first.step}` of job `{first.job}`{until}{more}"
