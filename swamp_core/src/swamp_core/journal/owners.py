"""Which run a wait's registration and outcome belong to: as they say, and not as a run's journal does.

Other writers reach the store. A journal may list a wait of another run; what a removal deletes is only what names the
run that is removed, or cannot be read at all.
"""

from __future__ import annotations

from collections.abc import Iterable

from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import OUTCOME, Registration
from swamp_core.store.operations import Get, Protocol, Together


def named_run(key: str, data: bytes | None) -> str | None:
    """The run that a registration or an outcome names; None where there is no record that can be read."""
    if key.startswith(keys.WAITS):
        registration = read_record(Registration, key, data)
        return registration.record.run_id if isinstance(registration, Found) else None
    outcome = read_record(OUTCOME, key, data)
    return outcome.record.run_id if isinstance(outcome, Found) else None


def records_of_waits(run_id: str, wait_ids: Iterable[str]) -> Protocol[list[str]]:
    """The keys of what there is of the waits, registrations first, but for what names another run."""
    ids = list(wait_ids)
    wanted = [key_of(wait_id) for key_of in (keys.registration, keys.outcome) for wait_id in ids]
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in wanted))
    return [
        key
        for key, data in zip(wanted, found, strict=True)
        if data is not None and named_run(key, data) in (None, run_id)
    ]
