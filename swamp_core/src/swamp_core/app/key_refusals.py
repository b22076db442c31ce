"""The refusals of a signal by workflow and key, each with its code and sentences."""

from __future__ import annotations

from swamp_core.app.refusals import Refused
from swamp_core.app.views import ReceiptView
from swamp_core.app.workflows import unknown_workflow
from swamp_core.app.workspace import Workspace
from swamp_core.records import keys
from swamp_core.records.base import Unreadable, instant_text
from swamp_core.records.early import EarlySignal, EndReason
from swamp_core.workflow.problems import did_you_mean, quoted


def unknown_key(workspace: Workspace, workflow: str, key: str, declared: list[str]) -> Refused:
    """The refusal of a key that no step of the workflow declares."""
    return Refused(
        "unknown_key",
        f"No step of the workflow {workflow} declares the key {quoted(key)}{did_you_mean(key, declared)}",
        hint=f"The keys, and who holds them, are listed by:\n{_keys(workspace, workflow)}",
        details={"workflow": workflow, "key": key, "known": [*declared]},
    )


def no_file_and_no_wait(workspace: Workspace, workflow: str, key: str) -> Refused:
    """The refusal on a host without the workflow's file, where no wait tells how a signal is to be held."""
    unknown = unknown_workflow(workspace, workflow)
    return Refused(
        "unknown_workflow",
        f"No unfinished run waits, or has waited, under the key {quoted(key)}. {unknown.message}",
        hint="Send it once a run waits, or from a host that has the file. Those that this one has are listed by:\n"
        + workspace.command("workflow", "list"),
        details=unknown.details,
    )


def no_open_wait(workspace: Workspace, workflow: str, key: str) -> Refused:
    """The refusal of a signal that no wait takes now, for a key whose step wants none held."""
    return Refused(
        "no_open_wait",
        f"No open wait of {workflow} holds the key `{key}`, and its step wants no signal held (`earlySignals: false`).",
        hint=f"Send it again once a run waits for it. Who holds the key is shown by:\n{_keys(workspace, workflow)}",
        details={"workflow": workflow, "key": key},
    )


def early_signals_full(workspace: Workspace, workflow: str, key: str, held: int) -> Refused:
    """The refusal of a signal for a key for which as many are held as may be."""
    return Refused(
        "early_signals_full",
        f"No open wait of {workflow} takes the signal, and {held} are held for the key `{key}` already.",
        hint=f"They are listed, and discarded, with:\n{_held(workspace, workflow, key)}",
        details={"workflow": workflow, "key": key, "held": held},
    )


def unreadable_key(workspace: Workspace, workflow: str, key: str, reading: Unreadable) -> Refused:
    """The refusal of a signal for a key of which something cannot be read."""
    hint = "Send it under another idempotency key."
    if keys.claim_family(reading.key):
        release = workspace.command("workflow", "keys", workflow, "--release", key)
        hint = f"Clear what stands under the key with:\n{release}"
    return Refused(
        "unreadable",
        f"The record `{reading.key}` cannot be read, so the signal was not taken: {reading.reason}.",
        hint=hint,
        details={"workflow": workflow, "key": key, "record": reading.key, "reason": reading.reason},
    )


def ended_early(workspace: Workspace, signal: EarlySignal, reason: EndReason) -> Refused:
    """The refusal of a repeat of a signal that was held, and that no wait will have."""
    details = {**_details(signal), "receipt": early_receipt(signal).to_json()}
    if reason == "expired":
        return Refused(
            "expired",
            f"This signal was held until {instant_text(signal.expires_at)}, and no wait took it.",
            hint="Send it under another idempotency key.",
            details=details,
        )
    return Refused(
        "closed",
        f"This signal, of {instant_text(signal.received_at)}, was discarded before a wait took it.",
        hint="If a wait is to have it after all, send it under another idempotency key. What is held is listed by:\n"
        + _held(workspace, signal.workflow, signal.key_name),
        details=details,
    )


def name_taken(signal: EarlySignal) -> Refused:
    """The refusal of a signal whose idempotency key was given to another payload."""
    return Refused(
        "idempotency_conflict",
        f"Under this idempotency key another payload was sent to the key `{signal.key_name}` of {signal.workflow}: "
        f"receipt {signal.signal_id}, of {instant_text(signal.received_at)}, submitted by {signal.submitted_by}.",
        hint="Give another signal another key.",
        details={**_details(signal), "receipt": early_receipt(signal).to_json()},
    )


def early_receipt(signal: EarlySignal) -> ReceiptView:
    """The receipt of a signal that no wait has taken."""
    return ReceiptView(
        id=signal.signal_id,
        wait_id=None,
        received_at=signal.received_at,
        submitted_by=signal.submitted_by,
        idempotency_key=signal.idempotency_key,
    )


def _details(signal: EarlySignal) -> dict[str, str]:
    return {"workflow": signal.workflow, "key": signal.key_name}


def _keys(workspace: Workspace, workflow: str) -> str:
    return workspace.command("workflow", "keys", workflow)


def _held(workspace: Workspace, workflow: str, key: str) -> str:
    return workspace.command("workflow", "early-signals", "--workflow", workflow, "--key", key)
