"""Deciding a gate: a decision is one create of its outcome, with who, when and why; the first one stands.

An approval touches no run: what it approved goes on when the run is resumed. A rejection has its run ended at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from swamp_core.app.gate_refusals import undecidable
from swamp_core.app.gates import Gate
from swamp_core.app.run import run_result
from swamp_core.app.run_refusals import unusable
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import CancelRecorded, NoReason, RunEnded
from swamp_core.engine.reading import read_run
from swamp_core.engine.rejecting import end_rejected
from swamp_core.journal.entry import Journal
from swamp_core.records.families import Approved, Rejected
from swamp_core.run.state import RunState
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.waits.deciding import AlreadyDecided, Decided, decide_gate


def approve(workspace: Workspace, gate: Gate) -> RunResult:
    """Approve a gate; its run goes on when it is resumed.

    Raises `Refused` (`already_decided`, `gate_expired`, `closed`, `unreadable`) and `StoreError`; after
    `OutcomeUnknown` or `StoreUnavailable` the error's hint ends with the command that repeats it.
    """
    with _repeatable(_command(workspace, gate, "approve")):
        _decide(workspace, gate, approve=True, reason=None)
        # Read after it: a driver that the run has now will find the decision, since it looks after it suspends.
        journal = workspace.execute(read_run(gate.run.run_id))
        run = journal.run if isinstance(journal, Journal) else gate.run
        return run_result(workspace, run, found=True)


def reject(workspace: Workspace, gate: Gate, *, reason: str | None = None) -> RunResult:
    """Reject a gate, which ends its run as failed: at once, or by the process that drives it, within seconds.

    Raises as `approve` does.
    """
    words = () if reason is None else ("--reason", reason)
    with _repeatable(_command(workspace, gate, "reject", *words)):
        outcome = _decide(workspace, gate, approve=False, reason=reason)
        assert isinstance(outcome, Rejected)
        return run_result(workspace, _end(workspace, outcome), found=True)


def _decide(workspace: Workspace, gate: Gate, *, approve: bool, reason: str | None) -> Approved | Rejected:
    ambient = workspace.ambient
    answer = workspace.execute(
        decide_gate(
            gate.wait_id,
            approve=approve,
            by=ambient.user,
            reason=reason,
            decision_id=ambient.ids.random_id(),
            now=ambient.clock.now,
        )
    )
    if isinstance(answer, Decided):
        return answer.outcome
    run = gate.run
    if isinstance(answer, AlreadyDecided) and isinstance(answer.outcome, Rejected):
        run = _end(
            workspace, answer.outcome
        )  # Whoever rejected it may have been cut off before the run's end.
    raise undecidable(workspace, run, gate.wait_id, answer)


def _end(workspace: Workspace, outcome: Rejected) -> RunState:
    ended = workspace.execute(end_rejected(outcome, ambient=workspace.ambient))
    match ended:
        case CancelRecorded(run=run) | RunEnded(run=run) | NoReason(run=run):
            return run
        case _:
            raise unusable(workspace, outcome.run_id, ended)


def _command(workspace: Workspace, gate: Gate, verb: str, *words: str) -> str:
    run = gate.run
    return workspace.command("workflow", verb, run.workflow, gate.wait_id, "--run", run.run_id, *words)


@contextmanager
def _repeatable(command: str) -> Iterator[None]:
    try:
        yield
    except (OutcomeUnknown, StoreUnavailable) as error:
        error.advise(f"Repeat the decision; if this one was recorded, the answer says so:\n{command}")
        raise
