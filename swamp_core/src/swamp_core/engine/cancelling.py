"""Cancelling a run from any host: the request goes into the journal, where a driver finds it within seconds.

A run that nobody drives is ended by whoever cancels it. Nobody is told that a run is cancelled by a lease alone: if
the driver that was believed dead comes back, it loses its next append and stops.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from swamp_core.ambient import Ambient
from swamp_core.engine.adopting import adopted
from swamp_core.engine.answers import answered, close_open_waits
from swamp_core.engine.lives import is_driven
from swamp_core.engine.moves import cancel_moves, give_up_children
from swamp_core.engine.plan import Plan, plan_of_run
from swamp_core.engine.readiness import run_end
from swamp_core.engine.reading import read_run
from swamp_core.journal.appending import Append, Appended, Blocked, append
from swamp_core.journal.ending import clear_ended, end_run
from swamp_core.journal.entry import Journal
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import CancelRequested, Event
from swamp_core.run.state import RunState
from swamp_core.run.transitions import fold
from swamp_core.store.operations import Protocol, side_by_side


@dataclass(frozen=True, slots=True)
class CancelRecorded:
    """The request is in the journal; the driver ends the run."""

    run: RunState


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over, and by this call: `already` is False."""

    run: RunState
    already: bool


@dataclass(frozen=True, slots=True)
class NoReason:
    """There is no reason to end the run any more; nothing was done."""

    run: RunState


Cancelling = CancelRecorded | RunEnded | Absent | Blocked
Request = Callable[[RunState, datetime], Event | None]
"""The event that says why a run is to end, or None when it need not."""


def cancel_run(
    run_id: str, *, by: str, reason: str | None, ambient: Ambient, keep_children: bool = False
) -> Protocol[Cancelling]:
    """Ask for the end of a run, and end it when nobody drives it. It can be repeated.

    Its nested runs that are unfinished are cancelled too, unless `keep_children`.
    """
    asked = yield from ask_for_end(
        run_id,
        lambda _, now: CancelRequested(at=now, by=by, reason=reason, keep_children=keep_children),
        ambient=ambient,
    )
    assert not isinstance(asked, NoReason)
    return asked


def ask_for_end(run_id: str, request: Request, *, ambient: Ambient) -> Protocol[Cancelling | NoReason]:
    """Put the request into the journal, unless the run is to end already, and end a run that nobody drives."""
    token = ambient.ids.random_id()
    while True:
        journal = yield from read_run(run_id)
        if not isinstance(journal, Journal):
            return Blocked(journal) if isinstance(journal, Unreadable) else journal
        run = journal.run
        if run.ended:
            yield from clear_ended(run)
            yield from cancel_children(run, ambient)
            return RunEnded(run, already=True)
        now = ambient.clock.now()
        asked = None if run.cancellation else request(run, now)
        if not (run.cancellation or asked):
            return NoReason(run)
        events = [asked] if asked else []
        if not is_driven(run, now, ambient.host):
            ended = yield from end_unattended(journal, events, token=token, ambient=ambient)
        elif events:
            ended = yield from append(journal, events, entry_id=ambient.ids.random_id(), owner=token)
        else:
            return CancelRecorded(run)
        match ended:
            case Appended(journal=after):
                return RunEnded(after.run, already=False) if after.run.ended else CancelRecorded(after.run)
            case Blocked():
                return ended


def end_unattended(
    journal: Journal, events: list[Event], *, token: str, ambient: Ambient
) -> Protocol[Append]:
    """End a run that nobody drives and that is to end, after these events. On `Lost` or `Void`, decide again."""
    plan = plan_of_run(journal.run)
    to_end = fold(journal.run, events)
    assert to_end is not None
    events = events + cancel_moves(plan, to_end, ambient, running=True)
    if events:
        appended = yield from append(journal, events, entry_id=ambient.ids.random_id(), owner=token)
        if not isinstance(appended, Appended):
            return appended
        journal = appended.journal
    yield from cancel_children(journal.run, ambient)
    answers = yield from _last_answers(plan, journal.run, ambient)
    ended = yield from end_run(
        journal,
        run_end(plan, journal.run),
        now=ambient.clock.now(),
        entry_id=ambient.ids.random_id(),
        owner=token,
        answers=answers,
    )
    if isinstance(ended, Appended):
        yield from cancel_children(ended.journal.run, ambient)
    return ended


def _last_answers(plan: Plan, run: RunState, ambient: Ambient) -> Protocol[list[Event]]:
    """What every step that waits has come to: an answer, the result of a nested run, or the end of its own run."""
    now = ambient.clock.now()
    events = answered(plan, run, (yield from close_open_waits(run, now)), now)
    children = run.waiting_children()
    found = yield from side_by_side([read_run(child_run_id) for child_run_id in children])
    for child, journal in zip(children.values(), found, strict=True):
        if isinstance(journal, Journal) and journal.run.status in ("succeeded", "failed"):
            allowed = plan.step(run, (child.job, child.step)).allow_failure
            events.append(adopted(journal.run, at=now, job=child.job, step=child.step, allowed=allowed))
    after = fold(run, events)
    assert after is not None
    return events + give_up_children(plan, after, ambient)


def cancel_children(run: RunState, ambient: Ambient) -> Protocol[None]:
    """Ask for the end of the nested runs of a run that is to end, of all at once. It can be repeated.

    It comes before the end of the run, so that a crash between the two leaves somebody to do it; and again after the
    run's mark is gone. A driver that was stalled may start a nested run in between: one that still saw the mark has
    made the nested run by then, and one that does not ends it itself (`start_child`).
    """
    why = run.cancellation
    if why is None or why.keep_children:
        return
    unfinished = [child_run_id for child_run_id, child in run.children.items() if not child.applied]
    yield from side_by_side(
        [cancel_run(each, by=why.by, reason=why_nested(run), ambient=ambient) for each in unfinished]
    )


def why_nested(run: RunState) -> str:
    """Why the nested runs of a run that is to end are ended."""
    return f"The run {run.run_id} that it is nested in was ended."
