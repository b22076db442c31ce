"""Recovering a run whose driver was lost: what was running is reset, and the run is left for a resume.

A step that was running may have done its work or not. One with a guard is safe to run again, since the guard skips
what is done; for another somebody has to acknowledge that nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import RunEnded, end_unattended
from swamp_core.engine.lives import is_driven
from swamp_core.engine.plan import StepRef, plan_of_run
from swamp_core.engine.reading import read_run
from swamp_core.journal.appending import Append, Appended, Blocked, append
from swamp_core.journal.ending import clear_ended, is_left_of
from swamp_core.journal.entry import Journal
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import Event, RunSuspended, StepReset
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol


@dataclass(frozen=True, slots=True)
class Recovered:
    """The run is suspended; these steps were reset and run again when it is resumed."""

    run: RunState
    reset: tuple[StepRef, ...]


@dataclass(frozen=True, slots=True)
class NeedsAcknowledgement:
    """These steps have no guard, and nobody knows how far they came."""

    run: RunState
    unknown: tuple[StepRef, ...]


@dataclass(frozen=True, slots=True)
class NotInterrupted:
    """The run is suspended already, or a living process drives it: its status says which."""

    run: RunState


Recovery = Recovered | NeedsAcknowledgement | NotInterrupted | RunEnded | Absent | Blocked


def unknown_steps(run: RunState) -> list[StepRef]:
    """The steps that are to be acknowledged: none of a run that is to end, in which nothing runs again."""
    plan = plan_of_run(run)
    running = [] if run.cancellation else run.running_steps()
    return [ref for ref in running if plan.step(run, ref).guard is None]


def recover_run(run_id: str, *, acknowledge_unknown: bool, ambient: Ambient) -> Protocol[Recovery]:
    """Give up on a lost driver. It can be repeated. An end that was cut off is completed, as if by this call."""
    token = ambient.ids.random_id()
    while True:
        journal = yield from read_run(run_id)
        if not isinstance(journal, Journal):
            return Blocked(journal) if isinstance(journal, Unreadable) else journal
        run = journal.run
        if run.ended:
            left = yield from is_left_of(run)
            yield from clear_ended(run)
            return RunEnded(run, already=not left)
        if run.status == "suspended" or is_driven(run, ambient.clock.now(), ambient.host):
            return NotInterrupted(run)
        running = run.running_steps()
        unknown = unknown_steps(run)
        if unknown and not acknowledge_unknown:
            return NeedsAcknowledgement(run, tuple(unknown))
        appended = yield from _give_up(journal, running, token=token, ambient=ambient)
        match appended:
            case Appended(journal=after) if after.run.ended:
                return RunEnded(after.run, already=False)
            case Appended(journal=after):
                return Recovered(after.run, tuple(running))
            case Blocked():
                return appended


def _give_up(journal: Journal, running: list[StepRef], *, token: str, ambient: Ambient) -> Protocol[Append]:
    if journal.run.cancellation:
        return (yield from end_unattended(journal, [], token=token, ambient=ambient))
    now = ambient.clock.now()
    why = "Its driver was lost while it was running."
    resets: list[Event] = [StepReset(at=now, job=job, step=step, reason=why) for job, step in running]
    events = [*resets, RunSuspended(at=now)]
    return (yield from append(journal, events, entry_id=ambient.ids.random_id(), owner=token))
