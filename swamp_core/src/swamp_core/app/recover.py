"""Recovering a run whose driver was lost, and all that is nested in it, so that it can be resumed.

What a lost driver drove was often a tree. All of it is asked about at once, before anything is changed, so that one
command recovers it.
"""

from __future__ import annotations

from swamp_core.app.finding import read_run
from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import not_resumable, unusable
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import RunEnded
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import read_run as read_usable_run
from swamp_core.engine.recovering import (
    NeedsAcknowledgement,
    NotInterrupted,
    Recovered,
    recover_run,
    unknown_steps,
)
from swamp_core.journal.entry import Journal
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import fan_out


def recover(workspace: Workspace, run_id: str, *, acknowledge_unknown: bool = False) -> RunResult:
    """Give up on the lost driver of a run, and of its nested runs, and leave them suspended, ready to be resumed.

    A run that was to be cancelled is ended instead, and an end that was cut off is completed. Raises `Refused`
    (`unknown_step_outcome` when a step without a guard was running, in the run or in a nested one, and
    `acknowledge_unknown` is not given; `already_ended`, `run_active`, `not_interrupted`, `unknown_run`, `unreadable`)
    and `StoreError`.
    """
    run = read_run(workspace, run_id)
    lost = _lost_below(workspace, run)
    unknown = [each for each in (*lost, *_if_lost(workspace, run)) if unknown_steps(each)]
    if unknown and not acknowledge_unknown:
        raise _needs_acknowledgement(workspace, run, unknown)
    for each in lost:
        _recover_nested(workspace, run, each.run_id, acknowledge_unknown=acknowledge_unknown)
    protocol = recover_run(run_id, acknowledge_unknown=acknowledge_unknown, ambient=workspace.ambient)
    found = workspace.execute(protocol)
    match found:
        case Recovered(run=run) | RunEnded(run=run, already=False):
            return run_result(workspace, run, found=True)
        case NeedsAcknowledgement(run=run):
            raise _needs_acknowledgement(workspace, run, [run])
        case NotInterrupted(run=run) if lost:
            return run_result(workspace, run, found=True)
        case NotInterrupted(run=run) | RunEnded(run=run):
            raise _nothing_to_recover(workspace, run)
        case _:
            raise unusable(workspace, run_id, found)


def _recover_nested(workspace: Workspace, root: RunState, run_id: str, *, acknowledge_unknown: bool) -> None:
    protocol = recover_run(run_id, acknowledge_unknown=acknowledge_unknown, ambient=workspace.ambient)
    match workspace.execute(protocol):
        case Recovered() | RunEnded() | NotInterrupted():
            pass  # Of the last two somebody else was faster.
        case NeedsAcknowledgement(run=run):
            raise _needs_acknowledgement(workspace, root, [run])
        case found:
            raise unusable(workspace, run_id, found)


def _lost_below(workspace: Workspace, run: RunState) -> list[RunState]:
    """The nested runs, however deep, that the run waits for and that nobody drives; the innermost first."""
    children = list(run.waiting_children())
    lost: list[RunState] = []
    for journal in fan_out(lambda run_id: workspace.execute(read_usable_run(run_id)), children):
        if isinstance(journal, Journal):
            lost += [*_lost_below(workspace, journal.run), *_if_lost(workspace, journal.run)]
    return lost


def _if_lost(workspace: Workspace, run: RunState) -> list[RunState]:
    status = shown_status(run, workspace.ambient.clock.now(), workspace.ambient.host)
    return [run] if status == "interrupted" else []


def _needs_acknowledgement(workspace: Workspace, root: RunState, runs: list[RunState]) -> Refused:
    """The refusal to run steps of these runs again, which are the run to be recovered and runs nested in it."""
    steps = [(run, job, step) for run in runs for job, step in unknown_steps(run)]
    told = ", ".join(
        f"`{step}` of job `{job}`" + (f" in the run {run.run_id}" if run.run_id != root.run_id else "")
        for run, job, step in steps
    )
    hosts = ", ".join(dict.fromkeys(run.owner.host for run in runs if run.owner))
    command = workspace.command(
        "workflow", "recover", root.workflow, "--run", root.run_id, "--acknowledge-unknown"
    )
    return Refused(
        "unknown_step_outcome",
        f"Nobody knows how far these steps came when the driver of run {root.run_id} was lost: {told}. "
        f"Their scripts may even be running still{f', on host {hosts}' if hosts else ''}.",
        hint=f"Look there first. If they may run again, say so:\n{command}",
        details={
            "runId": root.run_id,
            "steps": [{"runId": run.run_id, "job": job, "step": step} for run, job, step in steps],
        },
    )


def _nothing_to_recover(workspace: Workspace, run: RunState) -> Refused:
    if run.status == "suspended":
        return Refused(
            "not_interrupted",
            f"The run {run.run_id} is suspended, so there is nothing to recover.",
            hint=f"Resume it with:\n{workspace.command('workflow', 'resume', run.run_id)}",
            details={"runId": run.run_id, "status": "suspended"},
        )
    why = not_resumable(workspace, run)
    if not run.ended:
        return Refused("run_active", why.message, hint=why.hint, details=why.details)
    message = f"{why.message} There is nothing to recover."
    return Refused("already_ended", message, hint=why.hint, details=why.details)
