"""How an accepted signal is told."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.views import SignalCheckResult, SignalResult
from swamp_core.cli.parts import Copy, Facts, Part, Say
from swamp_core.cli.times import moment


def signal_parts(result: SignalResult) -> Iterator[Part]:
    """The receipt, and the command that makes the run go on."""
    yield from receipt_parts(result)
    if result.status == "held":
        return
    if result.awaiting_resume and result.resume_command:
        yield Say("The run goes on when it is resumed:")
        yield Copy(result.resume_command)
    else:
        yield Say("The run is over.")


def check_parts(result: SignalCheckResult) -> Iterator[Part]:
    """What the signal would come to."""
    step = _addressed(result)
    if result.receipt is not None:
        before = "is held" if result.step is None else "was accepted before"
        yield Say(f"The signal for {step} {before}; sent again it would get this receipt:", "good")
        yield Copy(result.receipt.id)
    elif result.status == "would_hold":
        yield Say(f"The signal for {step} would be held for the next wait. Nothing was sent.", "good")
    else:
        yield Say(f"The signal for {step} would be accepted. Nothing was sent.", "good")


def receipt_parts(result: SignalResult) -> Iterator[Part]:
    """The receipt."""
    step = _addressed(result)
    receipt = result.receipt
    match result.status:
        case "repeated":
            yield Say(f"The signal for {step} had been accepted before; this is its receipt of then.", "good")
        case "held":
            yield Say(f"The signal is held for {step}, until a wait takes it or its time is over.", "good")
        case "accepted":
            yield Say(f"The signal for {step} is accepted.", "good")
    yield Copy(receipt.id)
    rows = {
        "wait": result.wait_id,
        "received": moment(receipt.received_at),
        "taken": moment(receipt.taken_at) if receipt.taken_at else None,
        "held until": moment(result.expires_at) if result.expires_at else None,
        "submitted by": receipt.submitted_by,
        "idempotency key": receipt.idempotency_key,
    }
    yield Facts(tuple((name, value) for name, value in rows.items() if value is not None))


def _addressed(result: SignalResult | SignalCheckResult) -> str:
    """The step that the signal is for, or the key while no wait has it."""
    if result.step is None:
        return f"the key {result.key} of {result.workflow}"
    return f"{result.job}/{result.step} of {result.workflow}"
