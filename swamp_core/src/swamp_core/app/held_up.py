"""The refusal to resume a run that is held up, with the commands that settle what it waits for, however deep.

For a nested run that cannot go on it is the innermost thing that has to be done which is named.
"""

from __future__ import annotations

from swamp_core.app.refusals import Refused
from swamp_core.app.run_views import run_wait_views
from swamp_core.app.views import WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import read_run
from swamp_core.engine.standing import look_at
from swamp_core.engine.suspending import WaitsOpen
from swamp_core.journal.entry import Journal
from swamp_core.records.base import instant_text
from swamp_core.run.state import RunState

_SHOWN_MAX = 10


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
    hint = "\n".join(commands[:_SHOWN_MAX])
    if open_waits:
        message = f"The run {run.run_id} waits for a signal: {_first_of(open_waits)}."
        return Refused("wait_open", message, hint=f"Signal it first:\n{hint}", details=details)
    if waits:
        message = f"The run {run.run_id} waits for a decision: {_first_of(waits)}."
        return Refused("gate_undecided", message, hint=f"Decide it first:\n{hint}", details=details)
    nested = found.child_run_ids[0] if found.child_run_ids else ""
    message = f"The run {run.run_id} waits for its nested run {nested}, which cannot go on yet."
    return Refused("nested_run_open", message, hint=f"Do this first:\n{hint}", details=details)


def commands_for(
    workspace: Workspace, run: RunState, wait_ids: tuple[str, ...], child_run_ids: tuple[str, ...]
) -> list[str]:
    """The commands that settle these waits, and what these nested runs wait for, down to the innermost."""
    commands = [each.next_command for each in run_wait_views(run, workspace, wait_ids)]
    for child_run_id in child_run_ids:
        commands += _commands_below(workspace, child_run_id)
    return commands


def _commands_below(workspace: Workspace, run_id: str) -> list[str]:
    journal = workspace.execute(read_run(run_id))
    if not isinstance(journal, Journal):
        return [workspace.command("workflow", "history", "get", run_id)]
    run, now = journal.run, workspace.ambient.clock.now()
    match shown_status(run, now, workspace.ambient.host):
        case "suspended":
            held = workspace.execute(look_at(run, now))
            if held.is_resumable:
                return [workspace.command("workflow", "resume", run_id)]
            return commands_for(workspace, run, held.wait_ids, held.child_run_ids)
        case "interrupted":
            return [workspace.command("workflow", "recover", run.workflow, "--run", run_id)]
        case _:
            return [workspace.command("workflow", "watch", run_id)]


def _first_of(waits: list[WaitView]) -> str:
    first = waits[0]
    until = f" until {instant_text(first.deadline)}" if first.deadline else ""
    more = f", and {len(waits) - 1} more" if len(waits) > 1 else ""
    return f"step `{first.step}` of job `{first.job}`{until}{more}"
