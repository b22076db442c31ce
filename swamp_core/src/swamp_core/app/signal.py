"""Signalling a wait. It takes no claim, reads no journal and writes no run; it may be done from any host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import JsonValue

from swamp_core.app.finding import find_wait_id
from swamp_core.app.refusals import Refused
from swamp_core.app.views import ReceiptView, SignalResult
from swamp_core.app.workspace import Workspace
from swamp_core.payload.strict_json import check_value, parse_payload
from swamp_core.payload.values import PayloadError, compact
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, instant_text, read_record
from swamp_core.records.families import Accepted, Receipt, Registration
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.waits.settling import Settled, UnknownWait, signal_wait
from swamp_core.waits.settling import SignalResult as Answer
from swamp_core.waits.signals import (
    AlreadySettled,
    Closed,
    Expired,
    IdempotencyConflict,
    InvalidPayload,
    NoSignalWanted,
    Repeated,
    Signal,
)

IDEMPOTENCY_KEY_CHARACTERS_MAX = 128

Payload = Mapping[str, JsonValue] | str | bytes


def signal(
    workspace: Workspace, wait_id: str, payload: Payload, *, idempotency_key: str | None = None
) -> SignalResult:
    """Give a payload (a mapping, or JSON as text or bytes) to an open wait, and get the receipt.

    `wait_id` may be shortened to a unique beginning. Repeating a signal with the same idempotency key and payload
    gives the same receipt. Raises `Refused` with one of the codes of a refused signal, and `StoreError`; after
    `OutcomeUnknown` or `StoreUnavailable` the error's hint is the command that repeats the signal safely.
    """
    message = _checked(payload)
    ids = workspace.ambient.ids
    named = Signal(
        payload=message,
        idempotency_key=_checked_key(idempotency_key) or ids.random_id(),
        receipt_id=ids.random_id(),
        submitted_by=workspace.ambient.user,
    )
    found = find_wait_id(workspace, wait_id)
    try:
        answer = workspace.execute(signal_wait(found, named, workspace.ambient.clock.now))
    except (OutcomeUnknown, StoreUnavailable) as error:
        repeat = _repeat(workspace, found, named)
        error.hint = f"Repeat the signal; it is then taken once, whatever became of this one:\n{repeat}"
        raise
    return _result(workspace, found, answer)


def read_registration(workspace: Workspace, wait_id: str) -> Registration:
    """The registration of a wait by its whole ID. Raises `Refused` (`unknown_wait`, `unreadable`)."""
    key = keys.registration(wait_id)
    reading = read_record(Registration, key, workspace.store.get(key))
    if isinstance(reading, Found):
        return reading.record
    raise _refusal(workspace, wait_id, reading if isinstance(reading, Unreadable) else UnknownWait())


def _checked(payload: Payload) -> dict[str, JsonValue]:
    try:
        return parse_payload(payload) if isinstance(payload, str | bytes) else check_value(payload)
    except PayloadError as error:
        raise Refused(
            "invalid_payload",
            f"The payload is not accepted: {error.reason}",
            hint="A payload is a JSON object of at most 16 KiB; the wait stays open.",
            details={"rule": error.code},
        ) from error


def _checked_key(idempotency_key: str | None) -> str | None:
    if idempotency_key is None:
        return None
    if not 1 <= len(idempotency_key) <= IDEMPOTENCY_KEY_CHARACTERS_MAX or not idempotency_key.isprintable():
        raise Refused(
            "invalid_input",
            f"An idempotency key has 1 to {IDEMPOTENCY_KEY_CHARACTERS_MAX} printable characters.",
            hint="Use, say, the ID of the build or of the message that the signal stands for.",
        )
    return idempotency_key


def _result(workspace: Workspace, wait_id: str, answer: Answer) -> SignalResult:
    match answer:
        case Settled(outcome=outcome):
            return _accepted(workspace, outcome, "accepted")
        case Repeated(outcome=outcome, over=over):
            return _accepted(workspace, outcome, "repeated", over=over)
        case _:
            raise _refusal(workspace, wait_id, answer)


def _accepted(
    workspace: Workspace, outcome: Accepted, status: Literal["accepted", "repeated"], *, over: bool = False
) -> SignalResult:
    return SignalResult(
        status=status,
        wait_id=outcome.wait_id,
        run_id=outcome.run_id,
        workflow=outcome.workflow,
        job=outcome.job,
        step=outcome.step,
        receipt=_receipt_view(outcome.receipt),
        awaiting_resume=not over,
        resume_command=workspace.command("workflow", "resume", outcome.run_id),
    )


Refusal = (
    UnknownWait
    | Unreadable
    | InvalidPayload
    | AlreadySettled
    | IdempotencyConflict
    | Expired
    | Closed
    | NoSignalWanted
)


def _refusal(workspace: Workspace, wait_id: str, answer: Refusal) -> Refused:
    waits = f"The open waits are listed by:\n{workspace.command('workflow', 'waits')}"
    details: dict[str, JsonValue] = {"waitId": wait_id}
    match answer:
        case UnknownWait():
            return Refused("unknown_wait", f"There is no wait `{wait_id}`.", hint=waits, details=details)
        case Unreadable(key=key, reason=reason):
            return Refused(
                "unreadable",
                f"The record `{key}` cannot be read, so the signal was not taken: {reason}.",
                hint="Cancel the run of this wait, or restore the record from a backup of the store.",
                details={**details, "key": key, "reason": reason},
            )
        case InvalidPayload(problems=problems):
            return Refused(
                "invalid_payload",
                f"The payload does not fit the schema of the wait, which stays open: {' '.join(problems)}",
                hint=f"The schema is shown by:\n{workspace.command('workflow', 'waits', '--json')}",
                details={**details, "problems": list(problems)},
            )
        case Expired(deadline=deadline):
            when = f" at {instant_text(deadline)}" if deadline else ""
            return Refused(
                "expired",
                f"The deadline of the wait {wait_id} has passed{when}.",
                hint=waits,
                details=details,
            )
        case NoSignalWanted():
            gates = workspace.command("workflow", "approvals")
            return Refused(
                "unknown_wait",
                f"`{wait_id}` is a gate: it is approved or rejected, and takes no signal.",
                hint=f"The undecided gates, and how to decide them, are listed by:\n{gates}",
                details=details,
            )
        case Closed():
            return Refused(
                "closed",
                f"The wait {wait_id} was closed without a signal: its run ended, or its step was reset.",
                hint=waits,
                details=details,
            )
        case AlreadySettled(receipt=receipt) | IdempotencyConflict(receipt=receipt):
            return _settled(wait_id, receipt, conflict=isinstance(answer, IdempotencyConflict))


def _settled(wait_id: str, receipt: Receipt, *, conflict: bool) -> Refused:
    stored = f"It is receipt {receipt.id}, of {instant_text(receipt.received_at)}, submitted by {receipt.submitted_by}."
    details = {"waitId": wait_id, "receipt": _receipt_view(receipt).to_json()}
    if conflict:
        message = f"Under this idempotency key the wait {wait_id} accepted another payload. {stored}"
        return Refused(
            "idempotency_conflict", message, hint="Give another signal another key.", details=details
        )
    message = f"The wait {wait_id} has accepted another signal already. {stored}"
    return Refused(
        "already_settled", message, hint="A wait has one outcome; nothing is left to do.", details=details
    )


def _receipt_view(receipt: Receipt) -> ReceiptView:
    return ReceiptView.model_validate(receipt.model_dump())


def _repeat(workspace: Workspace, wait_id: str, named: Signal) -> str:
    payload = compact(named.payload).decode()
    return workspace.command(
        "workflow", "signal", wait_id, "--payload", payload, "--idempotency-key", named.idempotency_key
    )
