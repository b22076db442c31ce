"""Whole runs whose waits want one key, and the protocols of production code around them: open, signal, cancel, remove.

`claims` explores the claim alone, and so can afford more actors in every order.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import cancel_run
from swamp_core.engine.leftovers import leftovers
from swamp_core.engine.removing import remove_tree
from swamp_core.engine.surveying import survey
from swamp_core.engine.suspending import Resumed, resume_run, suspend_run
from swamp_core.engine.sweeping import clean_up, sweep
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.ending import withdraw_waits
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.journal.starting import start_run
from swamp_core.records import keys
from swamp_core.run.events import RunSuspended, SignalApplied, WaitOpened, WaitPlanned
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import List, execute
from swamp_core.testing.explore import Actor, ActorProtocol, World
from swamp_core.waits.claiming import Held, find_holder
from swamp_core.waits.listing import list_open_waits
from swamp_core.waits.opening import open_wait, registration_of
from swamp_core.waits.settling import Settled, signal_wait
from swamp_core.waits.signals import Signal

from tests.explored import runs
from tests.explored.runs import NOW

WORKFLOW, KEY = "ask", "verdict"
DEADLINE = NOW + timedelta(hours=1)
LATER = NOW + timedelta(hours=2)

Now = Callable[[], datetime]


def at_now() -> datetime:
    """A clock that stands still."""
    return NOW


def run_id(run: str) -> str:
    return f"01900000-0000-7000-8000-00000000000{run}"


def wait_id(run: str) -> str:
    return f"00000000-0000-4000-8000-00000000000{run}"


@dataclass(frozen=True, slots=True)
class Begun:
    """A run whose wait is planned, as its driver holds it."""

    name: str
    journal: Appended


def begun(store: MemoryStore, run: str) -> Begun:
    """Start a run in the store, and plan its wait."""
    started = execute(start_run(runs.started(run_id(run), run), entry_id=f"{run}-1", build="test"), store)
    assert isinstance(started, Appended)
    planned = WaitPlanned(
        at=NOW,
        job="j",
        step="review",
        wait_id=wait_id(run),
        wait_kind="signal",
        deadline=DEADLINE if run == "a" else LATER + timedelta(hours=1),
        key=KEY,
    )
    appended = execute(append(started.journal, [planned], entry_id=f"{run}-2", owner=run), store)
    assert isinstance(appended, Appended)
    return Begun(run, appended)


def opened(store: MemoryStore, run: Begun) -> Begun:
    """Open the wait of the run, whose driver has not suspended it yet."""
    state = run.journal.journal.run
    registration = registration_of(state, wait_id(run.name), state.waits[wait_id(run.name)])
    assert execute(open_wait(registration, at_now), store) is None
    is_open = WaitOpened(at=NOW, job="j", step="review", wait_id=wait_id(run.name))
    appended = execute(
        append(run.journal.journal, [is_open], entry_id=f"{run.name}-o", owner=run.name), store
    )
    assert isinstance(appended, Appended)
    return Begun(run.name, appended)


def opening(run: Begun, now: Now = at_now) -> ActorProtocol:
    """A driver that opens the wait of its run, and suspends it."""
    state = run.journal.journal.run
    registration = registration_of(state, wait_id(run.name), state.waits[wait_id(run.name)])
    obstacle = yield from open_wait(registration, now)
    if isinstance(obstacle, Held):
        return "held", obstacle.claim.wait_id
    opened = WaitOpened(at=NOW, job="j", step="review", wait_id=wait_id(run.name))
    events = [opened, RunSuspended(at=NOW)]
    appended = yield from append(run.journal.journal, events, entry_id=f"{run.name}-3", owner=run.name)
    if isinstance(appended, Appended):
        return "opened", wait_id(run.name)
    yield from withdraw_waits(state)
    return "over", wait_id(run.name)


class Scene:
    """Runs that have begun, the first of which may hold the key already, and what can be done with them."""

    def __init__(self, *names: str, holding: bool = False) -> None:
        store = MemoryStore()
        self.runs = {name: begun(store, name) for name in names}
        if holding:
            execute(opening(self.runs[names[0]]), store)
        self.records: Mapping[str, bytes] = dict(store.records)

    def opener(self, name: str, now: Now = at_now) -> Actor:
        return Actor(name, lambda: opening(self.runs[name], now))


def signaller(run: str, now: Now = at_now) -> Actor:
    """Somebody who signals the wait of the run by its ID."""

    def signalling() -> ActorProtocol:
        sent = Signal({"ok": True}, "once", f"receipt-{run}", "somebody")
        answer = yield from signal_wait(wait_id(run), sent, now)
        return "accepted" if isinstance(answer, Settled) else type(answer).__name__

    return Actor("signals", signalling)


def canceller(run: str, name: str = "cancels") -> Actor:
    """Somebody who cancels the run, whose driver is taken for dead."""

    def cancelling() -> ActorProtocol:
        cancelled = yield from cancel_run(run_id(run), by=name, reason=None, ambient=ambient(name))
        return type(cancelled).__name__

    return Actor(name, cancelling)


def remover(run: str, name: str = "deletes", **options: Any) -> Actor:
    """A forced delete of the run."""
    return Actor(name, lambda: removing(run, name), **options)


def removing(run: str, name: str) -> ActorProtocol:
    yield from cancel_run(run_id(run), by=name, reason=None, ambient=ambient(name))
    removal = yield from remove_tree(run_id(run), ambient=ambient(f"{name}-removal"))
    return type(removal).__name__


def workflow_deleter(name: str = "deletes all") -> Actor:
    """A forced `workflow delete`: the runs that it finds, and what is left over of others."""

    def deleting() -> ActorProtocol:
        found = yield from survey()
        for run in sorted(found.listed.indexed):
            yield from cancel_run(run, by=name, reason=None, ambient=ambient(name))
            yield from remove_tree(run, ambient=ambient(f"{name}-{run}"))
        for leftover in leftovers(found, NOW):
            yield from clean_up(leftover, found, ambient=ambient(f"{name}-sweep"))
        return "deleted"

    return Actor(name, deleting)


def lister(now: Now = at_now) -> Actor:
    """Somebody who lists the open waits."""

    def listing() -> ActorProtocol:
        open_waits = yield from list_open_waits("signal")
        return "listed", *(wait.wait_id for wait in open_waits.waits)

    return Actor("lists waits", listing)


def key_reader(now: Now = at_now) -> Actor:
    """Somebody who asks who holds the key."""

    def reading() -> ActorProtocol:
        holder = yield from find_holder(WORKFLOW, KEY, now())
        return type(holder).__name__, getattr(getattr(holder, "claim", None), "wait_id", None)

    return Actor("lists keys", reading)


def ambient(name: str) -> Ambient:
    return runs.ambient(name)


def open_waits(records: Mapping[str, bytes]) -> list[str]:
    """The waits that are registered, marked, and without an outcome."""
    marks = {keys.marked(key)[1] for key in records if key.startswith(keys.OPEN_RUNS)}
    return [
        wait_id(run)
        for run in "abc"
        if keys.registration(wait_id(run)) in records
        and run_id(run) in marks
        and keys.outcome(wait_id(run)) not in records
    ]


def one_holder(world: World) -> str | None:
    """At no moment do two open waits hold the key."""
    found = open_waits(world.records)
    return f"two waits are open under one key: {found}" if len(found) > 1 else None


def acknowledged(world: World) -> str | None:
    """A signal that was accepted is the outcome of its wait for as long as there is a journal of the run."""
    if world.results.get("signals") != "accepted":
        return None
    outcome = world.records.get(keys.outcome(wait_id("a")))
    has_journal = any(key.startswith(keys.entries(run_id("a"))) for key in world.records)
    return (
        "an acknowledged signal is lost"
        if has_journal and not (outcome and b'"accepted"' in outcome)
        else None
    )


def nothing_is_left(world: World) -> str | None:
    """After all runs are deleted and the store is swept there is its format, and one release of the key."""
    return _left(tuple(sorted(world.records.items())))


@cache
def _left(records: tuple[tuple[str, bytes], ...]) -> str | None:
    store = MemoryStore(dict(records))
    indexed = execute(_indexed(), store)
    for each in indexed:
        execute(cancel_run(each, by="test", reason=None, ambient=ambient("test")), store)
        execute(remove_tree(each, ambient=ambient("test-removal")), store)
    execute(sweep(ambient=ambient("test-sweep")), store)
    left = [key for key in store.records if key != keys.FORMAT_KEY and b'"release"' not in store.records[key]]
    releases = [key for key in store.records if b'"release"' in store.records[key]]
    if left or len(releases) > 1:
        return f"nothing will remove {left or releases}"
    return None


def _indexed() -> ActorProtocol:
    listed: list[str] = yield List(keys.WORKFLOW_RUNS)
    return [key.rsplit("/", 1)[1] for key in listed]


def key_is_free_or_held(world: World) -> str | None:
    """At rest who opened its wait and was not ended holds the key; nobody else has it."""
    store = MemoryStore(dict(world.records))
    holder = execute(find_holder(WORKFLOW, KEY, NOW), store)
    found = open_waits(world.records)
    held = [holder.claim.wait_id] if isinstance(holder, Held) else []
    if found and found != held:
        return f"{found} is open, and the key is held by {held or 'nobody'}"
    return None


def one_listed(world: World) -> str | None:
    """Who lists the open waits never sees two under one key."""
    listed = world.results.get("lists waits", ("listed",))[1:]
    return f"two waits under one key were listed: {listed}" if len(listed) > 1 else None


def resuming(run: str, name: str, now: Now) -> ActorProtocol:
    """A driver that takes the run up, and deploys if it has a signal."""
    resumed = yield from resume_run(
        run_id(run), owner=runs.owner(name), now=now(), entry_id=f"{name}-r", build="test"
    )
    if not isinstance(resumed, Resumed):
        return type(resumed).__name__
    if resumed.journal.run.cancellation:
        return "cancelled"
    if not all(isinstance(each, SignalApplied) for each in resumed.applications.values()):
        return "timed out"
    return (yield from runs.deploy(resumed, name))


def suspending(run: Begun) -> ActorProtocol:
    """A driver that opened the wait of its run, and suspends it."""
    journal = run.journal.journal
    suspended = yield from suspend_run(
        journal, owner=runs.owner(run.name), now=NOW, suspended_id=f"{run.name}-s", resumed_id=f"{run.name}-r"
    )
    return "goes on" if isinstance(suspended, Resumed) else type(suspended).__name__


def signalling_and_resuming(run: str) -> ActorProtocol:
    """Somebody who signals with `--resume`."""
    answer = yield from signaller(run).start()
    resumed = yield from resume_run(
        run_id(run), owner=runs.owner("resumes"), now=NOW, entry_id="resumes-r", build="test"
    )
    return answer, type(resumed).__name__


def acts_once(world: World) -> str | None:
    """One driver deploys, and only with a signal that was accepted."""
    acted = [fact for fact in world.facts if fact[0] == "deploys"]
    if len(acted) > 1:
        return f"two drivers acted: {acted}"
    refused = world.results.get("signals", "accepted") not in ("accepted",)
    return "a driver acted without a signal" if acted and refused else None


def taken_up(world: World) -> str | None:
    """At rest no run is suspended whose signal was accepted, when somebody was to take it up."""
    journal = execute(read_journal(run_id("a")), MemoryStore(dict(world.records)))
    assert isinstance(journal, Journal)
    outcome = world.records.get(keys.outcome(wait_id("a")))
    is_stuck = journal.run.status == "suspended" and outcome is not None
    return "the run has its signal, and nobody takes it up" if is_stuck and not world.crashed else None
