"""The actors and invariants of the explorations of a key: claimants, who settles or ends a holder, the deadline.

Each wait has a run of its own, and of that run there is only what a claim looks at: its mark, and what its end does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from swamp_core.journal.claims import release_key
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import KEY_RECORD, Cancelled, Claim, Mark, Registration, Release
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Delete, Get, List, Operation, PutIfAbsent, perform
from swamp_core.testing.explore import AGAIN, Actor, ActorProtocol, World
from swamp_core.waits.claiming import Acquired, Held, RunOver, try_to_claim
from swamp_core.waits.opening import open_wait

from tests.explored.runs import NOW, answering

WORKFLOW, KEY = "ask", "verdict"
LATER = NOW + timedelta(hours=1)
IN_TIME = NOW + timedelta(hours=2)


def claim_of(wait: str, *, number: int = 1, deadline: datetime = IN_TIME) -> Claim:
    """The claim of a wait; its run has the name of the wait."""
    return Claim(
        workflow=WORKFLOW,
        key_name=KEY,
        number=number,
        wait_id=wait,
        run_id=f"run-{wait}",
        mark=1,
        job="j",
        step="review",
        deadline=deadline,
    )


def registration_of(wait: str) -> Registration:
    return Registration(
        wait_id=wait,
        workflow=WORKFLOW,
        run_id=f"run-{wait}",
        mark=1,
        job="j",
        step="review",
        wait_kind="signal",
        opened_at=NOW,
        deadline=IN_TIME,
    )


def records_of(*records: Any) -> dict[str, bytes]:
    return {record.key(): record.encode() for record in records}


def running(*waits: str) -> dict[str, bytes]:
    """The marks of the runs whose waits are to be opened."""
    return records_of(*(Mark(workflow=WORKFLOW, run_id=f"run-{wait}", number=1) for wait in waits))


def holding(wait: str, *, number: int = 4, deadline: datetime = IN_TIME) -> dict[str, bytes]:
    """The records of a wait that is open and holds the key."""
    claim = claim_of(wait, number=number, deadline=deadline)
    return {**running(wait), **records_of(claim, registration_of(wait))}


def claimant(wait: str, now: datetime = NOW, rule: Callable[[ActorProtocol], ActorProtocol] = iter) -> Actor:
    """A driver that opens its wait: it claims, and registers what it has acquired. One without a mark withdraws it."""

    def opening() -> ActorProtocol:
        claiming = yield from try_to_claim(claim_of(wait), now)
        match claiming:
            case None:
                return AGAIN
            case Held(claim=claim):
                return "held", claim.wait_id
            case Acquired():
                yield from open_wait(registration_of(wait), lambda: NOW)
                if (yield Get(claim_of(wait).mark_key())) is None:
                    yield Delete(keys.registration(wait))
                    return "over", wait
                return "opened", wait
            case RunOver():
                return "over", wait
            case unreadable:
                return "unreadable", unreadable.key

    return Actor(wait, lambda: rule(opening()))


def ending(wait: str, *, removing: bool = False) -> Actor:
    """The end of the run of a wait, in the order of `end_run`; and its removal."""

    def end() -> ActorProtocol:
        at = {"workflow": WORKFLOW, "run_id": f"run-{wait}", "job": "j", "step": "review", "at": NOW}
        outcome = Cancelled(wait_id=wait, **at)
        yield PutIfAbsent(outcome.key(), outcome.encode())
        yield Delete(claim_of(wait).mark_key())
        yield from release_key(WORKFLOW, KEY, f"run-{wait}")
        yield Delete(keys.registration(wait))
        if removing:
            yield Delete(outcome.key())

    return Actor(f"end of {wait}", end)


def is_open(wait: str, records: Mapping[str, bytes]) -> bool:
    ahead = (keys.registration(wait), claim_of(wait).mark_key())
    return all(key in records for key in ahead) and keys.outcome(wait) not in records


def open_waits(world: World) -> list[str]:
    waits = [key.removeprefix(keys.WAITS) for key in world.records if key.startswith(keys.WAITS)]
    return [wait for wait in waits if is_open(wait, world.records)]


def one_holder(world: World) -> str | None:
    """At no moment do two open waits hold the key."""
    found = open_waits(world)
    return f"two waits are open under one key: {found}" if len(found) > 1 else None


def named_a_holder(world: World) -> str | None:
    """Who is refused is told of a wait that held the key while they tried."""
    for name, result in world.results.items():
        if isinstance(result, tuple) and result[0] == "held" and (name, result[1]) not in world.facts:
            return f"{name} was told that {result[1]} holds the key, which it did at no moment"
    return None


def holds(world: World) -> str | None:
    """At rest an open wait has the highest claim, and the highest claim is that of a run that goes on."""
    highest = next(_kept(world), None)
    claim = highest.wait_id if isinstance(highest, Claim) else None
    if open_waits(world) not in ([], [claim]):
        return f"{open_waits(world)} is open, and the highest claim is of {claim}"
    is_over = isinstance(highest, Claim) and highest.mark_key() not in world.records
    return f"nothing will remove the claim of {claim}" if is_over and not world.crashed else None


def one_record(world: World) -> str | None:
    """Where nobody crashed and no request came late, one record is left of the key."""
    left = keys_of(world.records)
    return f"more than one record is left of the key: {left}" if len(left) > 1 and not world.crashed else None


def _kept(world: World) -> Iterator[Claim | Release]:
    for key in keys_of(world.records):
        reading = read_record(KEY_RECORD, key, world.records[key])
        assert isinstance(reading, Found)
        yield reading.record


def keys_of(records: Mapping[str, bytes]) -> list[str]:
    return sorted(key for key in records if key.startswith(keys.WAIT_KEYS))


def witness(actor: str, operation: Operation, result: Any, records: Mapping[str, bytes]) -> Any:
    """Notes which wait held the key when a claimant looked."""
    if not (isinstance(operation, List) and operation.limit == 1 and result):
        return None
    reading = read_record(KEY_RECORD, result[0], records[result[0]])
    assert isinstance(reading, Found)
    claim = reading.record
    if (
        not isinstance(claim, Claim)
        or claim.mark_key() not in records
        or keys.outcome(claim.wait_id) in records
    ):
        return None
    return actor, claim.wait_id


def stalled(actor: Actor, seen: Mapping[str, bytes]) -> Actor:
    """An actor that read these records, decided, and stalled before the first record that it makes."""

    def woken() -> ActorProtocol:
        protocol, store = actor.start(), MemoryStore(dict(seen))
        operation = next(protocol)
        while not isinstance(operation, PutIfAbsent):
            operation = protocol.send(perform(operation, store))
        result = yield from resumed(protocol, operation)
        while result is AGAIN:  # And not from the old records.
            result = yield from actor.start()
        return result

    return replace(actor, start=woken)


def resumed(protocol: ActorProtocol, operation: Operation) -> ActorProtocol:
    """The rest of a protocol, from an operation that it has yielded already."""
    while True:
        try:
            operation = protocol.send((yield operation))
        except StopIteration as stop:
            return stop.value


def without_rule_2(protocol: ActorProtocol) -> ActorProtocol:
    """A release that deletes the claim that is the highest, and supersedes it with nothing."""
    operation = next(protocol)
    while True:
        if isinstance(operation, PutIfAbsent) and b'"release"' in operation.data:
            *_, number = keys.claimed(operation.key)
            operation = Delete(keys.claim(WORKFLOW, KEY, number - 1))
        try:
            operation = protocol.send((yield operation))
        except StopIteration as stop:
            return stop.value


def without_rule_3(protocol: ActorProtocol) -> ActorProtocol:
    """A claim that takes its create for a win: it is told that its own is the highest."""
    made: list[str] = []

    def answer(operation: Operation) -> Any:
        if isinstance(operation, PutIfAbsent) and operation.key.startswith(keys.WAIT_KEYS):
            made[:] = [operation.key]
        confirms = isinstance(operation, List) and operation.limit is None
        return list(made) if confirms else None

    return answering(protocol, answer)


def without_rule_5(protocol: ActorProtocol) -> ActorProtocol:
    """A claim that takes its run's mark for granted."""
    return answering(protocol, lambda operation: b"{}" if _looks_for_mark(operation) else None)


def without_rule_4(protocol: ActorProtocol) -> ActorProtocol:
    """A claim that takes what it cannot read for a release."""
    release = Release(workflow=WORKFLOW, key_name=KEY, number=4).encode()
    return answering(
        protocol,
        lambda operation: release if operation == Get(keys.claim(WORKFLOW, KEY, 4)) else None,
    )


def without_second_look(protocol: ActorProtocol) -> ActorProtocol:
    """A claim that takes the mark of the holder's run for granted."""
    mark = Get(claim_of("a").mark_key())
    return answering(protocol, lambda operation: b"{}" if operation == mark else None)


def _looks_for_mark(operation: Operation) -> bool:
    return isinstance(operation, Get) and operation.key.startswith(keys.OPEN_RUNS)
