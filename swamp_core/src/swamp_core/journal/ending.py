"""The end of a run, in the one order that loses nothing (each step can be repeated):

1. The intent is in the journal already: the last step's event, or `cancel_requested`.
2. Every planned wait gets an outcome if it has none, so that no signal is acknowledged after the end.
3. `run_finished` is appended.
4. The mark is deleted: from here on no win counts (rule 5).
5. The registrations are removed. Outcomes stay as long as the run, for late repeats of a signal.
"""

from __future__ import annotations

from datetime import datetime

from swamp_core.journal.appending import Append, Appended, append, is_removed
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.records.families import Cancelled
from swamp_core.run.events import RunEnd, RunFinished
from swamp_core.run.state import RunState
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent, Together


def end_run(
    journal: Journal, status: RunEnd, *, now: datetime, entry_id: str, owner: str
) -> Protocol[Append]:
    """End a run whose steps are all over. On `Lost`, read what was written and decide again.

    Whoever stalls before 2 may wake when the run was removed; the outcomes that it then makes are withdrawn.
    """
    closed = yield from close_waits(journal.run, now)
    finished = RunFinished(at=now, status=status)
    appended = yield from append(journal, [finished], entry_id=entry_id, owner=owner)
    if isinstance(appended, Appended):
        yield from clear_ended(appended.journal.run)
    elif closed and (yield from is_removed(journal.run_id)):
        yield Together(tuple(Delete(key) for key in closed))
    return appended


def close_waits(run: RunState, now: datetime) -> Protocol[list[str]]:
    """Give every wait that the run has not applied an outcome, unless it has one: the first one stands.

    Gives the keys of the outcomes that this call has made.
    """
    outcomes = [
        Cancelled(
            wait_id=wait_id, workflow=run.workflow, run_id=run.run_id, job=wait.job, step=wait.step, at=now
        )
        for wait_id, wait in run.waits.items()
        if wait.status != "applied"
    ]
    made: list[bool] = yield Together(
        tuple(PutIfAbsent(outcome.key(), outcome.encode()) for outcome in outcomes)
    )
    return [outcome.key() for outcome, ours in zip(outcomes, made, strict=True) if ours]


def is_left_of(run: RunState) -> Protocol[bool]:
    """Whether the end of an ended run was cut off: something is left that `clear_ended` deletes."""
    ahead = [keys.mark(run.workflow, run.run_id, run.mark), *map(keys.registration, run.waits)]
    found: list[bytes | None] = yield Together(tuple(Get(key) for key in ahead))
    return any(each is not None for each in found)


def clear_ended(run: RunState) -> Protocol[None]:
    """Delete what an ended run leaves in the indexes of what is unfinished: its mark, then its registrations."""
    yield Delete(keys.mark(run.workflow, run.run_id, run.mark))
    yield from remove_registrations(run)


def withdraw_waits(run: RunState) -> Protocol[None]:
    """Remove what a driver registered for a run that had ended meanwhile (rule 5); one that goes on is left alone."""
    if (yield Get(keys.mark(run.workflow, run.run_id, run.mark))) is None:
        yield from remove_registrations(run)


def remove_registrations(run: RunState) -> Protocol[None]:
    """Delete the registrations of all waits that the run ever planned."""
    yield Together(tuple(Delete(keys.registration(wait_id)) for wait_id in run.waits))
