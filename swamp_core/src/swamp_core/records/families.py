"""The record families that stand beside the journal: format, run index, mark, registration, outcome, claims of keys.

1. Each is written once and never changed. What two processes could race for is one create of one of these.
2. A wait is open exactly when it is registered, has no outcome, and its run's mark is there.
3. The first outcome of a wait is its only one, whoever writes it.
4. The mark's number is drawn anew for each start and each retry where several may try, so no mark returns after it was
   deleted.
5. A key is held by the wait of its highest claim. A claim counts only if it is still the highest after it was made,
   and the highest is never deleted: a release supersedes it first.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from swamp_core.records import keys
from swamp_core.records.base import Instant, Model, Record
from swamp_core.records.fields import CapturedSchema, Number, Payload, Segment, WaitKey

WaitKind = Literal["signal", "approval"]


class FormatRecord(Record):
    """The store's format; `build` names the build that wrote it, for the message of one that does not know it."""

    kind: Literal["format"] = "format"
    build: str

    def key(self) -> str:
        """See `Record.key`."""
        return keys.FORMAT_KEY


class RunIndex(Record):
    """That a run of a workflow exists: written first of all at its start, removed last."""

    kind: Literal["workflow-run"] = "workflow-run"
    workflow: Segment
    run_id: Segment

    def key(self) -> str:
        """See `Record.key`."""
        return keys.run_index(self.workflow, self.run_id)


class Mark(Record):
    """That a run is unfinished (rule 5): a win counts only while this is there."""

    kind: Literal["mark"] = "mark"
    workflow: Segment
    run_id: Segment
    number: Number

    def key(self) -> str:
        """See `Record.key`."""
        return keys.mark(self.workflow, self.run_id, self.number)


class Hold(Model):
    """For how many seconds a signal is held for a key that no wait holds, and how many are; none where `max` is 0."""

    ttl_s: Annotated[float, Field(alias="ttl", gt=0)] = 3600
    max: Annotated[int, Field(ge=0)] = 16


class Registration(Record):
    """That a wait was opened, with everything that a signaller needs to know of it.

    Only a gate may have no deadline. `parent_run_id` is the run that its run is nested in, for who has to tell apart
    the waits of many such runs.
    """

    kind: Literal["wait"] = "wait"
    wait_id: Segment
    workflow: Segment
    run_id: Segment
    parent_run_id: Segment | None = None
    mark: Number
    job: str
    step: str
    wait_kind: WaitKind
    opened_at: Instant
    deadline: Instant | None = None
    payload_schema: CapturedSchema | None = Field(default=None, alias="schema")
    prompt: str | None = None
    key_name: WaitKey | None = Field(default=None, alias="key")
    hold: Hold | None = None

    def key(self) -> str:
        """See `Record.key`."""
        return keys.registration(self.wait_id)

    def is_overdue(self, now: datetime) -> bool:
        """Whether the deadline has passed; at the very deadline it has."""
        return self.deadline is not None and now >= self.deadline

    def mark_key(self) -> str:
        """The key of the mark that must be there for the wait to be open."""
        return keys.mark(self.workflow, self.run_id, self.mark)


class _Numbered(Record):
    workflow: Segment
    key_name: WaitKey = Field(alias="key")
    number: Number

    def key(self) -> str:
        """See `Record.key`."""
        return keys.claim(self.workflow, self.key_name, self.number)


class Claim(_Numbered):
    """That a wait holds a key, or will hold it once it is registered."""

    kind: Literal["claim"] = "claim"
    wait_id: Segment
    run_id: Segment
    mark: Number
    job: str
    step: str
    deadline: Instant
    hold: Hold | None = None

    def numbered(self, number: int) -> Claim:
        """The same claim under another number."""
        return self.model_copy(update={"number": number})

    def is_overdue(self, now: datetime) -> bool:
        """Whether the deadline of the wait has passed; at the very deadline it has."""
        return now >= self.deadline

    def mark_key(self) -> str:
        """The key of the mark that must be there for the claim to count."""
        return keys.mark(self.workflow, self.run_id, self.mark)


class Release(_Numbered):
    """That the claims of lower numbers count no more."""

    kind: Literal["release"] = "release"


KeyRecord = Claim | Release

KEY_RECORD: TypeAdapter[KeyRecord] = TypeAdapter(Annotated[KeyRecord, Field(discriminator="kind")])
"""Reads what stands under a number of a key."""


class Receipt(Model):
    """What Swamp records of an accepted signal. One that was held until a wait took it has a `taken_at`."""

    id: Segment
    wait_id: str
    received_at: Instant
    submitted_by: str
    idempotency_key: str
    taken_at: Instant | None = None


class Decision(Model):
    """Who decided a gate, when and why. `id` tells the decision from another one like it."""

    id: str
    by: str
    at: Instant
    reason: str | None = None


class _Outcome(Record):
    kind: Literal["wait-outcome"] = "wait-outcome"
    wait_id: Segment
    workflow: Segment
    run_id: Segment
    job: str
    step: str
    at: Instant

    def key(self) -> str:
        """See `Record.key`."""
        return keys.outcome(self.wait_id)


class Accepted(_Outcome):
    """A signal was accepted, by a wait that has this key or none."""

    outcome: Literal["accepted"] = "accepted"
    receipt: Receipt
    payload: Payload
    key_name: WaitKey | None = Field(default=None, alias="key")


class Approved(_Outcome):
    """Somebody approved the gate."""

    outcome: Literal["approved"] = "approved"
    decision: Decision


class Rejected(_Outcome):
    """Somebody rejected the gate."""

    outcome: Literal["rejected"] = "rejected"
    decision: Decision


class TimedOut(_Outcome):
    """The deadline had passed when somebody who may settle it looked."""

    outcome: Literal["timed_out"] = "timed_out"


class Cancelled(_Outcome):
    """The run ended, or the step was reset, before the wait was settled."""

    outcome: Literal["cancelled"] = "cancelled"


Outcome = Accepted | Approved | Rejected | TimedOut | Cancelled

OUTCOME: TypeAdapter[Outcome] = TypeAdapter(Annotated[Outcome, Field(discriminator="outcome")])
"""Reads the outcome of a wait, whichever it is."""
