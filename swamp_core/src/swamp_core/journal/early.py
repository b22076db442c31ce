"""What a held signal came to, and how its records go.

The record of a signal goes only when its end is written, and that stays: without it a signal that was used would be
free. No take goes before the name does, long after: who is still about to make one finds its number taken. A signal
that a run used is ended before the mark of the run is deleted, since without a mark its take says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta

from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.early import EARLY_TAKE, EarlyEnd, EarlySignal, EarlyTake, EndReason, Use, use_in
from swamp_core.records.families import OUTCOME, Accepted
from swamp_core.run.state import RunState
from swamp_core.store.operations import Delete, Get, List, Protocol, PutIfAbsent, Together

Take = EarlyTake | EarlyEnd | Unreadable
"""What stands under the highest number of a signal."""

KEPT_AFTER_EXPIRY = timedelta(hours=1)
"""How long after a signal's time its last records stay: a delayed request, or a slow clock, may still be under way."""


def highest_take(workflow: str, key: str, signal_id: str) -> Protocol[tuple[int, Take | None]]:
    """The number that is the highest of a signal's takes, and what stands there; 0 and None without a take."""
    while True:
        listed = yield from numbered_takes(workflow, key, signal_id)
        if not listed:
            return 0, None
        number = keys.number_of(listed[0].rsplit("/", 1)[-1]) or 0
        reading = read_record(EARLY_TAKE, listed[0], (yield Get(listed[0])))
        if isinstance(reading, Absent):
            continue
        take = reading.record if isinstance(reading, Found) else reading
        if number == keys.NUMBER_MAX and not isinstance(take, EarlyEnd):
            take = Unreadable(listed[0], "no number is left above it")
        return number, take


def numbered_takes(workflow: str, key: str, signal_id: str) -> Protocol[list[str]]:
    """What stands under the numbers of a signal's takes, the highest first."""
    listed: list[str] = yield List(keys.early_takes(workflow, key, signal_id))
    return [each for each in listed if keys.number_of(each.rsplit("/", 1)[-1])]


def end_signal(
    signal: EarlySignal, *, after: int, reason: EndReason, use: Use | None = None
) -> Protocol[bool]:
    """Write what a signal came to, whose highest take is `after`, and delete it; False when another was quicker.

    Then the signal has another take; or all that it left is gone, and its name first. Nothing is written where no
    number is left.
    """
    if after >= keys.NUMBER_MAX:
        return False
    end = EarlyEnd(
        workflow=signal.workflow,
        key_name=signal.key_name,
        signal_id=signal.signal_id,
        number=after + 1,
        reason=reason,
        use=use,
        expires_at=signal.expires_at,
    )
    if not (yield PutIfAbsent(end.key(), end.encode())):
        return False
    yield Delete(signal.key())
    return (yield Get(keys.early_name(signal.workflow, signal.key_name, signal.idempotency_key))) is not None


def end_used(run: RunState) -> Protocol[None]:
    """End the held signals that the waits of a run used. Free for a run without keys; it can be repeated."""
    yield from end_used_by([each for each, wait in run.waits.items() if wait.key is not None])


def end_used_by(wait_ids: Iterable[str]) -> Protocol[None]:
    """End the held signals that these waits used, all of which have an outcome."""
    wanted = [keys.outcome(wait_id) for wait_id in wait_ids]
    found: list[bytes | None] = (yield Together(tuple(map(Get, wanted)))) if wanted else []
    readings = [read_record(OUTCOME, key, data) for key, data in zip(wanted, found, strict=True)]
    for reading in readings:
        if isinstance(reading, Found) and isinstance(outcome := reading.record, Accepted):
            yield from end_used_in(outcome)


def end_used_in(outcome: Accepted) -> Protocol[None]:
    """End the signal that is the outcome of a wait, if it was held. It can be repeated."""
    if outcome.key_name is None or outcome.receipt.taken_at is None:
        return
    key = keys.early_signal(outcome.workflow, outcome.key_name, outcome.receipt.id)
    while isinstance(reading := read_record(EarlySignal, key, (yield Get(key))), Found):
        number, take = yield from highest_take(outcome.workflow, outcome.key_name, outcome.receipt.id)
        if isinstance(take, EarlyEnd):
            yield Delete(key)
        elif number == keys.NUMBER_MAX:
            return  # Somebody else wrote there: no wait will have the signal, and nobody can say so.
        else:
            yield from end_signal(reading.record, after=number, reason="used", use=use_in(outcome))
