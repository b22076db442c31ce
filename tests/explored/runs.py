"""The actors and invariants of the explorations of a run: a driver, a signaller, a canceller, a remover.

Each actor is made of the protocols that production code runs; only what drives them is smaller here. A *mutant* is a
protocol with one rule taken away, by answering an operation without asking the store or by leaving it out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import cancel_run
from swamp_core.engine.recovering import recover_run
from swamp_core.engine.suspending import Resumed, resume_run
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.ending import end_run, withdraw_waits
from swamp_core.journal.entry import Entry
from swamp_core.journal.removal import Removed, remove_run
from swamp_core.journal.starting import start_run
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.run.events import (
    Owner,
    RunStarted,
    RunSuspended,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
    WaitPlanned,
)
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Get, List, Operation, PutIfAbsent, Together, execute
from swamp_core.testing.explore import Act, ActorProtocol
from swamp_core.waits.opening import open_wait, registration_of
from swamp_core.waits.settling import signal_wait
from swamp_core.waits.signals import Signal
from swamp_core.workflow.definition import Workflow

NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN = "01900000-0000-7000-8000-000000000001"
WAIT = "00000000-0000-4000-8000-00000000000a"
MARK = keys.mark("ask", RUN, 1)

DEFINITION = Workflow.from_json(
    {
        "name": "ask",
        "jobs": [
            {
                "name": "j",
                "steps": [
                    {"name": "review", "task": {"type": "wait_for_signal", "timeout": 60}},
                    {
                        "name": "deploy",
                        "dependsOn": ["review"],
                        "task": {"type": "model_method", "modelIdOrName": "m", "methodName": "go"},
                    },
                ],
            }
        ],
    }
).to_json()

MODEL = {"type": "command/shell", "name": "m", "methods": {"go": {"run": "true"}}}


@dataclass(slots=True)
class Clock:
    """A clock that stands still."""

    at: datetime = NOW

    def now(self) -> datetime:
        return self.at

    def wait(self, event: object, seconds: float) -> bool:
        raise AssertionError("a protocol does not wait")


@dataclass(slots=True)
class Ids:
    """IDs that say whose they are."""

    whose: str
    drawn: int = field(default=0)

    def random_id(self) -> str:
        self.drawn += 1
        return f"{self.whose}-{self.drawn}"

    def run_id(self, now: datetime) -> str:
        raise AssertionError("the run has its ID already")

    def jitter(self) -> float:
        return 0.0


def ambient(name: str) -> Ambient:
    """A host of its own for each actor; it takes every other driver's lease for expired."""
    return Ambient(clock=Clock(), ids=Ids(name), host=name, pid=1, user=name)


def owner(token: str, *, alive: bool = False) -> Owner:
    lease = NOW + timedelta(seconds=90 if alive else -1)
    return Owner(host=token, pid=1, token=token, lease_until=lease)


def started(run_id: str, token: str) -> RunStarted:
    return RunStarted(
        at=NOW,
        run_id=run_id,
        workflow="ask",
        mark=1,
        definition=DEFINITION,
        models={"m": MODEL},
        inputs={},
        owner=owner(token),
        started_by="somebody",
    )


def suspended_run() -> dict[str, bytes]:
    """The records of a run that is suspended at an open wait."""
    store = MemoryStore()
    begun = execute(start_run(started(RUN, "first"), entry_id="e1", build="test"), store)
    assert isinstance(begun, Appended)
    planned = WaitPlanned(
        at=NOW, job="j", step="review", wait_id=WAIT, wait_kind="signal", deadline=NOW + timedelta(minutes=1)
    )
    opened = WaitOpened(at=NOW, job="j", step="review", wait_id=WAIT)
    events = [planned, opened, RunSuspended(at=NOW)]
    suspended = execute(append(begun.journal, events, entry_id="e2", owner="first"), store)
    assert isinstance(suspended, Appended)
    run = suspended.journal.run
    assert execute(open_wait(registration_of(run, WAIT, run.waits[WAIT]), lambda: NOW), store) is None
    return store.records


def signalled(records: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same records with an accepted signal."""
    store = MemoryStore(dict(records))
    assert execute(signaller(), store) == "Settled"
    return store.records


def signaller(name: str = "signaller") -> ActorProtocol:
    """Send a signal to the wait."""
    sent = Signal(payload={"ok": True}, idempotency_key=name, receipt_id=f"receipt-{name}", submitted_by=name)
    answer = yield from signal_wait(WAIT, sent, lambda: NOW)
    return type(answer).__name__


def driver(token: str) -> ActorProtocol:
    """Resume the run, take up the signal, deploy, and end the run: the driver in small, on the same protocols."""
    resumed = yield from resume_run(RUN, owner=owner(token), now=NOW, entry_id=f"{token}-r", build="test")
    if not isinstance(resumed, Resumed):
        return type(resumed).__name__
    if resumed.journal.run.cancellation:
        return "cancelled"
    return (yield from deploy(resumed, token))


def stalled_driver(records: Mapping[str, bytes], token: str = "driver") -> Callable[[], ActorProtocol]:
    """A driver that resumed the run and read the signal, and stalled before it wrote that it will deploy."""
    store = MemoryStore(dict(records))
    resumed = execute(
        resume_run(RUN, owner=owner(token), now=NOW, entry_id=f"{token}-r", build="test"), store
    )
    assert isinstance(resumed, Resumed)
    return lambda: deploy(resumed, token)


def resumed_by(records: Mapping[str, bytes], token: str = "driver") -> dict[str, bytes]:
    """The records after that driver resumed the run."""
    store = MemoryStore(dict(records))
    execute(resume_run(RUN, owner=owner(token), now=NOW, entry_id=f"{token}-r", build="test"), store)
    return store.records


def deploys(token: str) -> Act:
    """What the world sees of a driver that deploys, on the strength of its journal entry."""
    return Act(("deploys", f"{token}-d"))


def deploy(resumed: Resumed, token: str) -> ActorProtocol:
    """Write what the waits came to and that the step starts, deploy, write that it is done, and end the run."""
    applied = [
        WaitApplied(at=NOW, job="j", step="review", wait_id=wait_id, application=application)
        for wait_id, application in resumed.applications.items()
    ]
    if resumed.journal.run.step("j", "deploy").ended:
        ended = yield from end_run(resumed.journal, "succeeded", now=NOW, entry_id=f"{token}-e", owner=token)
        return type(ended).__name__
    intent = StepStarted(at=NOW, job="j", step="deploy")
    begun = yield from append(resumed.journal, [*applied, intent], entry_id=f"{token}-d", owner=token)
    if not isinstance(begun, Appended):
        return type(begun).__name__
    yield deploys(token)
    done = StepSucceeded(at=NOW, job="j", step="deploy", outputs={})
    over = yield from append(begun.journal, [done], entry_id=f"{token}-s", owner=token)
    if not isinstance(over, Appended):
        return type(over).__name__
    ended = yield from end_run(over.journal, "succeeded", now=NOW, entry_id=f"{token}-e", owner=token)
    return type(ended).__name__


def started_run() -> tuple[dict[str, bytes], Appended]:
    """The records of a run that has just begun, and its journal as its driver holds it."""
    store = MemoryStore()
    begun = execute(start_run(started(RUN, "opener"), entry_id="o1", build="test"), store)
    assert isinstance(begun, Appended)
    return store.records, begun


def cut_off_start() -> dict[str, bytes]:
    """The records of a start that came no further than the index."""
    records, _ = started_run()
    return {key: records[key] for key in (keys.FORMAT_KEY, keys.run_index("ask", RUN))}


def indexed_already(protocol: ActorProtocol) -> ActorProtocol:
    """A start that goes on where it stalled: after its index was written."""
    index = keys.run_index("ask", RUN)
    return answering(
        protocol,
        lambda operation: True if isinstance(operation, PutIfAbsent) and operation.key == index else None,
    )


def sweeper(name: str) -> ActorProtocol:
    """Finish what seems to be a start or removal that was cut off."""
    removal = yield from remove_run("ask", RUN, now=NOW, entry_id=f"{name}-1", owner=name)
    return type(removal).__name__


def opener() -> ActorProtocol:
    """A driver that starts the run, plans its wait, registers it, and writes that it did."""
    begun = yield from start_run(started(RUN, "opener"), entry_id="o1", build="test")
    return (yield from opening(begun)) if isinstance(begun, Appended) else type(begun).__name__


def opening(begun: Appended) -> ActorProtocol:
    """Plan the wait of a run that has begun, register it, and write that it is open."""
    planned = WaitPlanned(
        at=NOW, job="j", step="review", wait_id=WAIT, wait_kind="signal", deadline=NOW + timedelta(minutes=1)
    )
    journal = yield from append(begun.journal, [planned], entry_id="o2", owner="opener")
    if not isinstance(journal, Appended):
        return type(journal).__name__
    run = journal.journal.run
    yield from open_wait(registration_of(run, WAIT, run.waits[WAIT]), lambda: NOW)
    opened = WaitOpened(at=NOW, job="j", step="review", wait_id=WAIT)
    written = yield from append(journal.journal, [opened], entry_id="o3", owner="opener")
    if not isinstance(written, Appended):
        yield from withdraw_waits(run)
    return type(written).__name__


def canceller(name: str = "canceller") -> ActorProtocol:
    """Cancel the run, whose driver is taken for dead."""
    cancelled = yield from cancel_run(RUN, by=name, reason=None, ambient=ambient(name))
    return type(cancelled).__name__


def remover(name: str = "remover") -> ActorProtocol:
    """Cancel the run and remove everything of it, as a forced delete does."""
    ids = Ids(f"{name}-removal")
    while True:
        yield from cancel_run(RUN, by=name, reason=None, ambient=ambient(name))
        removal = yield from remove_run("ask", RUN, now=NOW, entry_id=ids.random_id(), owner=name)
        if isinstance(removal, Removed):
            return "Removed"


def restarter(run_id: str) -> ActorProtocol:
    """Start another run of the workflow, under the ID that it is given."""
    begun = yield from start_run(started(run_id, "restarter"), entry_id="restart", build="test")
    return type(begun).__name__


def witness(actor: str, operation: Operation, result: Any, records: Mapping[str, bytes]) -> Any:
    """Notes an entry that was created without the one before it, and a signal that was stored after the end."""
    if not (isinstance(operation, PutIfAbsent) and result):
        return None
    if operation.key.startswith(keys.OUTCOMES) and actor.startswith("signaller"):
        newest = min((key for key in records if key.startswith(keys.RUNS)), default=None)
        return ("late", actor) if newest is None or b'"run_finished"' in records[newest] else None
    if not operation.key.startswith(keys.RUNS):
        return None
    reading = read_record(Entry, operation.key, operation.data)
    assert isinstance(reading, Found), reading
    entry = reading.record
    follows = entry.number == 1 or keys.entry(entry.run_id, entry.number - 1) in records
    return None if follows else ("void", entry.entry_id)


ACKNOWLEDGED = ("Settled", "Repeated")
"""What a signaller is told whose signal was taken."""


def answering(protocol: ActorProtocol, answers: Callable[[Operation], Any]) -> ActorProtocol:
    """The protocol with some operations answered without the store, where `answers` gives something else than None."""
    operation = next(protocol)
    while True:
        result = answers(operation)
        if result is None and isinstance(operation, Together):
            given = [answers(part) for part in operation.operations]
            asked = [part for part, answer in zip(operation.operations, given, strict=True) if answer is None]
            found = iter((yield Together(tuple(asked))))
            result = [next(found) if answer is None else answer for answer in given]
        elif result is None:
            result = yield operation
        try:
            operation = protocol.send(result)
        except StopIteration as stop:
            return stop.value


def without_rule_5(protocol: ActorProtocol) -> ActorProtocol:
    """The protocol when it takes the mark for granted."""
    return answering(protocol, lambda operation: b"{}" if operation == Get(MARK) else None)


def without_rule_1(token: str) -> ActorProtocol:
    """A driver that deploys first and writes its intent afterwards."""
    protocol = driver(token)
    operation = next(protocol)
    while True:
        if isinstance(operation, PutIfAbsent) and b'"step_started"' in operation.data:
            yield deploys(token)
        try:
            operation = protocol.send(None if isinstance(operation, Act) else (yield operation))
        except StopIteration as stop:
            return stop.value


def without_outcomes_at_the_end(protocol: ActorProtocol) -> ActorProtocol:
    """An end that leaves the planned waits without an outcome."""
    return answering(
        protocol,
        lambda operation: (
            [True] * len(operation.operations)
            if isinstance(operation, Together)
            and any(isinstance(each, PutIfAbsent) for each in operation.operations)
            else None
        ),
    )


def highest_first(protocol: ActorProtocol) -> ActorProtocol:
    """A removal that deletes the highest entry of the journal before the others."""
    operation = next(protocol)
    while True:
        result = yield operation
        if operation == List(keys.entries(RUN)):
            result = result[::-1]
        try:
            operation = protocol.send(result)
        except StopIteration as stop:
            return stop.value


def recoverer() -> ActorProtocol:
    """Give up on a lost driver, without acknowledging anything that is not known."""
    recovery = yield from recover_run(RUN, acknowledge_unknown=False, ambient=ambient("recoverer"))
    return type(recovery).__name__
