"""Signalling a wait. It takes no claim, reads no journal and writes no run; it may be done from any host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, cast

from pydantic import JsonValue

from swamp_core.app.finding import find_wait_id
from swamp_core.app.refusals import Refused
from swamp_core.app.signal_refusals import receipt_view, signal_refused
from swamp_core.app.views import CheckStatus, ReceiptView, SignalCheckResult, SignalResult
from swamp_core.app.workspace import Workspace
from swamp_core.payload.strict_json import check_value, parse_payload
from swamp_core.payload.values import PayloadError, compact
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.families import Accepted, Registration
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.reads import read
from swamp_core.waits import checking
from swamp_core.waits.checking import WouldTake
from swamp_core.waits.settling import Settled, UnknownWait, signal_wait
from swamp_core.waits.settling import SignalResult as Answer
from swamp_core.waits.signals import Repeated, Signal

IDEMPOTENCY_KEY_CHARACTERS_MAX = 128
TAKEN_ONCE = "Repeat the signal; it is then taken once, whatever became of this one:\n"

Payload = Mapping[str, JsonValue] | str | bytes


def signal(
    workspace: Workspace, wait_id: str, payload: Payload, *, idempotency_key: str | None = None
) -> SignalResult:
    """Give a payload (a mapping, or JSON as text or bytes) to an open wait, and get the receipt.

    `wait_id` may be shortened to a unique beginning. Repeating a signal with the same idempotency key and payload
    gives the same receipt. Raises `Refused` with one of the codes of a refused signal, and `StoreError`; after
    `OutcomeUnknown` or `StoreUnavailable` the error's hint ends with the command that repeats the signal safely.
    """
    named = message_of(workspace, payload, idempotency_key)
    found = find_wait_id(workspace, wait_id)
    try:
        answer = workspace.execute(signal_wait(found, named, workspace.ambient.clock.now))
    except (OutcomeUnknown, StoreUnavailable) as error:
        repeat = repeat_command(workspace, named, found)
        error.advise(TAKEN_ONCE + repeat)
        raise
    return _result(workspace, found, answer)


def check_signal(
    workspace: Workspace, wait_id: str, payload: Payload, *, idempotency_key: str | None = None
) -> SignalCheckResult:
    """Whether `signal` would accept the payload now. It writes nothing, and raises what `signal` would raise."""
    named = message_of(workspace, payload, idempotency_key)
    found = find_wait_id(workspace, wait_id)
    answer = workspace.execute(checking.check_signal(found, named, workspace.ambient.clock.now()))
    match answer:
        case WouldTake(registration=wait):
            status, receipt = "would_accept", None
        case Repeated(outcome=wait):
            status, receipt = "would_repeat", receipt_view(wait.receipt)
        case _:
            raise signal_refused(workspace, found, answer)
    return check_view(wait, cast("CheckStatus", status), receipt)


def check_view(
    wait: Registration | Accepted, status: CheckStatus, receipt: ReceiptView | None = None
) -> SignalCheckResult:
    """What a signal would come to at a wait."""
    return SignalCheckResult(
        status=status,
        wait_id=wait.wait_id,
        run_id=wait.run_id,
        workflow=wait.workflow,
        job=wait.job,
        step=wait.step,
        key=wait.key_name,
        receipt=receipt,
    )


def read_registration(workspace: Workspace, wait_id: str) -> Registration:
    """The registration of a wait by its whole ID. Raises `Refused` (`unknown_wait`, `unreadable`)."""
    key = keys.registration(wait_id)
    reading = read_record(Registration, key, read(workspace.store, key))
    if isinstance(reading, Found):
        return reading.record
    raise signal_refused(workspace, wait_id, reading if isinstance(reading, Unreadable) else UnknownWait())


def message_of(workspace: Workspace, payload: Payload, idempotency_key: str | None) -> Signal:
    """The signal with this payload, and an ID and a name of its own. Raises `Refused`."""
    ids = workspace.ambient.ids
    return Signal(
        payload=_checked(payload),
        idempotency_key=_checked_key(idempotency_key) or ids.random_id(),
        receipt_id=ids.random_id(),
        submitted_by=workspace.ambient.user,
    )


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
            return accepted_view(workspace, outcome, "accepted")
        case Repeated(outcome=outcome, over=over):
            return accepted_view(workspace, outcome, "repeated", over=over)
        case _:
            raise signal_refused(workspace, wait_id, answer)


def accepted_view(
    workspace: Workspace, outcome: Accepted, status: Literal["accepted", "repeated"], *, over: bool = False
) -> SignalResult:
    """The answer to a signal that a wait has; `over`: its run has ended since."""
    return SignalResult(
        status=status,
        wait_id=outcome.wait_id,
        run_id=outcome.run_id,
        workflow=outcome.workflow,
        job=outcome.job,
        step=outcome.step,
        key=outcome.key_name,
        receipt=receipt_view(outcome.receipt),
        awaiting_resume=not over,
        resume_command=workspace.command("workflow", "resume", outcome.run_id),
    )


def repeat_command(workspace: Workspace, named: Signal, *addressed: str) -> str:
    """The command that sends the signal again, to the wait or the key that `addressed` names."""
    payload = compact(named.payload).decode()
    return workspace.command(
        "workflow", "signal", *addressed, "--payload", payload, "--idempotency-key", named.idempotency_key
    )
