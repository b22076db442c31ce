"""Cancelling a run from any host."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from swamp_core.app.patience import Patience
from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import unusable
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import Cancelling, CancelRecorded, RunEnded, cancel_run
from swamp_core.engine.lives import is_driven
from swamp_core.engine.moves import not_cleaned_up
from swamp_core.engine.plan import plan_of_run
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.operations import Protocol

POLL_S = 0.5


def cancel(
    workspace: Workspace,
    run_id: str,
    *,
    reason: str | None = None,
    keep_children: bool = False,
    wait: bool = False,
    patience: Patience | None = None,
) -> RunResult:
    """End a run, leaving no step waiting. A signal that was accepted first keeps its receipt.

    Its nested runs that are unfinished are ended too, unless `keep_children`.

    A run that a living process drives is ended by that process, within seconds; with `wait` this returns after it, or
    when the caller interrupts. While it waits, the store may be away for as long as the process is taken for alive.
    Any other is ended here, without the clean-up that a driver would have done.
    Cancelling a cancelled run again changes nothing. Raises `Refused` (`already_ended`, `unknown_run`, `unreadable`)
    and `StoreError`.
    """
    ambient = workspace.ambient
    request = partial(
        cancel_run, run_id, by=ambient.user, reason=reason, ambient=ambient, keep_children=keep_children
    )
    found = workspace.execute(request())
    if wait and isinstance(found, CancelRecorded):
        found = _awaited(workspace, found, request, patience or Patience())
    match found:
        case CancelRecorded(run=run):
            return run_result(workspace, run)
        case RunEnded(run=run, already=False):
            left_out = [f"{job}/{step}" for job, step in not_cleaned_up(plan_of_run(run), run)]
            return run_result(workspace, run).model_copy(update={"not_cleaned_up": left_out})
        case RunEnded(run=run) if run.status == "cancelled":
            return run_result(workspace, run)
        case RunEnded(run=run):
            raise Refused(
                "already_ended",
                f"The run {run.run_id} is over already: it {run.status}.",
                hint=f"See it with:\n{workspace.command('workflow', 'history', 'get', run.run_id)}",
                details={"runId": run.run_id, "status": run.status},
            )
        case _:
            raise unusable(workspace, run_id, found)


def _awaited(
    workspace: Workspace,
    recorded: CancelRecorded,
    request: Callable[[], Protocol[Cancelling]],
    patience: Patience,
) -> Cancelling:
    """What became of the run once its driver has ended it, or has died, or the caller interrupted."""
    ambient = workspace.ambient
    run = recorded.run
    while True:
        patience.awaited(run)
        if ambient.clock.wait(patience.interrupted, POLL_S):
            return CancelRecorded(run)
        try:
            found = workspace.execute(request())  # It also ends a run whose driver has died meanwhile.
        except (StoreUnavailable, OutcomeUnknown) as error:
            if not is_driven(run, ambient.clock.now(), ambient.host):
                again = workspace.command("workflow", "cancel", run.run_id)
                error.hint = f"{error.hint}\nThe cancel is recorded; have the run ended later with:\n{again}"
                raise
            patience.trouble(error)
            continue
        if not isinstance(found, CancelRecorded):
            return found
        run = found.run
