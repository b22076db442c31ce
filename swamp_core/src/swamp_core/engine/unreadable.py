"""The removal of a run that cannot be read, or that no build can go on with: by all that still tells of it.

It has no state to go by. What its readable entries plan, and what names it among the registrations, outcomes and
claims, is all that is known of it. `run_deleted` is written after whatever stands there, so that a driver which goes on
with the run loses its next append, and a removal that is cut off is finished like any other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.entry import Entry
from swamp_core.journal.owners import named_run
from swamp_core.journal.removal import Begun, delete_together
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import KEY_RECORD, OUTCOME, Accepted, Claim, Registration
from swamp_core.run.events import ChildPlanned, RunDeleted, WaitPlanned
from swamp_core.store.operations import Get, List, Protocol, Together


@dataclass(slots=True)
class Told:
    """The waits, the nested runs and the wait keys of a run, as far as anything tells of them."""

    wait_ids: set[str] = field(default_factory=set)
    child_run_ids: set[str] = field(default_factory=set)
    wait_keys: set[str] = field(default_factory=set)

    def by_entry(self, entry: Entry) -> None:
        """Add what an entry of the run's journal tells."""
        if entry.snapshot is not None:
            self.child_run_ids |= entry.snapshot.children.keys()
            for wait_id, wait in entry.snapshot.waits.items():
                self.by_wait(wait_id, wait.key)
        for event in entry.events:
            if isinstance(event, WaitPlanned):
                self.by_wait(event.wait_id, event.key)
            elif isinstance(event, ChildPlanned):
                self.child_run_ids.add(event.child_run_id)

    def by_wait(self, wait_id: str, key: str | None) -> None:
        """Add a wait, and its key if it has one."""
        self.wait_ids.add(wait_id)
        if key is not None:
            self.wait_keys.add(key)


def begin_unreadable(
    run_id: str, *, now: datetime, entry_id: str, owner: str
) -> Protocol[Begun | Lost | Blocked]:
    """Write that the run is being removed, after its highest entry, whatever that is. On `Lost`, call it again.

    What stands among the entries under no number of one is deleted: it would be taken for the newest.
    """
    told = yield from told_of(run_id)
    listed: list[str] = yield List(keys.entries(run_id))
    numbers = {key: keys.number_of(key.removeprefix(keys.entries(run_id))) for key in listed}
    foreign = [key for key, number in numbers.items() if number is None or number == keys.NUMBER_MAX]
    yield from delete_together(foreign)
    highest = max((number for key, number in numbers.items() if number and key not in foreign), default=0)
    event = RunDeleted(
        at=now,
        wait_ids=sorted(told.wait_ids),
        child_run_ids=sorted(told.child_run_ids),
        wait_keys=sorted(told.wait_keys),
    )
    entry = Entry(run_id=run_id, number=highest + 1, entry_id=entry_id, owner=owner, events=[event])
    written = yield from create_entry(entry)
    return written if isinstance(written, Lost | Blocked) else Begun(event, by_us=True)


def told_of(run_id: str) -> Protocol[Told]:
    """What a run planned, as far as its entries, and what its waits wrote, tell."""
    told = Told()
    for key, data in (yield from _read_all(keys.entries(run_id))):
        reading = read_record(Entry, key, data)
        if isinstance(reading, Found):
            told.by_entry(reading.record)
    for prefix in (keys.WAITS, keys.OUTCOMES):
        for key, data in (yield from _read_all(prefix)):
            if named_run(key, data) == run_id:
                told.by_wait(key.removeprefix(prefix), _key_in(key, data))
    for key, data in (yield from _read_all(keys.WAIT_KEYS)):
        claim = read_record(KEY_RECORD, key, data)
        if isinstance(claim, Found) and isinstance(claim.record, Claim) and claim.record.run_id == run_id:
            told.by_wait(claim.record.wait_id, claim.record.key_name)
    return told


def _key_in(key: str, data: bytes | None) -> str | None:
    """The key of the wait whose registration or outcome this is, as far as that tells it."""
    if key.startswith(keys.WAITS):
        registration = read_record(Registration, key, data)
        return registration.record.key_name if isinstance(registration, Found) else None
    outcome = read_record(OUTCOME, key, data)
    return (
        outcome.record.key_name
        if isinstance(outcome, Found) and isinstance(outcome.record, Accepted)
        else None
    )


def _read_all(prefix: str) -> Protocol[list[tuple[str, bytes | None]]]:
    listed: list[str] = yield List(prefix)
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in listed))
    return list(zip(listed, found, strict=True))
