"""The refusals of a signal, each with the code and the sentences of what the wait answered."""

from __future__ import annotations

from pydantic import JsonValue

from swamp_core.app.refusals import Refused
from swamp_core.app.views import ReceiptView
from swamp_core.app.workspace import Workspace
from swamp_core.records.base import Unreadable, instant_text
from swamp_core.records.families import Receipt
from swamp_core.waits.settling import UnknownWait
from swamp_core.waits.signals import (
    AlreadySettled,
    Closed,
    Expired,
    IdempotencyConflict,
    InvalidPayload,
    NoSignalWanted,
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


def signal_refused(workspace: Workspace, wait_id: str, answer: Refusal) -> Refused:
    """The refusal of a signal that was not taken, as this answer says."""
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
    details = {"waitId": wait_id, "receipt": receipt_view(receipt).to_json()}
    if conflict:
        message = f"Under this idempotency key the wait {wait_id} accepted another payload. {stored}"
        return Refused(
            "idempotency_conflict", message, hint="Give another signal another key.", details=details
        )
    message = f"The wait {wait_id} has accepted another signal already. {stored}"
    return Refused(
        "already_settled", message, hint="A wait has one outcome; nothing is left to do.", details=details
    )


def receipt_view(receipt: Receipt) -> ReceiptView:
    """The receipt as it is shown."""
    return ReceiptView.model_validate(receipt.model_dump())
