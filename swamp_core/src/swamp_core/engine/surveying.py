"""What there is in a store: everything that a sweep goes by, listed in an order that makes its conclusions last.

What is listed is older than what it is compared with, so that nothing which is being made looks as if nobody owned it:

1. Outcomes and registrations are listed before any run is read: a run plans a wait before it registers it, so the
   owner of each is found with its plan, or is gone for ever.
2. Claims are listed, and the highest of each key is read, before any run is: a run claims after it started. So a claim
   whose run is not found, or has ended, is one that nobody gives up any more.
3. Marks are listed before the runs: a run that is read later tells which of them is its own.
4. Journals are listed before the index: a start creates the index first, so a journal that is not in it has lost it.
5. The index is listed before the runs are read: a parent plans a nested run before that one's index is created, so a
   nested run that is only being started is found in its parent's plan.
6. What was held for keys is listed and read after the runs, which tell of most of it that they used it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from swamp_core.engine.surveying_signals import SignalTraces, list_signals, read_traces
from swamp_core.journal.claims import highest_of
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_standing
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.records.families import Claim
from swamp_core.run.events import Parent, RunDeleted
from swamp_core.run.state import RunState
from swamp_core.run.statuses import RunStatus
from swamp_core.store.operations import List, Protocol


@dataclass(frozen=True, slots=True)
class KeyFamily:
    """What stands under a key: `lower` records that count no more, and the run of the claim that does, if one does."""

    workflow: str
    key: str
    lower: int
    run_id: str | None


@dataclass(frozen=True, slots=True)
class Listed:
    """The keys of a store. `marked` has each mark's workflow, run and number; `indexed` the workflow of each run."""

    outcomes: frozenset[str]
    registrations: frozenset[str]
    marked: tuple[tuple[str, str, int], ...]
    journals: frozenset[str]
    indexed: Mapping[str, str]
    families: tuple[KeyFamily, ...] = ()

    @property
    def run_ids(self) -> list[str]:
        """Every run that anything tells of, in the order of their start."""
        return sorted({*self.indexed, *self.journals, *(run_id for _, run_id, _ in self.marked)})


@dataclass(frozen=True, slots=True)
class Seen:
    """A run that is there, as far as a sweep and a collection go by it.

    `signal_ids`: the signals to its wait keys that it has applied.
    """

    run_id: str
    workflow: str
    status: RunStatus
    ended: bool
    mark: int
    started_at: datetime
    finished_at: datetime | None
    parent: Parent | None
    keeps_children: bool
    wait_ids: frozenset[str]
    child_run_ids: frozenset[str]
    signal_ids: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BeingRemoved:
    """A run whose removal has begun."""

    deletion: RunDeleted


@dataclass(frozen=True, slots=True)
class NoJournal:
    """A run without an entry: its start was cut off, or is slow, or its removal is done."""


Sight = Seen | BeingRemoved | NoJournal | Unreadable


@dataclass(frozen=True, slots=True)
class Survey:
    """A store as it was listed, its runs as they were read after that, and then what was held for keys."""

    listed: Listed
    sights: Mapping[str, Sight]
    signals: tuple[SignalTraces, ...] = ()


def list_all() -> Protocol[Listed]:
    """List everything, and no record of it twice. Journals cost a request each, however long they are."""
    outcomes: list[str] = yield List(keys.OUTCOMES)
    registrations: list[str] = yield List(keys.WAITS)
    families = yield from _families()
    marks: list[str] = yield List(keys.OPEN_RUNS)
    journals = yield from _journals()
    indexed: list[str] = yield List(keys.WORKFLOW_RUNS)
    return Listed(
        outcomes=frozenset(key.removeprefix(keys.OUTCOMES) for key in outcomes),
        registrations=frozenset(key.removeprefix(keys.WAITS) for key in registrations),
        marked=tuple(filter(None, map(keys.marked, marks))),
        journals=frozenset(journals),
        indexed={run_id: workflow for workflow, run_id in filter(None, map(keys.run_indexed, indexed))},
        families=families,
    )


def look_at_run(run_id: str) -> Protocol[Sight]:
    """Read a run. Two requests, and one for each entry since its latest snapshot."""
    standing = yield from read_standing(run_id)
    match standing:
        case Journal(run=run):
            return seen(run)
        case RunDeleted():
            return BeingRemoved(standing)
        case Unreadable():
            return standing
        case _:
            return NoJournal()


def survey() -> Protocol[Survey]:
    """List everything and read every run, one after the other."""
    listed = yield from list_all()
    sights: dict[str, Sight] = {}
    for run_id in listed.run_ids:
        sights[run_id] = yield from look_at_run(run_id)
    return Survey(listed, sights, (yield from survey_signals(sights)))


def survey_signals(sights: Mapping[str, Sight]) -> Protocol[tuple[SignalTraces, ...]]:
    """List and read what was held for keys, but for what these runs tell that they used."""
    used = [sight.signal_ids for sight in sights.values() if isinstance(sight, Seen)]
    return (yield from read_traces((yield from list_signals()), frozenset().union(*used)))


def seen(run: RunState) -> Seen:
    """What is kept of a run that was read."""
    return Seen(
        run_id=run.run_id,
        workflow=run.workflow,
        status=run.status,
        ended=run.ended,
        mark=run.mark,
        started_at=run.started_at,
        finished_at=run.finished_at,
        parent=run.parent,
        keeps_children=run.cancellation is not None and run.cancellation.keep_children,
        wait_ids=frozenset(run.waits),
        child_run_ids=frozenset(run.children),
        signal_ids=frozenset(_signal_ids(run)),
    )


def _signal_ids(run: RunState) -> Iterator[str]:
    """The signals of keyed waits that the outputs of steps tell of; one of a step that was reset is not among them."""
    for wait in run.waits.values():
        if wait.key is not None and wait.status == "applied":
            signal = (run.step(wait.job, wait.step).outputs or {}).get("signal")
            if isinstance(signal, dict) and isinstance(signal_id := signal.get("id"), str):
                yield signal_id


def _families() -> Protocol[tuple[KeyFamily, ...]]:
    listed: list[str] = yield List(keys.WAIT_KEYS)
    numbers = Counter(family for key in listed if keys.claimed(key) and (family := keys.claim_family(key)))
    families: list[KeyFamily] = []
    for (workflow, key), count in numbers.items():
        highest = yield from highest_of(workflow, key)
        run_id = highest.run_id if isinstance(highest, Claim) else None
        families.append(KeyFamily(workflow, key, count - 1, run_id))
    return tuple(families)


def _journals() -> Protocol[list[str]]:
    """The IDs of the runs that have an entry: one listing of one key for each, which skips the rest."""
    found: list[str] = []
    after: str | None = None
    while True:
        listed: list[str] = yield List(keys.RUNS, start_after=after, limit=1)
        if not listed:
            return found
        found.append(listed[0].removeprefix(keys.RUNS).split("/")[0])
        after = keys.entries(found[-1]) + "z"
