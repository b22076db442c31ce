"""Resuming a suspended run whose waits are settled."""

from __future__ import annotations

from swamp_core.app.driving import Attention
from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import not_resumable, unusable
from swamp_core.app.run_views import run_wait_views
from swamp_core.app.taking_up import stay, take_up
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.suspending import NotSuspended, Resumed, WaitsOpen
from swamp_core.records.base import instant_text
from swamp_core.run.state import RunState


def resume(
    workspace: Workspace, run_id: str, *, wait: bool = False, attention: Attention | None = None
) -> RunResult:
    """Take up a suspended run and drive it until it ends or must wait again; with `wait`, until it ends.

    Overdue waits are settled as timed out. Raises `Refused` (`wait_open`, `already_resumed`, `not_resumable`,
    `unknown_run`, `unreadable`, `unknown_format`, `driver_replaced`) and `StoreError`.
    """
    attention = attention or Attention()
    taken, owner = take_up(workspace, run_id, attention)
    match taken:
        case Resumed():
            run = attention.drive(workspace, taken, owner)
        case WaitsOpen(run=run) if wait:
            pass
        case WaitsOpen(run=run, wait_ids=wait_ids):
            raise _wait_open(workspace, run, wait_ids)
        case NotSuspended(run=run):
            raise not_resumable(workspace, run)
        case _:
            raise unusable(workspace, run_id, taken)
    if wait:
        run = stay(workspace, run, attention)
    return run_result(workspace, run)


def _wait_open(workspace: Workspace, run: RunState, wait_ids: tuple[str, ...]) -> Refused:
    waits = run_wait_views(run, workspace, wait_ids)
    commands = "\n".join(each.next_command for each in waits)
    first = waits[0]
    more = f", and {len(waits) - 1} more" if len(waits) > 1 else ""
    return Refused(
        "wait_open",
        f"The run {run.run_id} waits for a signal: step `{first.step}` of job `{first.job}` until "
        f"{instant_text(first.deadline) if first.deadline else "somebody decides"}{more}.",
        hint=f"Signal it first:\n{commands}",
        details={"runId": run.run_id, "waits": [each.to_json() for each in waits]},
    )
