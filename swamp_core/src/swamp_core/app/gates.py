"""From what a person types to a gate: the name of its step, `JOB/STEP`, or its wait ID or the beginning of it.

A gate is found as long as its run is there, decided or not, so that a second decision can be shown the first.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.app.finding import ambiguous_run, find_run, unfinished_runs
from swamp_core.app.gate_refusals import ambiguous_step, unknown_step
from swamp_core.app.workspace import Workspace
from swamp_core.records import keys
from swamp_core.records.families import WaitKind
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.keys import is_segment
from swamp_core.store.reads import get_many


@dataclass(frozen=True, slots=True)
class Gate:
    """A gate of a run, which has been planned at least."""

    run: RunState
    wait_id: str

    @property
    def wait(self) -> WaitState:
        """What the run knows of it."""
        return self.run.waits[self.wait_id]


def find_gate(workspace: Workspace, text: str, step: str, *, run: str | None = None) -> Gate:
    """The gate that `NAME|RUN_ID STEP` means, with `run` from `--run` if given.

    Of several unfinished runs of a workflow it is in the one that has such a gate undecided. Raises `Refused`
    (`unknown_step`, `ambiguous_step`, and those of `find_run`).
    """
    found = None if run is not None else _by_gate(workspace, text, step)
    return _gate_of(workspace, found or find_run(workspace, text, run=run), step)


def waits_named(run: RunState, text: str, kind: WaitKind) -> list[str]:
    """The IDs of the waits of a kind that the text may mean, by the names of their steps, else by the IDs themselves.

    By a name it is the wait that the step has now: one from before it was reset is only found by its ID.
    """
    waits = {wait_id: wait for wait_id, wait in run.waits.items() if wait.kind == kind}
    named = [
        wait_id
        for wait_id, wait in waits.items()
        if text in (wait.step, f"{wait.job}/{wait.step}") and run.step(wait.job, wait.step).wait_id == wait_id
    ]
    given = text.strip().lower()
    return named or [wait_id for wait_id in waits if keys.may_start_id(given) and wait_id.startswith(given)]


def _by_gate(workspace: Workspace, name: str, step: str) -> RunState | None:
    """The unfinished run of the workflow, or of several the one that has the gate undecided."""
    if keys.is_id(name.strip().lower()) or not is_segment(name):
        return None
    runs = unfinished_runs(workspace, name)
    if len(runs) == 1:
        return runs[0]
    gates = {run.run_id: _undecided(run, step) for run in runs}
    outcomes = get_many(workspace.store, [keys.outcome(each) for gate in gates.values() for each in gate])
    having = [run for run in runs if any(outcomes[keys.outcome(each)] is None for each in gates[run.run_id])]
    if len(having) > 1:
        raise ambiguous_run(workspace, name, having)
    return having[0] if having else None


def _undecided(run: RunState, step: str) -> list[str]:
    waiting = run.waiting()
    return [wait_id for wait_id in waits_named(run, step, "approval") if wait_id in waiting]


def _gate_of(workspace: Workspace, run: RunState, step: str) -> Gate:
    match waits_named(run, step, "approval"):
        case [wait_id]:
            return Gate(run, wait_id)
        case []:
            raise unknown_step(workspace, run, step, waits_named(run, step, "signal"))
        case several:
            raise ambiguous_step(workspace, run, step, several)
