"""What happens to a run, as sentences for a person who looks on: one for each event that is worth telling."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from swamp_core.cli.parts import Say
from swamp_core.cli.times import exact_length
from swamp_core.run.events import (
    ApprovalApplied,
    CancelRequested,
    ChildApplied,
    ChildPlanned,
    Event,
    FailureApplied,
    GateRejected,
    RejectionApplied,
    RetryAbandoned,
    RunResumed,
    RunRetried,
    SignalApplied,
    StepError,
    StepExpanded,
    StepFailed,
    StepReset,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
)
from swamp_core.run.state import RunState


def sentences(run: RunState, events: Sequence[Event]) -> list[Say]:
    """A sentence for each event that is to be told; `run` is as it is after them."""
    return [said for event in events if (said := sentence(run, event)) is not None]


def sentence(run: RunState, event: Event) -> Say | None:
    """The event as a sentence, or None for one that only the driver needs."""
    match event:
        case StepExpanded() | StepStarted() | StepSucceeded() | StepFailed() | StepSkipped() | StepReset():
            return _of_step(run, event)
        case WaitOpened() | WaitApplied():
            return _of_wait(run, event)
        case ChildPlanned(job=job, step=step, workflow=workflow):
            return Say(f"{job}/{step} runs the workflow {workflow}.", "dim")
        case ChildApplied(job=job, step=step, error=None):
            return Say(f"{job}/{step} succeeded{_after(run, event)}.", "good")
        case ChildApplied(job=job, step=step, error=StepError() as error, allowed=allowed):
            return _failed(f"{job}/{step}", _after(run, event), allowed, error.message)
        case _:
            return _of_run(event)


StepEvent = StepExpanded | StepStarted | StepSucceeded | StepFailed | StepSkipped | StepReset


def _of_step(run: RunState, event: StepEvent) -> Say | None:
    step = f"{event.job}/{event.step}"
    match event:
        case StepExpanded(items=[]):
            return Say(f"{step} has no items.", "dim")
        case StepExpanded(items=items):
            return Say(f"{step} has {len(items)} item{'s' if len(items) > 1 else ''}.", "dim")
        case StepStarted():
            return Say(f"{step} started.", "dim")
        case StepSucceeded():
            return Say(f"{step} succeeded{_after(run, event)}.", "good")
        case StepFailed(error=error, allowed=allowed):
            return _failed(step, _after(run, event), allowed, error.message)
        case StepSkipped(reason=reason):
            return Say(f"{step} was skipped: {reason}", "dim")
        case StepReset(reason=reason):
            return Say(f"{step} is to run again: {reason}", "warn")


def _of_wait(run: RunState, event: WaitOpened | WaitApplied) -> Say:
    step = f"{event.job}/{event.step}"
    match event:
        case WaitOpened(wait_id=wait_id):
            wait = run.waits.get(wait_id)
            what = "an approval" if wait is not None and wait.kind == "approval" else "a signal"
            return Say(f"{step} waits for {what}.", "warn")
        case WaitApplied(application=SignalApplied(receipt=receipt)):
            return Say(f"{step} has its signal, submitted by {receipt.submitted_by}.", "good")
        case WaitApplied(application=ApprovalApplied(decision=decision)):
            return Say(f"{step} was approved by {decision.by}{_because(decision.reason)}", "good")
        case WaitApplied(
            application=RejectionApplied(error=error, allowed=allowed)
            | FailureApplied(error=error, allowed=allowed)
        ):
            return _failed(step, "", allowed, error.message)
        case _:
            raise AssertionError(f"`{event.event}` has an application that nobody tells of")


def _of_run(event: Event) -> Say | None:
    match event:
        case RunResumed(by=str(by)):
            return Say(f"{by} resumed the run.", "dim")
        case RunResumed():
            return Say("The run was resumed.", "dim")
        case RunRetried(by=by):
            return Say(f"{by} retried the run.", "dim")
        case RetryAbandoned():
            return Say("A retry of the run was given up before it began.", "warn")
        case CancelRequested(by=by):
            return Say(f"{by} asked for the end of the run.", "warn")
        case GateRejected(job=job, step=step, by=by, reason=reason):
            return Say(f"{by} rejected {job}/{step}{_because(reason)}", "bad")
        case _:
            return None


def _failed(step: str, after: str, allowed: bool, message: str) -> Say:
    if allowed:
        return Say(f"{step} failed{after}, which is allowed: {message}", "warn")
    return Say(f"{step} failed{after}: {message}", "bad")


def _because(reason: str | None) -> str:
    return f": {reason}" if reason else "."


def _after(run: RunState, event: StepSucceeded | StepFailed | ChildApplied) -> str:
    started_at: datetime | None = run.step(event.job, event.step).started_at
    return f" after {exact_length(event.at - started_at)}" if started_at else ""
