"""What becomes of a signal: pure decisions on a wait's registration, its outcome, the payload and the time.

Only an open, unexpired wait accepts a signal, and its first outcome is its only one. A signal that was accepted
before the deadline holds after it: the deadline is judged when a signal is taken, never again.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import JsonValue

from swamp_core.payload.schema import violations
from swamp_core.payload.strict_json import same_value
from swamp_core.records.families import (
    Accepted,
    Approved,
    Cancelled,
    Outcome,
    Receipt,
    Registration,
    Rejected,
    TimedOut,
)

Payload = dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Signal:
    """A message on its way to a wait, with what its receipt will say. `payload` has been parsed strictly."""

    payload: Payload
    idempotency_key: str
    receipt_id: str
    submitted_by: str


@dataclass(frozen=True, slots=True)
class Take:
    """The wait may take the signal: create this outcome."""

    outcome: Accepted


@dataclass(frozen=True, slots=True)
class InvalidPayload:
    """The payload does not fit the schema; the wait stays open."""

    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Expired:
    """The deadline has passed, by this host's clock; nothing was settled by saying so."""

    deadline: datetime | None


@dataclass(frozen=True, slots=True)
class AlreadySettled:
    """Another signal was accepted first; this is its receipt."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Repeated:
    """This very signal was accepted before; this is its receipt. `over`: the run has ended since."""

    outcome: Accepted
    over: bool = False


@dataclass(frozen=True, slots=True)
class IdempotencyConflict:
    """Another payload was accepted under the same idempotency key; this is its receipt."""

    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Closed:
    """The run has ended, or the step was reset, without a signal."""


@dataclass(frozen=True, slots=True)
class NoSignalWanted:
    """The wait is a gate: it takes a decision, and no signal."""


def decide_signal(
    registration: Registration, signal: Signal, now: datetime
) -> Take | InvalidPayload | Expired | NoSignalWanted:
    """Whether a wait without an outcome may take the signal. At the very deadline it may not."""
    if registration.wait_kind != "signal":
        return NoSignalWanted()
    if registration.is_overdue(now):
        return Expired(registration.deadline)
    problems = violations(registration.payload_schema or {}, signal.payload)
    if problems:
        return InvalidPayload(tuple(problems))
    receipt = Receipt(
        id=signal.receipt_id,
        wait_id=registration.wait_id,
        received_at=now,
        submitted_by=signal.submitted_by,
        idempotency_key=signal.idempotency_key,
    )
    outcome = Accepted(
        wait_id=registration.wait_id,
        workflow=registration.workflow,
        run_id=registration.run_id,
        job=registration.job,
        step=registration.step,
        at=now,
        receipt=receipt,
        payload=signal.payload,
        key_name=registration.key_name,
    )
    return Take(outcome)


Answer = Repeated | AlreadySettled | IdempotencyConflict | Expired | Closed | NoSignalWanted


def answer_from(outcome: Outcome, signal: Signal) -> Answer:
    """What a signal is told when the wait has this outcome already."""
    match outcome:
        case Accepted(receipt=receipt, payload=payload):
            if receipt.id == signal.receipt_id:
                return Repeated(outcome)
            if receipt.idempotency_key != signal.idempotency_key:
                return AlreadySettled(receipt)
            if same_value(payload, signal.payload):
                return Repeated(outcome)
            return IdempotencyConflict(receipt)
        case TimedOut():
            return Expired(None)
        case Cancelled():
            return Closed()
        case Approved() | Rejected():
            return NoSignalWanted()
