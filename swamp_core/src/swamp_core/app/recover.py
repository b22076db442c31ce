"""Recovering a run whose driver was lost, so that it can be resumed."""

from __future__ import annotations

from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import not_resumable, unusable
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import RunEnded
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import read_run
from swamp_core.engine.recovering import NeedsAcknowledgement, NotInterrupted, Recovered, recover_run
from swamp_core.journal.entry import Journal


def recover(workspace: Workspace, run_id: str, *, acknowledge_unknown: bool = False) -> RunResult:
    """Give up on the lost driver of a run, and of its nested runs, and leave them suspended, ready to be resumed.

    A run that was to be cancelled is ended instead, and the end of one that is over is completed. Raises `Refused`
    (`unknown_step_outcome` when a step without a guard was running and `acknowledge_unknown` is not given,
    `run_active`, `not_interrupted`, `unknown_run`, `unreadable`) and `StoreError`.
    """
    recovered = _recover_nested(workspace, run_id, acknowledge_unknown=acknowledge_unknown)
    protocol = recover_run(run_id, acknowledge_unknown=acknowledge_unknown, ambient=workspace.ambient)
    found = workspace.execute(protocol)
    match found:
        case Recovered(run=run) | RunEnded(run=run):
            return run_result(workspace, run, found=True)
        case NeedsAcknowledgement(run=run, unknown=unknown):
            steps = ", ".join(f"`{step}` of job `{job}`" for job, step in unknown)
            host = f", on host {run.owner.host}" if run.owner else ""
            command = workspace.command(
                "workflow", "recover", run.workflow, "--run", run.run_id, "--acknowledge-unknown"
            )
            raise Refused(
                "unknown_step_outcome",
                f"Nobody knows how far these steps came when the driver of run {run.run_id} was lost: {steps}. "
                f"Their scripts may even be running still{host}.",
                hint=f"Look there first. If they may run again, say so:\n{command}",
                details={"runId": run.run_id, "steps": [{"job": job, "step": step} for job, step in unknown]},
            )
        case NotInterrupted(run=run) if run.status == "suspended" and recovered:
            return run_result(workspace, run, found=True)
        case NotInterrupted(run=run) if run.status == "suspended":
            raise Refused(
                "not_interrupted",
                f"The run {run.run_id} is suspended, so there is nothing to recover.",
                hint=f"Resume it with:\n{workspace.command('workflow', 'resume', run.run_id)}",
                details={"runId": run.run_id, "status": "suspended"},
            )
        case NotInterrupted(run=run):
            active = not_resumable(workspace, run)
            raise Refused("run_active", active.message, hint=active.hint, details=active.details)
        case _:
            raise unusable(workspace, run_id, found)


def _recover_nested(workspace: Workspace, run_id: str, *, acknowledge_unknown: bool) -> bool:
    """Recover the nested runs that a run waits for and that nobody drives; whether there were any."""
    journal = workspace.execute(read_run(run_id))
    recovered = False
    for child_run_id in journal.run.waiting_children() if isinstance(journal, Journal) else ():
        child = workspace.execute(read_run(child_run_id))
        if isinstance(child, Journal) and not child.run.ended:
            now, host = workspace.ambient.clock.now(), workspace.ambient.host
            if shown_status(child.run, now, host) == "interrupted":
                recover(workspace, child_run_id, acknowledge_unknown=acknowledge_unknown)
                recovered = True
            else:
                recovered |= _recover_nested(workspace, child_run_id, acknowledge_unknown=acknowledge_unknown)
    return recovered
