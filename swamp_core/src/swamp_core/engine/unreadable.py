"""The removal of a run that cannot be read, or that no build can go on with: by all that still tells of it.

It has no state to go by. What its readable entries plan, and what names it among the registrations and outcomes, is
all that is known of it. `run_deleted` is written after whatever stands there, so that a driver which goes on with the
run loses its next append, and a removal that is cut off is finished like any other.
"""

from __future__ import annotations

from datetime import datetime

from swamp_core.journal.appending import Blocked, Lost, create_entry
from swamp_core.journal.entry import Entry
from swamp_core.journal.owners import named_run
from swamp_core.journal.removal import Begun, delete_together
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.run.events import ChildPlanned, RunDeleted, WaitPlanned
from swamp_core.store.operations import Get, List, Protocol, Together


def begin_unreadable(
    run_id: str, *, now: datetime, entry_id: str, owner: str
) -> Protocol[Begun | Lost | Blocked]:
    """Write that the run is being removed, after its highest entry, whatever that is. On `Lost`, call it again.

    What stands among the entries under no number of one is deleted: it would be taken for the newest.
    """
    wait_ids, child_run_ids = yield from told_of(run_id)
    listed: list[str] = yield List(keys.entries(run_id))
    numbers = {key: keys.number_of(key.removeprefix(keys.entries(run_id))) for key in listed}
    foreign = [key for key, number in numbers.items() if number is None or number == keys.NUMBER_MAX]
    yield from delete_together(foreign)
    highest = max((number for key, number in numbers.items() if number and key not in foreign), default=0)
    event = RunDeleted(at=now, wait_ids=sorted(wait_ids), child_run_ids=sorted(child_run_ids))
    entry = Entry(run_id=run_id, number=highest + 1, entry_id=entry_id, owner=owner, events=[event])
    written = yield from create_entry(entry)
    return written if isinstance(written, Lost | Blocked) else Begun(event, by_us=True)


def told_of(run_id: str) -> Protocol[tuple[set[str], set[str]]]:
    """The waits and the nested runs of a run, by ID, as far as its entries and the waits' own records tell."""
    wait_ids: set[str] = set()
    child_run_ids: set[str] = set()
    for key, data in (yield from _read_all(keys.entries(run_id))):
        reading = read_record(Entry, key, data)
        if not isinstance(reading, Found):
            continue
        entry = reading.record
        if entry.snapshot is not None:
            wait_ids |= entry.snapshot.waits.keys()
            child_run_ids |= entry.snapshot.children.keys()
        wait_ids |= {event.wait_id for event in entry.events if isinstance(event, WaitPlanned)}
        child_run_ids |= {event.child_run_id for event in entry.events if isinstance(event, ChildPlanned)}
    for prefix in (keys.WAITS, keys.OUTCOMES):
        records = yield from _read_all(prefix)
        wait_ids |= {key.removeprefix(prefix) for key, data in records if named_run(key, data) == run_id}
    return wait_ids, child_run_ids


def _read_all(prefix: str) -> Protocol[list[tuple[str, bytes | None]]]:
    listed: list[str] = yield List(prefix)
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in listed))
    return list(zip(listed, found, strict=True))
