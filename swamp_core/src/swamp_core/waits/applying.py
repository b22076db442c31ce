"""Taking up the outcomes of a run's waits and gates: what a stored outcome means for the step that waited.

The payload is checked again against the captured schema: other writers reach the store. An outcome that cannot be
read, names another run or fails the schema fails the step with `wait_unreadable`; it exists, so no signal can win
any more. It is never accepted and never ignored.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from swamp_core.journal.appending import is_removed
from swamp_core.payload.schema import violations
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Reading, Unreadable, read_record
from swamp_core.records.families import (
    OUTCOME,
    Accepted,
    Approved,
    Cancelled,
    Decision,
    Outcome,
    Rejected,
    TimedOut,
)
from swamp_core.run.events import ApprovalApplied, FailureApplied, SignalApplied, StepError
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent, Together
from swamp_core.waits.delivering import deliver
from swamp_core.waits.opening import registration_of


@dataclass(frozen=True, slots=True)
class StillOpen:
    """No outcome yet, and the deadline has not passed."""


@dataclass(frozen=True, slots=True)
class Overdue:
    """No outcome yet, but the deadline has passed: settle it as timed out, then look again."""


@dataclass(frozen=True, slots=True)
class Rejection:
    """The gate was rejected: the run is to end as failed, running nothing more."""

    decision: Decision


@dataclass(frozen=True, slots=True)
class Unanswered:
    """It was closed, and nobody had answered it: by the end of its run, or by a later run that was to supersede it."""


Application = SignalApplied | ApprovalApplied | FailureApplied | Rejection | Unanswered
Judgement = Application | StillOpen | Overdue


def decide_application(
    run_id: str, wait_id: str, wait: WaitState, outcome: Reading[Outcome], now: datetime
) -> Judgement:
    """What the step that waits is given. At the very deadline the wait is overdue."""
    match outcome:
        case Absent():
            return Overdue() if wait.is_overdue(now) else StillOpen()
        case Unreadable(key=key, reason=reason):
            return _unreadable(wait_id, f"The outcome under `{key}` cannot be read: {reason}.")
        case Found(record=record):
            return _application(run_id, wait_id, wait, record)
    raise AssertionError(f"{outcome} is no reading of an outcome")


def _application(run_id: str, wait_id: str, wait: WaitState, outcome: Outcome) -> Application:
    if outcome.run_id != run_id:
        return _unreadable(wait_id, f"The outcome of wait {wait_id} names another run, {outcome.run_id}.")
    match outcome:
        case Accepted() if wait.kind == "signal":
            return _signal(wait_id, wait, outcome)
        case Approved(decision=decision) if wait.kind == "approval":
            return ApprovalApplied(decision=decision)
        case Rejected(decision=decision) if wait.kind == "approval":
            return Rejection(decision)
        case TimedOut():
            return _timed_out(wait_id, wait)
        case Cancelled():
            return Unanswered()
        case _:
            return _unreadable(wait_id, f"The outcome of wait {wait_id} is one of another kind of wait.")


def _signal(wait_id: str, wait: WaitState, outcome: Accepted) -> Application:
    problems = violations(wait.payload_schema or {}, outcome.payload)
    if outcome.receipt.wait_id != wait_id or problems:
        told = "; ".join(problems)
        return _unreadable(wait_id, f"The stored signal of wait {wait_id} does not fit the wait: {told}.")
    return SignalApplied(receipt=outcome.receipt, payload=outcome.payload)


def judge_waits(
    run: RunState, now: datetime, *, closed: Collection[str] = ()
) -> Protocol[dict[str, Judgement]]:
    """What each wait that a step of the run waits for has come to; settles nothing. One request a wait.

    Those that the caller has just `closed` are not asked for: they are unanswered.
    """
    waits = {wait_id: wait for wait_id, wait in run.waiting().items() if wait_id not in closed}
    found: list[bytes | None] = yield Together(tuple(Get(keys.outcome(wait_id)) for wait_id in waits))
    judged: dict[str, Judgement] = {wait_id: Unanswered() for wait_id in closed}
    for (wait_id, wait), data in zip(waits.items(), found, strict=True):
        judged[wait_id] = _judge(run, wait_id, wait, data, now)
    return {wait_id: judged[wait_id] for wait_id in run.waiting()}


def look_at_waits(run: RunState, now: datetime) -> Protocol[dict[str, Application | StillOpen]]:
    """What each wait that a step of the run waits for has come to; overdue ones are settled as timed out.

    One request a wait, one more for each that is open under a key, and two for each overdue one. Settling is for those
    that may: the run's driver, or one that is about to resume it; the append that follows reads the mark. What was
    settled after the run's removal is withdrawn: nobody else would remove it.
    """
    judged = yield from judge_waits(run, now)
    if (yield from _deliver_held(run, judged, now)):
        judged = yield from judge_waits(run, now)
    decided: dict[str, Application | StillOpen] = {}
    settled: list[str] = []
    for wait_id, decision in judged.items():
        wait = run.waits[wait_id]
        if isinstance(decision, Overdue):
            timed_out = TimedOut(
                wait_id=wait_id,
                workflow=run.workflow,
                run_id=run.run_id,
                job=wait.job,
                step=wait.step,
                at=now,
            )
            if (yield PutIfAbsent(timed_out.key(), timed_out.encode())):
                settled.append(timed_out.key())
            decision = _judge(run, wait_id, wait, (yield Get(timed_out.key())), now)
        decided[wait_id] = StillOpen() if isinstance(decision, Overdue) else decision
    if settled and (yield from is_removed(run.run_id)):
        yield Together(tuple(Delete(key) for key in settled))
    return decided


def _deliver_held(run: RunState, judged: dict[str, Judgement], now: datetime) -> Protocol[bool]:
    """Deliver what is held for the keys of open waits: a sender that stored it may have been stopped before that."""
    delivered = False
    for wait_id, judgement in judged.items():
        wait = run.waits[wait_id]
        if isinstance(judgement, StillOpen) and wait.key is not None and wait.status == "opened":
            delivered |= yield from deliver(registration_of(run, wait_id, wait), lambda: now)
    return delivered


def _judge(run: RunState, wait_id: str, wait: WaitState, data: bytes | None, now: datetime) -> Judgement:
    outcome = read_record(OUTCOME, keys.outcome(wait_id), data)
    return decide_application(run.run_id, wait_id, wait, outcome, now)


def _failure(code: str, message: str, wait_id: str) -> FailureApplied:
    return FailureApplied(error=StepError(code=code, message=message, details={"waitId": wait_id}))


def _timed_out(wait_id: str, wait: WaitState) -> FailureApplied:
    if wait.kind == "approval":
        message = f"Nobody decided the gate {wait_id} before its deadline."
        return _failure("approval_timeout", message, wait_id)
    return _failure("wait_timeout", f"No signal arrived for the wait {wait_id} before its deadline.", wait_id)


def _unreadable(wait_id: str, message: str) -> FailureApplied:
    return _failure("wait_unreadable", message, wait_id)
