"""How each event changes a run, and which are refused: pure, and with `steps` the one place where that is written.

An event that a run's state does not allow means that the journal was not written by these rules; it is refused
here with `ImpossibleEvent`, before it is appended and again whenever the journal is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from swamp_core.run import steps
from swamp_core.run.events import (
    CancelRequested,
    Event,
    GateRejected,
    Json,
    LeaseRenewed,
    Owner,
    RetryAbandoned,
    RunDeleted,
    RunFinished,
    RunResumed,
    RunRetried,
    RunStarted,
    RunSuspended,
    StepReset,
)
from swamp_core.run.state import Cancellation, RunState
from swamp_core.run.steps import ImpossibleEvent, require

__all__ = ["ImpossibleEvent", "apply", "fold"]


def fold(state: RunState | None, events: Iterable[Event]) -> RunState | None:
    """The state after the events; None is the state before a run was started."""
    for event in events:
        state = apply(state, event)
    return state


def apply(state: RunState | None, event: Event) -> RunState:
    """The state after one event. Raises `ImpossibleEvent` when the state does not allow it."""
    if isinstance(event, RunStarted):
        require(state is None, event, "the run has started already")
        return _started(event)
    if state is None:
        raise ImpossibleEvent(f"`{event.event}` comes before the run was started")
    if isinstance(event, RunDeleted | RetryAbandoned | RunRetried):
        require(state.ended, event, "the run is not over")
        return _retried(state, event) if isinstance(event, RunRetried) else state
    require(not state.ended, event, "the run is over")
    if state.is_resetting and not isinstance(event, StepReset):
        state = state.model_copy(update={"is_resetting": False})
    match event:
        case (
            RunSuspended()
            | RunResumed()
            | LeaseRenewed()
            | CancelRequested()
            | GateRejected()
            | RunFinished()
        ):
            return _run(state, event)
        case _:
            return steps.apply(state, event)


def _started(event: RunStarted) -> RunState:
    return RunState(
        run_id=event.run_id,
        workflow=event.workflow,
        mark=event.mark,
        status="running",
        definition=event.definition,
        workflows=event.workflows,
        models=event.models,
        inputs=event.inputs,
        owner=event.owner,
        started_by=event.started_by,
        started_at=event.at,
        parent=event.parent,
    )


def _retried(state: RunState, event: RunRetried) -> RunState:
    require(state.status == "failed", event, "the run did not fail")
    require(event.mark > state.mark, event, "its mark is none of its own")
    fresh = {
        "status": "running",
        "mark": event.mark,
        "finished_at": None,
        "cancellation": None,
        "is_resetting": True,
    }
    return state.model_copy(update={**fresh, **_taken_over(state, event.owner, event.inputs)})


RunEvent = RunSuspended | RunResumed | LeaseRenewed | CancelRequested | GateRejected | RunFinished


def _run(state: RunState, event: RunEvent) -> RunState:
    match event:
        case RunSuspended():
            require(state.status == "running", event, "nobody drives the run")
            require(not state.running_steps(), event, "a step is running")
            return state.model_copy(update={"status": "suspended", "owner": None})
        case RunResumed(owner=owner, inputs=inputs):
            require(state.status == "suspended", event, "somebody drives the run")
            return state.model_copy(update={"status": "running", **_taken_over(state, owner, inputs)})
        case LeaseRenewed(lease_until=lease_until):
            if state.owner is None:
                raise ImpossibleEvent("`lease_renewed` while nobody drives the run")
            return state.model_copy(
                update={"owner": state.owner.model_copy(update={"lease_until": lease_until})}
            )
        case CancelRequested() | GateRejected():
            require(state.cancellation is None, event, "it was asked for already")
            return state.model_copy(update={"cancellation": _cancellation(event)})
        case RunFinished():
            over = not state.running_steps() and not state.waiting() and not state.waiting_children()
            require(over, event, "a step is not over")
            return state.model_copy(update={"status": event.status, "finished_at": event.at, "owner": None})
        case _ as never:
            assert_never(never)


def _taken_over(state: RunState, owner: Owner, inputs: Json) -> dict[str, object]:
    return {"owner": owner, "inputs": {**state.inputs, **inputs}}


def _cancellation(event: CancelRequested | GateRejected) -> Cancellation:
    if isinstance(event, GateRejected):
        return Cancellation(by=event.by, at=event.at, reason=event.reason, rejected=event.wait_id)
    return Cancellation(by=event.by, at=event.at, reason=event.reason, keep_children=event.keep_children)
