"""How each event changes a run, and which events are refused: pure, and the one place where that is written.

An event that a run's state does not allow means that the journal was not written by these rules; it is refused
here with `ImpossibleEvent`, before it is appended and again whenever the journal is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from swamp_core.run.events import (
    CancelRequested,
    Event,
    FailureApplied,
    LeaseRenewed,
    RunDeleted,
    RunFinished,
    RunResumed,
    RunStarted,
    RunSuspended,
    SignalApplied,
    StepFailed,
    StepReset,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
    WaitPlanned,
)
from swamp_core.run.state import Cancellation, JobState, RunState, StepState, WaitState


class ImpossibleEvent(ValueError):
    """The run's state does not allow the event."""


def fold(state: RunState | None, events: Iterable[Event]) -> RunState | None:
    """The state after the events; None is the state before a run was started."""
    for event in events:
        state = apply(state, event)
    return state


def apply(state: RunState | None, event: Event) -> RunState:
    """The state after one event. Raises `ImpossibleEvent` when the state does not allow it."""
    if isinstance(event, RunStarted):
        _require(state is None, event, "the run has started already")
        return _started(event)
    if state is None:
        raise ImpossibleEvent(f"`{event.event}` comes before the run was started")
    if isinstance(event, RunDeleted):
        _require(state.ended, event, "the run is not over")
        return state
    _require(not state.ended, event, "the run is over")
    match event:
        case StepStarted() | StepSucceeded() | StepFailed() | StepSkipped() | StepReset():
            return _step(state, event)
        case WaitPlanned() | WaitOpened() | WaitApplied():
            return _wait(state, event)
        case _:
            return _run(state, event)


def _started(event: RunStarted) -> RunState:
    return RunState(
        run_id=event.run_id,
        workflow=event.workflow,
        mark=event.mark,
        status="running",
        definition=event.definition,
        models=event.models,
        inputs=event.inputs,
        owner=event.owner,
        started_by=event.started_by,
        started_at=event.at,
        parent_run_id=event.parent_run_id,
    )


RunEvent = RunSuspended | RunResumed | LeaseRenewed | CancelRequested | RunFinished


def _run(state: RunState, event: RunEvent) -> RunState:
    match event:
        case RunSuspended():
            _require(state.status == "running", event, "nobody drives the run")
            _require(not state.running_steps(), event, "a step is running")
            return state.model_copy(update={"status": "suspended", "owner": None})
        case RunResumed(owner=owner):
            _require(state.status == "suspended", event, "somebody drives the run")
            return state.model_copy(update={"status": "running", "owner": owner})
        case LeaseRenewed(lease_until=lease_until):
            if state.owner is None:
                raise ImpossibleEvent("`lease_renewed` while nobody drives the run")
            return state.model_copy(
                update={"owner": state.owner.model_copy(update={"lease_until": lease_until})}
            )
        case CancelRequested():
            _require(state.cancellation is None, event, "it was asked for already")
            cancellation = Cancellation(by=event.by, at=event.at, reason=event.reason)
            return state.model_copy(update={"cancellation": cancellation})
        case RunFinished():
            _require(not state.running_steps() and not state.waiting(), event, "a step is not over")
            return state.model_copy(update={"status": event.status, "finished_at": event.at, "owner": None})
        case _ as never:
            assert_never(never)


StepEvent = StepStarted | StepSucceeded | StepFailed | StepSkipped | StepReset


def _step(state: RunState, event: StepEvent) -> RunState:
    before = state.step(event.job, event.step)
    match event:
        case StepStarted():
            _require(state.status == "running", event, "nobody drives the run")
            _require(before.status == "pending", event, f"it is {before.status}")
            after = StepState(status="running", started_at=event.at)
        case StepSucceeded():
            _require(before.status == "running", event, f"it is {before.status}")
            after = before.model_copy(
                update={"status": "succeeded", "finished_at": event.at, "outputs": event.outputs}
            )
        case StepFailed():
            _require(not before.ended, event, f"it is {before.status}")
            after = _failed(before, event, event.error, event.allowed).model_copy(
                update={"outputs": event.outputs}
            )
        case StepSkipped():
            _require(before.status == "pending", event, f"it is {before.status}")
            after = before.model_copy(
                update={"status": "skipped", "finished_at": event.at, "skip_reason": event.reason}
            )
        case StepReset():
            _require(before.status == "running", event, f"it is {before.status}")
            after = StepState()
        case _ as never:
            assert_never(never)
    return _with_step(state, event.job, event.step, before, after)


WaitEvent = WaitPlanned | WaitOpened | WaitApplied


def _wait(state: RunState, event: WaitEvent) -> RunState:
    before = state.step(event.job, event.step)
    match event:
        case WaitPlanned():
            _require(state.status == "running", event, "nobody drives the run")
            _require(before.status == "pending", event, f"it is {before.status}")
            _require(event.wait_id not in state.waits, event, "the wait is known already")
            wait = WaitState(
                job=event.job,
                step=event.step,
                kind=event.wait_kind,
                deadline=event.deadline,
                planned_at=event.at,
                payload_schema=event.payload_schema,
                prompt=event.prompt,
            )
            after = StepState(status="waiting", started_at=event.at, wait_id=event.wait_id)
        case WaitOpened():
            wait = _awaited(state, before, event)
            _require(wait.status == "planned", event, f"it is {wait.status}")
            wait, after = wait.model_copy(update={"status": "opened"}), before
        case WaitApplied():
            wait = _awaited(state, before, event).model_copy(update={"status": "applied"})
            after = _applied(before, event)
        case _ as never:
            assert_never(never)
    with_wait = state.model_copy(update={"waits": {**state.waits, event.wait_id: wait}})
    return _with_step(with_wait, event.job, event.step, before, after)


def _awaited(state: RunState, step: StepState, event: WaitOpened | WaitApplied) -> WaitState:
    wait = state.waits.get(event.wait_id)
    if wait is None or step.status != "waiting" or step.wait_id != event.wait_id:
        raise ImpossibleEvent(f"`{event.event}` is not possible here: the step does not wait for it")
    return wait


def _applied(before: StepState, event: WaitApplied) -> StepState:
    match event.application:
        case SignalApplied(receipt=receipt, payload=payload):
            signal = receipt.model_dump(mode="json", exclude={"idempotency_key"})
            outputs = {"payload": payload, "signal": signal}
            return before.model_copy(
                update={"status": "succeeded", "finished_at": event.at, "outputs": outputs}
            )
        case FailureApplied(error=error, allowed=allowed):
            return _failed(before, event, error, allowed)
        case _ as never:
            assert_never(never)


def _failed(before: StepState, event: StepFailed | WaitApplied, error: object, allowed: bool) -> StepState:
    return before.model_copy(
        update={"status": "failed", "finished_at": event.at, "error": error, "allowed_failure": allowed}
    )


def _with_step(
    state: RunState, job_name: str, step_name: str, before: StepState, after: StepState
) -> RunState:
    if before is after:
        return state
    job = state.job(job_name)
    counted = JobState(
        steps={**job.steps, step_name: after},
        ended=job.ended + after.ended - before.ended,
        failed=job.failed + after.counts_as_failed - before.counts_as_failed,
        skipped=job.skipped + (after.status == "skipped") - (before.status == "skipped"),
    )
    return state.model_copy(update={"jobs": {**state.jobs, job_name: counted}})


def _require(allowed: bool, event: Event, because: str) -> None:
    if not allowed:
        raise ImpossibleEvent(f"`{event.event}` is not possible here: {because}")
