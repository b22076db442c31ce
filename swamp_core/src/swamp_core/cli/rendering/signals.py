"""How an accepted signal is told."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.views import SignalCheckResult, SignalResult
from swamp_core.cli.parts import Copy, Facts, Part, Say
from swamp_core.cli.times import moment


def signal_parts(result: SignalResult) -> Iterator[Part]:
    """The receipt, and the command that makes the run go on."""
    yield from receipt_parts(result)
    if result.awaiting_resume:
        yield Say("The run goes on when it is resumed:")
        yield Copy(result.resume_command)
    else:
        yield Say("The run is over.")


def check_parts(result: SignalCheckResult) -> Iterator[Part]:
    """What the signal would come to."""
    step = f"{result.job}/{result.step} of {result.workflow}"
    if result.receipt is not None:
        yield Say(f"The signal for {step} was accepted before; sent again it would get this receipt:", "good")
        yield Copy(result.receipt.id)
    else:
        yield Say(f"The signal for {step} would be accepted. Nothing was sent.", "good")


def receipt_parts(result: SignalResult) -> Iterator[Part]:
    """The receipt."""
    step = f"{result.job}/{result.step} of {result.workflow}"
    receipt = result.receipt
    if result.status == "repeated":
        yield Say(f"The signal for {step} had been accepted before; this is its receipt of then.", "good")
    else:
        yield Say(f"The signal for {step} is accepted.", "good")
    yield Copy(receipt.id)
    yield Facts(
        (
            ("wait", result.wait_id),
            ("received", moment(receipt.received_at)),
            ("submitted by", receipt.submitted_by),
            ("idempotency key", receipt.idempotency_key),
        )
    )
