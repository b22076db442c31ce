"""How an event changes a step, its wait or nested run, and what is counted of it: pure.

An item of a forEach is a step like any other. When it ends, the step that was expanded counts it, and ends with the
last one; only then do its job, and the steps that depend on it, see an end.
"""

from __future__ import annotations

from datetime import datetime
from typing import assert_never

from swamp_core.run.events import (
    ApprovalApplied,
    ChildApplied,
    ChildPlanned,
    Event,
    FailureApplied,
    RejectionApplied,
    SignalApplied,
    StepExpanded,
    StepFailed,
    StepReset,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
    WaitPlanned,
)
from swamp_core.run.state import ChildState, Expansion, JobState, RunState, StepState, WaitState


class ImpossibleEvent(ValueError):
    """The run's state does not allow the event."""


def require(allowed: bool, event: Event, because: str) -> None:
    """Raise `ImpossibleEvent` unless the event is allowed."""
    if not allowed:
        raise ImpossibleEvent(f"`{event.event}` is not possible here: {because}")


TaskEvent = StepStarted | StepSucceeded | StepFailed | StepSkipped
WaitEvent = WaitPlanned | WaitOpened | WaitApplied
ChildEvent = ChildPlanned | ChildApplied


def apply(state: RunState, event: TaskEvent | StepExpanded | StepReset | WaitEvent | ChildEvent) -> RunState:
    """The state after an event of one of the run's steps."""
    before = state.step(event.job, event.step)
    match event:
        case StepExpanded():
            return _expanded(state, before, event)
        case StepReset():
            return _reset(state, before, event)
        case WaitPlanned() | WaitOpened() | WaitApplied():
            state, after = _wait(state, before, event)
        case ChildPlanned() | ChildApplied():
            state, after = _child(state, before, event)
        case StepStarted() | StepSucceeded() | StepFailed() | StepSkipped():
            after = _task(state, before, event)
        case _ as never:
            assert_never(never)
    return _with_step(state, event.job, event.step, before, after, event.at)


def _task(state: RunState, before: StepState, event: TaskEvent) -> StepState:
    match event:
        case StepStarted():
            _begin(state, before, event)
            return _changed(before, status="running", started_at=event.at)
        case StepSucceeded():
            require(before.status == "running", event, f"it is {before.status}")
            return _changed(before, status="succeeded", finished_at=event.at, outputs=event.outputs)
        case StepFailed():
            require(not before.ended and before.expansion is None, event, f"it is {before.status}")
            return _changed(_failed(before, event), outputs=event.outputs, cut_off=event.cut_off)
        case StepSkipped():
            require(before.status == "pending", event, f"it is {before.status}")
            return _changed(
                before,
                status="skipped",
                finished_at=event.at,
                skip_reason=event.reason,
                cut_off=event.cut_off,
            )
        case _ as never:
            assert_never(never)


def _wait(state: RunState, before: StepState, event: WaitEvent) -> tuple[RunState, StepState]:
    match event:
        case WaitPlanned():
            _begin(state, before, event)
            require(event.wait_id not in state.waits, event, "the wait is known already")
            wait = WaitState(
                job=event.job,
                step=event.step,
                kind=event.wait_kind,
                deadline=event.deadline,
                planned_at=event.at,
                payload_schema=event.payload_schema,
                prompt=event.prompt,
                key=event.key,
                hold=event.hold,
            )
            after = _changed(before, status="waiting", started_at=event.at, wait_id=event.wait_id)
        case WaitOpened():
            wait = _awaited(state, before, event)
            require(wait.status == "planned", event, f"it is {wait.status}")
            wait, after = wait.model_copy(update={"status": "opened"}), before
        case WaitApplied():
            wait = _awaited(state, before, event).model_copy(update={"status": "applied"})
            after = _applied(before, event)
        case _ as never:
            assert_never(never)
    return state.model_copy(update={"waits": {**state.waits, event.wait_id: wait}}), after


def _awaited(state: RunState, step: StepState, event: WaitOpened | WaitApplied) -> WaitState:
    wait = state.waits.get(event.wait_id)
    if wait is None or step.status != "waiting" or step.wait_id != event.wait_id:
        raise ImpossibleEvent(f"`{event.event}` is not possible here: the step does not wait for it")
    return wait


def _applied(before: StepState, event: WaitApplied) -> StepState:
    match event.application:
        case SignalApplied(receipt=receipt, payload=payload):
            signal = receipt.model_dump(mode="json", exclude={"idempotency_key"}, exclude_none=True)
            outputs = {"payload": payload, "signal": signal}
        case ApprovalApplied(decision=decision):
            outputs = {"decision": decision.model_dump(mode="json", exclude_none=True)}
        case RejectionApplied() as rejection:
            return _failed(before, rejection, event.at)
        case FailureApplied() as failure:
            return _changed(_failed(before, failure, event.at), cut_off=failure.cut_off)
        case _ as never:
            assert_never(never)
    return _changed(before, status="succeeded", finished_at=event.at, outputs=outputs)


def _child(state: RunState, before: StepState, event: ChildEvent) -> tuple[RunState, StepState]:
    match event:
        case ChildPlanned():
            _begin(state, before, event)
            require(event.child_run_id not in state.children, event, "the nested run is known already")
            child = ChildState(
                job=event.job, step=event.step, workflow=event.workflow, mark=state.mark, inputs=event.inputs
            )
            after = _changed(before, status="waiting", started_at=event.at, child_run_id=event.child_run_id)
        case ChildApplied():
            known = state.children.get(event.child_run_id)
            if known is None or before.status != "waiting" or before.child_run_id != event.child_run_id:
                raise ImpossibleEvent("`child_applied` is not possible here: the step does not wait for it")
            child = known.model_copy(update={"applied": True, "inputs": {}})
            status = "failed" if event.error else "succeeded"
            after = _changed(
                before,
                status=status,
                finished_at=event.at,
                outputs=event.outputs,
                error=event.error,
                allowed_failure=event.allowed,
            )
        case _ as never:
            assert_never(never)
    return state.model_copy(update={"children": {**state.children, event.child_run_id: child}}), after


def _expanded(state: RunState, before: StepState, event: StepExpanded) -> RunState:
    _begin(state, before, event)
    require(before.of is None, event, "it is an item itself")
    job = state.job(event.job)
    names = [item.name for item in event.items]
    taken = [name for name in names if name in job.steps or name in job.items or name == event.step]
    require(not taken and len(set(names)) == len(names), event, "its items share a name")
    items = {item.name: StepState(of=event.step, item=item.value) for item in event.items}
    expansion = Expansion(names=names, mapping=event.mapping)
    status = "expanded" if names else "succeeded"
    after = StepState(
        status=status,
        started_at=event.at,
        finished_at=None if names else event.at,
        expansion=expansion,
    )
    with_items = job.model_copy(update={"items": {**job.items, **items}})
    return _with_job(state, event.job, _counting(with_items, event.step, before, after))


def _reset(state: RunState, before: StepState, event: StepReset) -> RunState:
    asked_again = before.status == "waiting" and before.wait_id is not None
    undone = before.status == "running" or asked_again
    possible = undone or (state.is_resetting and before.status != "pending")
    require(possible, event, f"it is {before.status}")
    if before.of is not None:
        after = StepState(of=before.of, item=before.item)
        return _with_step(state, event.job, event.step, before, after, event.at)
    job = state.job(event.job)
    items = {name: item for name, item in job.items.items() if item.of != event.step}
    awaited = [name for name, item in job.items.items() if item.of == event.step and item.status == "waiting"]
    require(not awaited, event, "an item of it waits")
    without_items = job.model_copy(update={"items": items})
    return _with_job(state, event.job, _counting(without_items, event.step, before, StepState()))


def _begin(state: RunState, before: StepState, event: Event) -> None:
    require(state.status == "running", event, "nobody drives the run")
    require(before.status == "pending", event, f"it is {before.status}")


def _changed(before: StepState, **changes: object) -> StepState:
    return before.model_copy(update=changes)


def _failed(
    before: StepState, failure: StepFailed | RejectionApplied | FailureApplied, at: datetime | None = None
) -> StepState:
    finished_at = failure.at if isinstance(failure, StepFailed) else at
    return _changed(
        before,
        status="failed",
        finished_at=finished_at,
        error=failure.error,
        allowed_failure=failure.allowed,
    )


def _with_step(
    state: RunState, job_name: str, name: str, before: StepState, after: StepState, at: datetime
) -> RunState:
    if before is after:
        return state
    job = state.job(job_name)
    if after.of is None:
        return _with_job(state, job_name, _counting(job, name, before, after))
    job = job.model_copy(update={"items": {**job.items, name: after}})
    expanded = job.steps[after.of]
    return _with_job(
        state, job_name, _counting(job, after.of, expanded, _counted(expanded, before, after, at))
    )


def _counted(expanded: StepState, before: StepState, after: StepState, at: datetime) -> StepState:
    """The step that was expanded, once one of its items has changed so."""
    assert expanded.expansion is not None
    was = expanded.expansion
    expansion = was.model_copy(
        update={
            "ended": was.ended + after.ended - before.ended,
            "failed": was.failed + (after.status == "failed") - (before.status == "failed"),
            "forgiven": was.forgiven + after.allowed_failure - before.allowed_failure,
            "skipped": was.skipped + (after.status == "skipped") - (before.status == "skipped"),
        }
    )
    end = expansion.end()
    return _changed(
        expanded,
        expansion=expansion,
        status=end or "expanded",
        finished_at=at if end else None,
        allowed_failure=end == "failed" and expansion.failed == expansion.forgiven,
    )


def _counting(job: JobState, name: str, before: StepState, after: StepState) -> JobState:
    """The job with a step of its own changed so."""
    return job.model_copy(
        update={
            "steps": {**job.steps, name: after},
            "ended": job.ended + after.ended - before.ended,
            "failed": job.failed + after.counts_as_failed - before.counts_as_failed,
            "skipped": job.skipped + (after.status == "skipped") - (before.status == "skipped"),
        }
    )


def _with_job(state: RunState, name: str, job: JobState) -> RunState:
    return state.model_copy(update={"jobs": {**state.jobs, name: job}})
