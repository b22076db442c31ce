"""What people answered to the waits of a run: signals and decisions that it has taken up, and those that it has not.

The journal has an answer from the moment on that a resume takes it up. Until then only the outcome of the wait has it,
and so it stays when the run ends first: the first outcome stands, though nothing will take it up. So the outcomes of
the waits that the run has not applied are read, with one request for each of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from swamp_core.app.views import OutcomeUse, OutcomeView
from swamp_core.app.workspace import Workspace
from swamp_core.records import keys
from swamp_core.records.base import read_record
from swamp_core.records.families import OUTCOME
from swamp_core.run.events import (
    ApprovalApplied,
    Event,
    GateRejected,
    RejectionApplied,
    SignalApplied,
    WaitApplied,
)
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.reads import get_many
from swamp_core.waits.applying import Application, Overdue, Rejection, StillOpen, decide_application


def outcome_views(workspace: Workspace, run: RunState, events: Sequence[Event]) -> list[OutcomeView]:
    """Every signal, approval and rejection that the run's waits were given, in the order of their times."""
    found = [*_taken_up(run, events), *_stored(workspace, run, events)]
    return sorted(found, key=lambda each: (each.at, each.wait_id))


def _taken_up(run: RunState, events: Sequence[Event]) -> Iterator[OutcomeView]:
    for event in events:
        if isinstance(event, WaitApplied):
            yield from _view(event.wait_id, run.waits[event.wait_id], event.application, "applied")


def _stored(workspace: Workspace, run: RunState, events: Sequence[Event]) -> Iterator[OutcomeView]:
    """Those of waits that the run has not applied; what cannot be read, or does not fit its wait, is no answer."""
    unapplied = {wait_id: wait for wait_id, wait in run.waits.items() if wait.status != "applied"}
    rejected = {event.wait_id for event in events if isinstance(event, GateRejected)}
    waiting, now = run.waiting(), workspace.ambient.clock.now()
    found = get_many(workspace.store, map(keys.outcome, unapplied))
    for wait_id, wait in unapplied.items():
        key = keys.outcome(wait_id)
        stored = decide_application(run.run_id, wait_id, wait, read_record(OUTCOME, key, found[key]), now)
        use: OutcomeUse = "pending" if wait_id in waiting else "unused"
        yield from _view(wait_id, wait, stored, "applied" if wait_id in rejected else use)


def _view(
    wait_id: str, wait: WaitState, what: Application | RejectionApplied | StillOpen | Overdue, use: OutcomeUse
) -> Iterator[OutcomeView]:
    """The answer as it is shown; nothing where nobody has given one."""
    place = {"wait_id": wait_id, "job": wait.job, "step": wait.step, "use": use}
    match what:
        case SignalApplied(receipt=receipt, payload=payload):
            yield OutcomeView(
                **place, result="accepted", at=receipt.received_at, by=receipt.submitted_by, payload=payload
            )
        case ApprovalApplied(decision=decision):
            yield OutcomeView(**place, result="approved", at=decision.at, by=decision.by)
        case Rejection(decision=decision) | RejectionApplied(decision=decision):
            yield OutcomeView(
                **place, result="rejected", at=decision.at, by=decision.by, reason=decision.reason
            )
