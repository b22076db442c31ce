"""The end of a run, in the one order that loses nothing (each step can be repeated):

1. The intent is in the journal already: the last step's event, `cancel_requested` or `gate_rejected`.
2. Every planned wait gets an outcome if it has none, so that no signal is acknowledged after the end.
3. What the waits came to, answered or closed, is appended, and `run_finished`. Whoever ends a run writes the same of
   the same outcomes: a step whose signal was acknowledged has succeeded, though its run was cancelled.
4. The held signals that its waits used are ended, and the mark is deleted: from here on no win counts (rule 5).
5. Each claim of a key is superseded by a release, and the registrations are removed. Outcomes stay as long as the
   run, for late repeats of a signal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from swamp_core.journal.appending import Append, Appended, append, is_removed
from swamp_core.journal.claims import release_keys
from swamp_core.journal.early import end_used
from swamp_core.journal.entry import Journal, in_entries
from swamp_core.records import keys
from swamp_core.records.families import Cancelled
from swamp_core.run.events import Event, RunEnd, RunFinished
from swamp_core.run.state import RunState
from swamp_core.run.transitions import fold
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent, Together


def end_run(
    journal: Journal,
    status: RunEnd,
    *,
    now: datetime,
    entry_id: str,
    owner: str,
    answers: Sequence[Event] = (),
) -> Protocol[Append]:
    """End a run whose steps are all over after these last events. On `Lost`, read what was written and decide again.

    Whoever stalls before 2 may wake when the run was removed; the outcomes that it then makes are withdrawn.
    """
    to_end = fold(journal.run, answers)
    assert to_end is not None
    yield from close_waits(
        to_end, [each for each, wait in to_end.waits.items() if wait.status != "applied"], now
    )
    *before, last = in_entries([*answers, RunFinished(at=now, status=status)])
    for place, events in enumerate(before):
        appended = yield from append(journal, events, entry_id=f"{entry_id}-{place}", owner=owner)
        if not isinstance(appended, Appended):
            break
        journal = appended.journal
    else:
        appended = yield from append(journal, last, entry_id=entry_id, owner=owner)
    if isinstance(appended, Appended):
        yield from clear_ended(appended.journal.run)
    else:
        yield from withdraw_outcomes(journal.run)
    return appended


def close_waits(run: RunState, wait_ids: Iterable[str], now: datetime) -> Protocol[list[str]]:
    """Give each of these waits an outcome, unless it has one: the first one stands. Gives those that this call closed.

    Whoever does not end the run after it calls `withdraw_outcomes`.
    """
    outcomes = [
        Cancelled(
            wait_id=wait_id,
            workflow=run.workflow,
            run_id=run.run_id,
            job=run.waits[wait_id].job,
            step=run.waits[wait_id].step,
            at=now,
        )
        for wait_id in wait_ids
    ]
    if not outcomes:
        return []
    made: list[bool] = yield Together(
        tuple(PutIfAbsent(outcome.key(), outcome.encode()) for outcome in outcomes)
    )
    return [outcome.wait_id for outcome, ours in zip(outcomes, made, strict=True) if ours]


def withdraw_outcomes(run: RunState) -> Protocol[None]:
    """Remove what was made for a run that has been removed meanwhile: nobody else would."""
    if run.waits and (yield from is_removed(run.run_id)):
        yield Together(tuple(Delete(keys.outcome(wait_id)) for wait_id in run.waits))


def is_left_of(run: RunState) -> Protocol[bool]:
    """Whether the end of an ended run was cut off: something is left that `clear_ended` deletes."""
    ahead = [keys.mark(run.workflow, run.run_id, run.mark), *map(keys.registration, run.waits)]
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in ahead))
    return any(each is not None for each in found)


def clear_ended(run: RunState) -> Protocol[None]:
    """Delete what an ended run leaves in the indexes of what is unfinished: its mark, its claims, its registrations."""
    yield from end_used(run)
    yield Delete(keys.mark(run.workflow, run.run_id, run.mark))
    yield from release_keys(run)
    yield from remove_registrations(run)


def withdraw_waits(run: RunState) -> Protocol[None]:
    """Remove what a driver registered for a run that had ended meanwhile (rule 5); one that goes on is left alone."""
    if (yield Get(keys.mark(run.workflow, run.run_id, run.mark))) is None:
        yield from release_keys(run)
        yield from remove_registrations(run)


def remove_registrations(run: RunState) -> Protocol[None]:
    """Delete the registrations of all waits that the run ever planned."""
    yield Together(tuple(Delete(keys.registration(wait_id)) for wait_id in run.waits))
