"""One journal entry, and a journal as its reader holds it: pure.

A run is its entries 1, 2, 3, …, each created on the next number. An entry carries a full snapshot once the events
since the last one outweigh it, so that reading is one snapshot and a short tail, and the bytes written grow
linearly with the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Literal

from pydantic import Field

from swamp_core.records import keys
from swamp_core.records.base import Record
from swamp_core.records.fields import Number, Segment
from swamp_core.run.events import Event
from swamp_core.run.state import RunState
from swamp_core.run.transitions import ImpossibleEvent, fold
from swamp_core.store.keys import RECORD_BYTES_MAX

EVENTS_BYTES_MAX = 8 * 1024 * 1024
"""The weight of events that one entry takes; more, such as the payloads of hundreds of waits, go into several."""

_ENVELOPE_BYTES_MAX = 4096
"""What an entry weighs at most beside its events and its snapshot."""


class Entry(Record):
    """Events that became facts together. `snapshot_at` is the newest entry, up to this one, that has a snapshot."""

    kind: Literal["journal-entry"] = "journal-entry"
    run_id: Segment
    number: Number
    entry_id: str
    owner: str
    snapshot_at: Number | None = None
    events: list[Event] = Field(min_length=1)
    snapshot: RunState | None = None

    def key(self) -> str:
        """See `Record.key`."""
        return keys.entry(self.run_id, self.number)


@dataclass(frozen=True, slots=True)
class Journal:
    """A run's journal up to entry `number`, folded.

    `tail_bytes` is the weight of the events since the newest snapshot, which stands at `snapshot_at`;
    `snapshot_bytes` is what a snapshot is known to weigh at least, so that none is built in vain.
    """

    run_id: str
    state: RunState | None = None
    number: int = 0
    snapshot_at: int | None = None
    tail_bytes: int = 0
    snapshot_bytes: int = field(default=0, compare=False)

    @property
    def run(self) -> RunState:
        """The run's state; only of a journal that has an entry."""
        if self.state is None:
            raise ImpossibleEvent(f"the journal of run {self.run_id} is empty")
        return self.state

    def followed_by(self, entry: Entry) -> Journal:
        """The journal with the next entry. Raises `ImpossibleEvent` when it does not follow."""
        if entry.number != self.number + 1 or entry.run_id != self.run_id:
            raise ImpossibleEvent(
                f"entry {entry.number} of {entry.run_id} does not follow entry {self.number}"
            )
        state = _of_run(entry, fold(self.state, entry.events))
        weight = events_bytes(entry.events)
        if entry.snapshot is None:
            return replace(self, state=state, number=entry.number, tail_bytes=self.tail_bytes + weight)
        return Journal(
            run_id=self.run_id,
            state=state,
            number=entry.number,
            snapshot_at=entry.number,
            snapshot_bytes=snapshot_bytes(entry.snapshot),
        )


def in_entries(events: list[Event]) -> list[list[Event]]:
    """The events as they go into as few entries as hold them, in their order; one at least, which may be empty."""
    if len(events) < 2 or events_bytes(events) <= EVENTS_BYTES_MAX:
        return [events]
    half = len(events) // 2
    return in_entries(events[:half]) + in_entries(events[half:])


def from_snapshot(entry: Entry) -> Journal:
    """The journal up to an entry that has a snapshot, without reading what came before."""
    if entry.snapshot is None:
        raise ImpossibleEvent(f"entry {entry.number} of {entry.run_id} has no snapshot")
    return Journal(
        run_id=entry.run_id,
        state=_of_run(entry, entry.snapshot),
        number=entry.number,
        snapshot_at=entry.number,
        snapshot_bytes=snapshot_bytes(entry.snapshot),
    )


def next_entry(journal: Journal, events: list[Event], *, entry_id: str, owner: str) -> tuple[Entry, Journal]:
    """The entry that adds the events, and the journal with it.

    Raises `ImpossibleEvent` when the run's state does not allow an event: nothing impossible is ever written.
    """
    state = fold(journal.state, events)
    added_bytes = events_bytes(events)
    tail_bytes = journal.tail_bytes + added_bytes
    snapshot = None
    weight = journal.snapshot_bytes
    if state is not None and tail_bytes >= weight:
        weight = snapshot_bytes(state)
        if weight + added_bytes + _ENVELOPE_BYTES_MAX > RECORD_BYTES_MAX:
            weight = 2 * tail_bytes  # It does not fit in a record, and need not be tried again soon.
        elif weight <= tail_bytes:
            snapshot, tail_bytes = state, 0
    number = journal.number + 1
    entry = Entry(
        run_id=journal.run_id,
        number=number,
        entry_id=entry_id,
        owner=owner,
        snapshot_at=number if snapshot else journal.snapshot_at,
        events=events,
        snapshot=snapshot,
    )
    after = Journal(journal.run_id, state, number, entry.snapshot_at, tail_bytes, weight)
    return entry, after


def _of_run(entry: Entry, state: RunState | None) -> RunState:
    if state is None or state.run_id != entry.run_id:
        raise ImpossibleEvent(f"entry {entry.number} of {entry.run_id} tells of another run")
    return state


def events_bytes(events: list[Event]) -> int:
    """What the events weigh as they are stored."""
    return sum(len(event.model_dump_json(exclude_none=True)) for event in events)


def snapshot_bytes(state: RunState) -> int:
    """What a snapshot of the state weighs as it is stored."""
    return len(state.model_dump_json(exclude_none=True))
