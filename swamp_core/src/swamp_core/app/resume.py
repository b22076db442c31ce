"""Going on with a run: one that is suspended and whose waits are settled, or one that failed and is to be retried."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from swamp_core.app.driving import Attention
from swamp_core.app.finding import read_run_journal
from swamp_core.app.held_up import SHOWN_MAX, held_up, not_failed, standing
from swamp_core.app.inputs import checked_inputs
from swamp_core.app.proving import prove_store
from swamp_core.app.refusals import Refused
from swamp_core.app.remove import outermost
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import not_resumable, unusable
from swamp_core.app.taking_up import retry, stay, take_up
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.plan import StepRef
from swamp_core.engine.reading import read_run
from swamp_core.engine.suspending import NotSuspended, Resumed, WaitsOpen
from swamp_core.journal.entry import Journal
from swamp_core.run.events import Json
from swamp_core.run.state import RunState
from swamp_core.workflow.definition import Workflow


def resume(
    workspace: Workspace,
    run_id: str,
    *,
    inputs: Mapping[str, JsonValue] | None = None,
    wait: bool = False,
    attention: Attention | None = None,
) -> RunResult:
    """Take up a suspended run and drive it until it ends or must wait again; with `wait`, until it ends.

    `inputs` replace those of the run. Overdue waits are settled as timed out. Raises `Refused` (`wait_open`,
    `gate_undecided`, `nested_run_open`, `already_resumed`, `not_resumable`, `invalid_input`, `unknown_run`,
    `unreadable`, `unknown_format`, `driver_replaced`) and `StoreError`.
    """
    prove_store(workspace)
    attention = attention or Attention()
    given = _merged(workspace, run_id, inputs) if inputs else {}
    taken, owner = take_up(workspace, run_id, attention, inputs=given)
    match taken:
        case Resumed():
            run = attention.drive(workspace, taken, owner)
        case WaitsOpen(run=run) if wait:
            pass
        case WaitsOpen():
            raise held_up(workspace, taken)
        case NotSuspended(run=run):
            raise not_resumable(workspace, run)
        case _:
            raise unusable(workspace, run_id, taken)
    if wait:
        run = stay(workspace, run, attention)
    return run_result(workspace, run)


def retry_failed(
    workspace: Workspace,
    run_id: str,
    *,
    steps: tuple[StepRef, ...] = (),
    inputs: Mapping[str, JsonValue] | None = None,
    wait: bool = False,
    attention: Attention | None = None,
) -> RunResult:
    """Run the steps of a failed run again, and all that depends on them: those named, or else those that failed.

    Raises what `resume` raises, and `nested_run` for a run that is the work of another run's step.
    """
    prove_store(workspace)
    attention = attention or Attention()
    run = read_run_journal(workspace, run_id).run
    _refuse_nested(workspace, run)
    given = _merged(workspace, run_id, inputs) if inputs else {}
    taken, owner = retry(workspace, run_id, attention, steps=steps, inputs=given)
    match taken:
        case Resumed():
            run = attention.drive(workspace, taken, owner)
        case NotSuspended(run=run) if run.status == "suspended":
            raise not_failed(workspace, run)
        case NotSuspended(run=run):
            raise not_resumable(workspace, run)
        case _:
            raise unusable(workspace, run_id, taken)
    if wait:
        run = stay(workspace, run, attention)
    return run_result(workspace, run)


def _merged(workspace: Workspace, run_id: str, inputs: Mapping[str, JsonValue]) -> Json:
    """The given inputs, once the run's inputs with them were found to fit its workflow."""
    run = read_run_journal(workspace, run_id).run
    checked_inputs(Workflow.from_json(run.definition), {**run.inputs, **inputs})
    return dict(inputs)


def _refuse_nested(workspace: Workspace, run: RunState) -> None:
    if run.parent is None:
        return
    root = outermost(workspace, run.parent) or run.parent.run_id
    raise Refused(
        "nested_run",
        f"The run {run.run_id} is nested in the run {root}, where its result is taken once.",
        hint=_hint_above(workspace, root),
        details={"runId": run.run_id, "rootRunId": root},
    )


def _hint_above(workspace: Workspace, root: str) -> str:
    """How to go on with the run in which everything is nested: what can be done about it as it stands."""
    journal = workspace.execute(read_run(root))
    above = standing(workspace, journal.run) if isinstance(journal, Journal) else None
    if above is None or not above.next_commands:
        command = workspace.command("workflow", "history", "get", root)
        return f"Nothing is left to do for that run. See it with:\n{command}"
    commands = "\n".join(above.next_commands[:SHOWN_MAX])
    if above.status == "failed" or above.awaiting_resume:
        return f"Go on with that run; when it has failed this retries it, with a new nested run:\n{commands}"
    return f"That run has to end first, and is then retried with a new nested run. For now:\n{commands}"
