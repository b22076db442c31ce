"""Signalling by workflow and key: the wait that holds the key gets the signal, or it is held for the next one."""

from __future__ import annotations

from datetime import timedelta

from swamp_core.app.key_refusals import (
    early_receipt,
    early_signals_full,
    ended_early,
    name_taken,
    no_file_and_no_wait,
    no_open_wait,
    unknown_key,
    unreadable_key,
)
from swamp_core.app.keys import registration_of
from swamp_core.app.refusals import Refused
from swamp_core.app.signal import TAKEN_ONCE, Payload, accepted_view, check_view, message_of, repeat_command
from swamp_core.app.signal_refusals import receipt_view, signal_refused
from swamp_core.app.views import SignalCheckResult, SignalResult
from swamp_core.app.workflows import declared_workflow, unknown_workflow
from swamp_core.app.workspace import Workspace
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.records.families import Hold, Registration
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.waits import by_key
from swamp_core.waits.by_key import (
    Delivered,
    Full,
    NameTaken,
    NoOpenWait,
    NotUsed,
    RefusedBy,
    SignalByKey,
    Stored,
)
from swamp_core.waits.checking import WouldTake
from swamp_core.waits.checking_by_key import WouldHold, check_by_key
from swamp_core.waits.claiming import Held, find_holder
from swamp_core.waits.opening import hold_of
from swamp_core.workflow.definition import WaitForSignal
from swamp_core.workflow.fields import TIMEOUT_MAX_S, TIMEOUT_MIN_S, name_problem


def signal_by_key(
    workspace: Workspace,
    workflow: str,
    key: str,
    payload: Payload,
    *,
    idempotency_key: str | None = None,
    ttl: timedelta | None = None,
) -> SignalResult:
    """Give a payload to the wait that holds the key, or hold it for the next wait that claims it, for `ttl`.

    Repeating it with the same idempotency key and payload tells what became of it. Raises `Refused` with one of the
    codes of a refused signal, and `StoreError`; after `OutcomeUnknown` or `StoreUnavailable` the error's hint ends with
    the command that repeats the signal safely.
    """
    sent, declared = _sent(workspace, workflow, key, payload, idempotency_key, ttl)
    on_its_way: list[str | None] = []
    try:
        answer = workspace.execute(by_key.signal_by_key(sent, workspace.ambient.clock.now, on_its_way.append))
    except (OutcomeUnknown, StoreUnavailable) as error:
        wait_id = on_its_way[-1] if on_its_way else None
        addressed = (wait_id,) if wait_id else ("--workflow", workflow, "--key", key)
        error.advise(TAKEN_ONCE + repeat_command(workspace, sent.signal, *addressed))
        raise
    match answer:
        case Delivered(outcome=outcome, again=again):
            over = again and workspace.store.get(keys.registration(outcome.wait_id)) is None
            return accepted_view(workspace, outcome, "repeated" if again else "accepted", over=over)
        case Stored(signal=signal):
            return SignalResult(
                status="held",
                workflow=signal.workflow,
                key=signal.key_name,
                receipt=early_receipt(signal),
                expires_at=signal.expires_at,
                awaiting_resume=False,
            )
        case _:
            raise _refused(workspace, sent, answer, declared)


def check_signal_by_key(
    workspace: Workspace,
    workflow: str,
    key: str,
    payload: Payload,
    *,
    idempotency_key: str | None = None,
    ttl: timedelta | None = None,
) -> SignalCheckResult:
    """What `signal_by_key` would do now. It writes nothing, and raises what that would raise."""
    sent, declared = _sent(workspace, workflow, key, payload, idempotency_key, ttl)
    answer = workspace.execute(check_by_key(sent, workspace.ambient.clock.now()))
    match answer:
        case WouldTake(registration=wait):
            return check_view(wait, "would_accept")
        case Delivered(outcome=outcome):
            return check_view(outcome, "would_repeat", receipt_view(outcome.receipt))
        case WouldHold():
            return SignalCheckResult(status="would_hold", workflow=workflow, key=key, receipt=None)
        case Stored(signal=signal):
            receipt = early_receipt(signal)
            return SignalCheckResult(status="would_repeat", workflow=workflow, key=key, receipt=receipt)
        case _:
            raise _refused(workspace, sent, answer, declared)


def find_open_holder(workspace: Workspace, workflow: str, key: str) -> Registration | None:
    """The wait that a signal by this key would go to now, if one holds the key."""
    if name_problem(workflow) or name_problem(key):
        return None
    holder = workspace.execute(find_holder(workflow, key, workspace.ambient.clock.now()))
    return workspace.execute(registration_of(holder.claim)) if isinstance(holder, Held) else None


def _sent(
    workspace: Workspace,
    workflow: str,
    key: str,
    payload: Payload,
    idempotency_key: str | None,
    ttl: timedelta | None,
) -> tuple[SignalByKey, dict[str, WaitForSignal] | None]:
    """The signal, and the steps of the workflow by their keys; None where there is no such file here."""
    signal = message_of(workspace, payload, idempotency_key)
    if name_problem(workflow):
        raise unknown_workflow(workspace, workflow)
    file = declared_workflow(workspace, workflow)
    declared = {each: task for each, (_, task) in file.keyed_waits().items()} if file else None
    if name_problem(key):
        raise unknown_key(workspace, workflow, key, sorted(declared or {}))
    if ttl is not None and not TIMEOUT_MIN_S <= ttl.total_seconds() <= TIMEOUT_MAX_S:
        raise Refused("invalid_input", "A signal is held for one second to one year.")
    hold = (hold_of(declared[key]) or Hold()) if declared and key in declared else None
    return (
        SignalByKey(
            workflow=workflow,
            key=key,
            signal=signal,
            is_named=idempotency_key is not None,
            hold=hold,
            ttl_s=ttl.total_seconds() if ttl else None,
        ),
        declared,
    )


def _refused(
    workspace: Workspace,
    sent: SignalByKey,
    answer: NotUsed | NameTaken | NoOpenWait | Full | RefusedBy | Unreadable,
    declared: dict[str, WaitForSignal] | None,
) -> Refused:
    match answer:
        case NotUsed(signal=signal, reason=reason):
            return ended_early(workspace, signal, reason)
        case NameTaken(signal=signal):
            return name_taken(signal)
        case NoOpenWait(is_claimed=False) if declared is None:
            return no_file_and_no_wait(workspace, sent.workflow, sent.key)
        case NoOpenWait(is_claimed=False) if declared is not None and sent.key not in declared:
            return unknown_key(workspace, sent.workflow, sent.key, sorted(declared))
        case NoOpenWait():
            return no_open_wait(workspace, sent.workflow, sent.key)
        case Full(held=held):
            return early_signals_full(workspace, sent.workflow, sent.key, held)
        case RefusedBy(wait_id=wait_id, answer=why):
            return signal_refused(workspace, wait_id, why)
        case Unreadable():
            return unreadable_key(workspace, sent.workflow, sent.key, answer)
