"""What the waits of a run came to, as events of its journal: the same whoever writes them, a driver or a canceller.

1. A signal that was accepted and a gate that was approved have made their step succeed, however the run ends.
2. A rejected gate has failed its step, and is the reason why the run is to end, unless that has another already.
3. A wait that was closed without an answer has failed its step, cut off by the end of the run. Where the run is not to
   end, a supersede closed a gate of it and left it at that (`superseding`): the step is reset, the gate asked again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from swamp_core.engine.moves import WHY_GIVEN_UP
from swamp_core.engine.plan import Plan
from swamp_core.journal.ending import close_waits
from swamp_core.records.families import Decision
from swamp_core.run.events import (
    ApprovalApplied,
    Event,
    FailureApplied,
    GateRejected,
    RejectionApplied,
    SignalApplied,
    StepError,
    StepReset,
    WaitApplied,
)
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.operations import Protocol
from swamp_core.waits.applying import Application, Overdue, Rejection, StillOpen, Unanswered, judge_waits

WHY_ASKED_AGAIN = "A later run had begun to take the place of this one, and left it: the gate is asked again."


def answered(
    plan: Plan, run: RunState, applications: Mapping[str, Application], now: datetime
) -> list[Event]:
    """The events that these applications are; if one is a rejection, and the run is not to end yet, that it is."""
    rejections = [_rejected(run, each, now) for each in applications.items() if run.cancellation is None]
    first = [each for each in rejections if each is not None][:1]
    ending = bool(first) or run.cancellation is not None
    applied = [
        _applied(plan, run, wait_id, application, now, ending=ending)
        for wait_id, application in applications.items()
    ]
    return [*first, *applied]


def close_open_waits(run: RunState, now: datetime) -> Protocol[dict[str, Application]]:
    """Close every wait that a step of the run waits for, and say what each has come to: an answer is never replaced.

    One request a wait, and one more for each that has an outcome already.
    """
    if not run.waiting():
        return {}
    closed = yield from close_waits(run, run.waiting(), now)
    judged = yield from judge_waits(run, now, closed=closed)
    # An outcome that has gone since its create was lost went with the run; nobody will take this for an answer.
    return {
        wait_id: Unanswered() if isinstance(each, StillOpen | Overdue) else each
        for wait_id, each in judged.items()
    }


def _rejected(run: RunState, settled: tuple[str, Application], now: datetime) -> GateRejected | None:
    wait_id, application = settled
    if not isinstance(application, Rejection):
        return None
    wait, decision = run.waits[wait_id], application.decision
    return GateRejected(
        at=now, job=wait.job, step=wait.step, wait_id=wait_id, by=decision.by, reason=decision.reason
    )


def _applied(
    plan: Plan, run: RunState, wait_id: str, application: Application, now: datetime, *, ending: bool
) -> Event:
    wait = run.waits[wait_id]
    if isinstance(application, Unanswered) and wait.kind == "approval" and not ending:
        return StepReset(at=now, job=wait.job, step=wait.step, reason=WHY_ASKED_AGAIN)
    allowed = plan.step(run, (wait.job, wait.step)).allow_failure
    what = _outcome(wait_id, wait, application, allowed=allowed, ending=ending)
    return WaitApplied(at=now, job=wait.job, step=wait.step, wait_id=wait_id, application=what)


def _outcome(
    wait_id: str, wait: WaitState, application: Application, *, allowed: bool, ending: bool
) -> SignalApplied | ApprovalApplied | RejectionApplied | FailureApplied:
    match application:
        case FailureApplied():
            return application.model_copy(update={"allowed": allowed})
        case Rejection(decision=decision):
            error = _failure("approval_rejected", _told(decision))
            return RejectionApplied(decision=decision, error=error, allowed=allowed)
        case Unanswered():
            message = WHY_GIVEN_UP if ending else f"The wait {wait_id} was closed before it was settled."
            error = _failure("cancelled", message)
            return FailureApplied(error=error, allowed=allowed, cut_off=ending)
        case _:
            return application


def _told(decision: Decision) -> str:
    return f"{decision.by} rejected it{f': {decision.reason}' if decision.reason else '.'}"


def _failure(code: str, message: str) -> StepError:
    return StepError(code=code, message=message)
