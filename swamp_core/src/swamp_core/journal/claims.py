"""What stands under a key: numbered claims and releases, of which only the highest counts.

The highest is never deleted, only superseded (rule 2); what is below it counts no more, and whoever comes by deletes
it. So one record is left of a key at most, once nobody wants it: a release.
"""

from __future__ import annotations

from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.families import KEY_RECORD, Claim, KeyRecord, Release
from swamp_core.run.state import RunState
from swamp_core.store.operations import Delete, Get, List, Protocol, PutIfAbsent, Together


def highest_of(workflow: str, key: str) -> Protocol[KeyRecord | Unreadable | None]:
    """The record that counts under a key, or None where nothing was claimed yet."""
    while True:
        listed: list[str] = yield List(keys.claims(workflow, key), limit=1)
        if not listed:
            return None
        reading = read_record(KEY_RECORD, listed[0], (yield Get(listed[0])))
        match reading:
            case Found(record=record) if (
                record.number >= keys.NUMBER_MAX - 1
            ):  # A claim needs one, and its release.
                return Unreadable(listed[0], "no number is left above it")
            case Found(record=record):
                return record
            case Unreadable():
                return reading
            case Absent():  # It was superseded since it was listed.
                continue


def numbered(workflow: str, key: str) -> Protocol[list[str]]:
    """What stands under the numbers of a key, the highest first."""
    listed: list[str] = yield List(keys.claims(workflow, key))
    return [each for each in listed if keys.claimed(each)]


def supersede(claim: Claim) -> Protocol[None]:
    """Put a release above a claim that is the highest, and delete all that is below the highest."""
    release = Release(workflow=claim.workflow, key_name=claim.key_name, number=claim.number + 1)
    yield PutIfAbsent(release.key(), release.encode())
    yield from delete_lower(claim.workflow, claim.key_name)


def delete_lower(workflow: str, key: str) -> Protocol[int]:
    """Delete all that is below the highest; how many records they were."""
    lower = (yield from numbered(workflow, key))[1:]
    yield Together(tuple(Delete(each) for each in lower))
    return len(lower)


def release_keys(run: RunState) -> Protocol[None]:
    """Give up all that a run has claimed. It can be repeated."""
    for key in wait_keys(run):
        yield from release_key(run.workflow, key, run.run_id)


def wait_keys(run: RunState) -> list[str]:
    """The keys of the waits that the run ever planned."""
    return sorted({wait.key for wait in run.waits.values() if wait.key is not None})


def release_key(workflow: str, key: str, run_id: str) -> Protocol[None]:
    """Give up what a run has claimed under a key, and leave one record of it at most. It can be repeated."""
    listed = yield from numbered(workflow, key)
    found: list[bytes | None] = yield Together(tuple(Get(each) for each in listed))
    for each, data in zip(listed, found, strict=True):
        reading = read_record(KEY_RECORD, each, data)
        if (
            isinstance(reading, Found)
            and isinstance(claim := reading.record, Claim)
            and claim.run_id == run_id
        ):
            yield from supersede(claim) if each == listed[0] else delete_lower(workflow, key)
            return


def clear_unreadable(workflow: str, key: str) -> Protocol[int]:
    """Supersede and delete what counts under a key and cannot be read; how many records that were.

    Whoever it was, their wait holds the key no more: a caller has made sure that none is open.
    """
    cleared = 0
    while isinstance(highest := (yield from highest_of(workflow, key)), Unreadable):
        claimed = keys.claimed(highest.key)
        if claimed and claimed[2] < keys.NUMBER_MAX:
            release = Release(workflow=workflow, key_name=key, number=claimed[2] + 1)
            yield PutIfAbsent(release.key(), release.encode())
        yield Delete(highest.key)
        cleared += 1
    yield from delete_lower(workflow, key)
    return cleared
