"""What no run owns any more, or nobody would ever finish: decided from a survey of the store. Pure.

Each leftover is a conclusion that stays true however long it takes until it is acted on, or that is looked at again
then. A run that can be read and has not ended is never among them, but for a nested one whose parent is over.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import datetime

from swamp_core.engine.forgetting import is_long_over, is_over, use_of
from swamp_core.engine.surveying import BeingRemoved, NoJournal, Seen, Sight, Survey
from swamp_core.engine.surveying_signals import SignalId, SignalTraces
from swamp_core.records.base import Unreadable
from swamp_core.records.early import EarlyEnd, EarlySignal
from swamp_core.run.events import Parent


@dataclass(frozen=True, slots=True)
class CutOff:
    """A start that left an index and no journal, or a removal that has begun: to be removed."""

    run_id: str


@dataclass(frozen=True, slots=True)
class VoidJournal:
    """Entries of a run that is in no index: made by somebody who was stalled while the run was removed."""

    run_id: str


@dataclass(frozen=True, slots=True)
class StaleMark:
    """A mark that counts for nothing, or not for long.

    `awaited`: a retry may be about to write the entry that it was made for, which has to be taken from it first.
    """

    workflow: str
    run_id: str
    number: int
    awaited: bool


@dataclass(frozen=True, slots=True)
class Orphan:
    """A nested run whose parent is gone (`removed`), or over while it has not ended itself."""

    run_id: str
    removed: bool


@dataclass(frozen=True, slots=True)
class ClosedWait:
    """A registration of a wait whose run has ended."""

    run_id: str
    wait_id: str


@dataclass(frozen=True, slots=True)
class UnknownWait:
    """A wait that no run in the index planned: what there is of it goes, if the run that it names is gone."""

    wait_id: str


@dataclass(frozen=True, slots=True)
class StaleKey:
    """A key under which there is more than what counts, or a claim that the run `run_id` never gives up any more."""

    workflow: str
    key: str
    run_id: str | None


@dataclass(frozen=True, slots=True)
class OverSignal:
    """A held signal that no wait will take any more; the run `run_id` used it, if one did."""

    signal: EarlySignal
    run_id: str | None


@dataclass(frozen=True, slots=True)
class ForgottenSignal:
    """What is left of a signal that does not stand, once nothing has to tell any more what became of it.

    `idempotency_key` is the one that its name is for, and `wait_id` the wait that used it.
    """

    id: SignalId
    idempotency_key: str | None
    wait_id: str | None


OfRun = CutOff | VoidJournal | StaleMark | Orphan | ClosedWait | UnknownWait
Leftover = OfRun | StaleKey | OverSignal | ForgottenSignal


def leftovers(survey: Survey, now: datetime) -> Iterator[Leftover]:
    """All that is left over, in the order in which it is to be cleaned up."""
    of_runs = [of_run(run_id, sight, survey) for run_id, sight in survey.sights.items()]
    found = [each for each in of_runs if each is not None]
    yield from sorted(
        found, key=lambda each: not isinstance(each, Orphan)
    )  # A tree is removed once it has ended.
    yield from _signals(
        survey, now
    )  # Without the mark of the run that used it, a signal without an end is free.
    yield from _stale_marks(survey)
    yield from _waits(survey)
    yield from _stale_keys(survey)


def of_run(run_id: str, sight: Sight, survey: Survey) -> Leftover | None:
    """What is wrong with a run as a whole, if anything is."""
    is_indexed = run_id in survey.listed.indexed
    match sight:
        case BeingRemoved():
            return CutOff(run_id)
        case NoJournal():
            return CutOff(run_id) if is_indexed and not _is_planned(run_id, survey) else None
        case Seen() | Unreadable() if not is_indexed:
            # A journal that is newer than the listing of journals belongs to a run that is just being started.
            return VoidJournal(run_id) if run_id in survey.listed.journals else None
        case Seen(parent=parent, ended=ended) if parent is not None:
            above = survey.sights.get(parent.run_id, NoJournal())
            if isinstance(above, NoJournal):
                return Orphan(run_id, removed=True)
            return Orphan(run_id, removed=False) if not ended and _has_lost(parent, above) else None
        case _:
            return None


def _has_lost(parent: Parent, above: Sight) -> bool:
    """Whether nobody waits for the run any more. A parent that was cancelled may have let it go on by itself."""
    if isinstance(above, Seen):
        return (above.ended or above.mark != parent.mark) and not above.keeps_children
    return isinstance(above, BeingRemoved)


def _is_planned(run_id: str, survey: Survey) -> bool:
    """Whether a run that goes on may be about to start the run as one of its own."""
    return any(
        isinstance(sight, Unreadable)
        or (isinstance(sight, Seen) and not sight.ended and run_id in sight.child_run_ids)
        for sight in survey.sights.values()
    )


def _stale_marks(survey: Survey) -> Iterator[StaleMark]:
    for workflow, run_id, number in survey.listed.marked:
        match survey.sights[run_id]:
            case Seen() as run if run_id in survey.listed.indexed:
                if run.ended or number != run.mark:
                    awaited = run.status == "failed" and number != run.mark
                    yield StaleMark(workflow, run_id, number, awaited)
            case BeingRemoved():
                yield StaleMark(workflow, run_id, number, awaited=False)
            case Seen() | NoJournal() | Unreadable() if run_id not in survey.listed.indexed:
                yield StaleMark(workflow, run_id, number, awaited=False)


def _waits(survey: Survey) -> Iterator[ClosedWait | UnknownWait]:
    listed = survey.listed
    planned = {
        wait_id: sight
        for run_id, sight in survey.sights.items()
        if isinstance(sight, Seen) and run_id in listed.indexed
        for wait_id in sight.wait_ids
    }
    removed = {
        wait_id
        for sight in survey.sights.values()
        if isinstance(sight, BeingRemoved)
        for wait_id in sight.deletion.wait_ids
    }
    for wait_id in sorted(listed.registrations | listed.outcomes):
        owner = planned.get(wait_id)
        if owner is None:
            if wait_id not in removed:
                yield UnknownWait(wait_id)
        elif owner.ended and wait_id in listed.registrations:
            yield ClosedWait(owner.run_id, wait_id)


def _stale_keys(survey: Survey) -> Iterator[StaleKey]:
    for family in survey.listed.families:
        sight = survey.sights.get(family.run_id, NoJournal()) if family.run_id else None
        goes_on = isinstance(sight, Unreadable) or (isinstance(sight, Seen) and not sight.ended)
        stale = None if goes_on else family.run_id
        if family.lower or stale:
            yield StaleKey(family.workflow, family.key, stale)


def _signals(survey: Survey, now: datetime) -> Iterator[OverSignal | ForgottenSignal]:
    for each in survey.signals:
        if each.held is not None:
            if is_over(each.held, now):
                use = use_of(each.held)
                yield OverSignal(each.held.signal, use.run_id if use else None)
        elif is_forgotten(each, survey.listed.outcomes, now):
            wait_id = (
                each.highest.use.wait_id if isinstance(each.highest, EarlyEnd) and each.highest.use else None
            )
            yield ForgottenSignal(each.id, each.name.signal.idempotency_key if each.name else None, wait_id)


def is_forgotten(traces: SignalTraces, outcomes: Container[str], now: datetime) -> bool:
    """Whether what is left of a signal that does not stand may go. `outcomes` are the waits that came to something.

    What is taken and does not stand was taken late, or stands again when its name is sent once more.
    """
    match traces.highest:
        case EarlyEnd(expires_at=expires_at, use=use):
            return is_long_over(expires_at, now) and not (use and use.wait_id in outcomes)
        case Unreadable():
            return False
        case _:
            return traces.name is None or is_long_over(traces.name.signal.expires_at, now)
