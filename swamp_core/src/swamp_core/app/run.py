"""Running a workflow: start a run, drive it, and say what is left to do."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from swamp_core.app.driving import Attention, driver_of
from swamp_core.app.finding import unfinished_runs
from swamp_core.app.held_up import parent_standing, standing
from swamp_core.app.inputs import checked_inputs
from swamp_core.app.proving import prove_store
from swamp_core.app.refusals import Refused
from swamp_core.app.retry_command import retry_from
from swamp_core.app.run_refusals import unknown_format
from swamp_core.app.run_views import run_view, run_wait_views
from swamp_core.app.taking_up import stay
from swamp_core.app.unfinished_below import unfinished_below
from swamp_core.app.views import KeptView, RunResult
from swamp_core.app.workflows import Runnable
from swamp_core.app.workspace import Workspace
from swamp_core.engine.superseding import (
    Kept,
    NotConcerned,
    Superseded,
    decide_supersession,
    supersede,
)
from swamp_core.engine.suspending import Resumed
from swamp_core.journal.appending import Appended
from swamp_core.journal.starting import UnknownFormat, start_run
from swamp_core.records import keys
from swamp_core.run.events import Owner, RunStarted
from swamp_core.run.state import RunState
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.reads import get_many

FIRST_ENTRY = 1


def run_workflow(
    workspace: Workspace,
    runnable: Runnable,
    inputs: Mapping[str, JsonValue],
    *,
    supersede_earlier: bool = True,
    wait: bool = False,
    attention: Attention | None = None,
) -> RunResult:
    """Start a run of a workflow and drive it until it ends or must wait; with `wait`, until it ends.

    Suspended runs of the same workflow with equal inputs that wait only for approvals are cancelled, unless
    `supersede_earlier` is False; others that wait are left alone and reported as kept. Raises `Refused`
    (`invalid_input`, `unknown_format`, `driver_replaced`) and `StoreError`.
    """
    checked = checked_inputs(runnable.workflow, inputs)
    prove_store(workspace)
    earlier = unfinished_runs(workspace, runnable.workflow.name)
    attention = attention or Attention()
    attention.phase = "starting"
    owner = driver_of(workspace)
    started = _start(workspace, runnable, checked, owner)
    superseded, kept = _supersede(workspace, started.journal.run, earlier, supersede_them=supersede_earlier)
    run = attention.drive(workspace, started, owner)
    if wait:
        run = stay(workspace, run, attention)
    return run_result(workspace, run, superseded=superseded, kept=kept)


def run_result(
    workspace: Workspace,
    run: RunState,
    *,
    superseded: list[str] | None = None,
    kept: list[KeptView] | None = None,
    found: bool = False,
) -> RunResult:
    """The run as it was left, with the waits that are open, its own and those of its nested runs.

    `found`: its driver has not just looked at its waits, so those that have an outcome by now are left out. So is one
    under a key that a held signal settled as it was opened, while the run waits for something else.
    """
    below = list(unfinished_below(workspace, run))
    waits = [wait for each in (run, *below) for wait in run_wait_views(each, workspace)]
    asked = [keys.outcome(wait.wait_id) for wait in waits if found or wait.key is not None]
    settled = {key for key, data in get_many(workspace.store, asked).items() if data is not None}
    waits = [wait for wait in waits if keys.outcome(wait.wait_id) not in settled]
    return RunResult(
        run=run_view(run, workspace.ambient),
        waits=waits,
        parent=parent_standing(workspace, run),
        nested=[standing(workspace, each) for each in below if each.status != "suspended"],
        retry_from=retry_from(run) if run.status == "failed" else None,
        superseded=superseded or [],
        kept=kept or [],
    )


def _start(workspace: Workspace, runnable: Runnable, inputs: dict[str, JsonValue], owner: Owner) -> Resumed:
    ambient = workspace.ambient
    now = ambient.clock.now()
    event = RunStarted(
        at=now,
        run_id=ambient.ids.run_id(now),
        workflow=runnable.workflow.name,
        mark=FIRST_ENTRY,
        definition=runnable.workflow.to_json(),
        workflows={name: each.to_json() for name, each in runnable.workflows.items()},
        models={name: model.to_json() for name, model in runnable.models.items()},
        inputs=inputs,
        owner=owner,
        started_by=ambient.user,
    )
    try:
        started = workspace.execute(start_run(event, entry_id=ambient.ids.random_id(), build=workspace.build))
    except (OutcomeUnknown, StoreUnavailable) as error:
        cancel = workspace.command("workflow", "cancel", event.run_id)
        error.advise(
            f"The run may have begun, though none of its steps has. If it has, end it with:\n{cancel}"
        )
        raise
    match started:
        case Appended(journal=journal):
            return Resumed(journal, {})
        case UnknownFormat():
            raise unknown_format(started)
        case _:
            raise Refused(
                "start_abandoned",
                f"The start of run {event.run_id} took so long that it was cleaned up; nothing was run.",
                hint="Run the workflow again.",
            )


def _supersede(
    workspace: Workspace, new: RunState, earlier: list[RunState], *, supersede_them: bool
) -> tuple[list[str], list[KeptView]]:
    """The IDs of the earlier runs that the new one takes the place of, and those that it leaves alone, with why."""
    superseded: list[str] = []
    kept: list[KeptView] = []
    for run in earlier:
        decision = (
            workspace.execute(supersede(run, new.run_id, new.inputs, workspace.ambient))
            if supersede_them
            else decide_supersession(run, new.inputs)
        )
        match decision:
            case Superseded() if supersede_them:
                superseded.append(run.run_id)
            case Superseded():
                kept.append(_kept(run, "It waits for an approval, and --no-supersede was given."))
            case Kept(reason=reason):
                kept.append(_kept(run, reason))
            case NotConcerned():
                pass
    return superseded, kept


def _kept(run: RunState, reason: str) -> KeptView:
    return KeptView(run_id=run.run_id, wait_ids=list(run.waiting()), reason=reason)
