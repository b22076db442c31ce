"""The records of a signal that is held for the next wait under a key: the signal, its sender's name for it, its takes.

1. A signal stands under the ID of its receipt, and its takes beside it, so that no key of one is used again (rule 6).
2. The name says which signal an idempotency key stands for. It is made first, so that a repeat finds it, and stores
   the same signal again where its sender did not come to that.
3. A take says which wait has the signal; the highest counts. An end is a take that nothing follows: it says what the
   signal came to, and stays when the signal is gone, so that one which is stored late is not used again.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from swamp_core.records import keys
from swamp_core.records.base import Instant, Model, Record
from swamp_core.records.families import Accepted, Outcome, Receipt
from swamp_core.records.fields import Number, Payload, Segment, WaitKey

EndReason = Literal["used", "expired", "discarded"]


class EarlySignal(Record):
    """A signal that is held for the next wait under a key. Of those that are held the lowest `place` is the oldest."""

    kind: Literal["early-signal"] = "early-signal"
    workflow: Segment
    key_name: WaitKey = Field(alias="key")
    signal_id: Segment
    place: Annotated[int, Field(ge=1, le=keys.NUMBER_MAX)]
    payload: Payload
    received_at: Instant
    submitted_by: str
    idempotency_key: str
    expires_at: Instant

    def key(self) -> str:
        """See `Record.key`."""
        return keys.early_signal(self.workflow, self.key_name, self.signal_id)

    def has_expired(self, now: datetime) -> bool:
        """Whether its time is over; at the very instant it is."""
        return now >= self.expires_at


class EarlyName(Record):
    """Which signal a sender's idempotency key stands for, under a key of a workflow."""

    kind: Literal["early-name"] = "early-name"
    signal: EarlySignal

    def key(self) -> str:
        """See `Record.key`."""
        return keys.early_name(self.signal.workflow, self.signal.key_name, self.signal.idempotency_key)


class Use(Model):
    """The wait that has a signal, and since when."""

    wait_id: Segment
    run_id: Segment
    job: str
    step: str
    taken_at: Instant


class _Numbered(Record):
    workflow: Segment
    key_name: WaitKey = Field(alias="key")
    signal_id: Segment
    number: Number

    def key(self) -> str:
        """See `Record.key`."""
        return keys.early_take(self.workflow, self.key_name, self.signal_id, self.number)


class EarlyTake(_Numbered):
    """That a wait has a signal, unless the wait comes to something else."""

    kind: Literal["early-take"] = "early-take"
    use: Use
    mark: Number

    def mark_key(self) -> str:
        """The key of the mark that must be there for the take to count."""
        return keys.mark(self.workflow, self.use.run_id, self.mark)


class EarlyEnd(_Numbered):
    """What a signal came to, whose time is over at `expires_at`: a wait used it, or no wait will."""

    kind: Literal["early-end"] = "early-end"
    reason: EndReason
    use: Use | None = None
    expires_at: Instant


EARLY_TAKE: TypeAdapter[EarlyTake | EarlyEnd] = TypeAdapter(
    Annotated[EarlyTake | EarlyEnd, Field(discriminator="kind")]
)
"""Reads what stands under a number of a held signal."""


def accepted(signal: EarlySignal, use: Use) -> Accepted:
    """The outcome of the wait that uses a held signal: the same one, whoever makes it."""
    receipt = Receipt(
        id=signal.signal_id,
        wait_id=use.wait_id,
        received_at=signal.received_at,
        submitted_by=signal.submitted_by,
        idempotency_key=signal.idempotency_key,
        taken_at=use.taken_at,
    )
    return Accepted(
        wait_id=use.wait_id,
        workflow=signal.workflow,
        run_id=use.run_id,
        job=use.job,
        step=use.step,
        at=use.taken_at,
        receipt=receipt,
        payload=signal.payload,
        key_name=signal.key_name,
    )


def use_in(outcome: Accepted) -> Use:
    """Which wait used the signal that its outcome is."""
    return Use(
        wait_id=outcome.wait_id,
        run_id=outcome.run_id,
        job=outcome.job,
        step=outcome.step,
        taken_at=outcome.at,
    )


def is_use_of(signal_id: str, outcome: Outcome) -> bool:
    """Whether the outcome is that the wait used this signal."""
    return isinstance(outcome, Accepted) and outcome.receipt.id == signal_id
