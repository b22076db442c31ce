"""The actors and invariants of the explorations of early signals: openers, senders, ends, who discards.

Each wait has a run of its own, as in `claims`. A signal is used at the moment at which an outcome is created for a wait
whose mark is there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import Any

from swamp_core.journal.claims import release_key
from swamp_core.journal.early import end_used_by
from swamp_core.journal.entry import Entry
from swamp_core.records import keys
from swamp_core.records.early import EarlyName, EarlySignal
from swamp_core.records.families import Cancelled, Hold, Mark, Registration
from swamp_core.run.events import RetryAbandoned, RunDeleted
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Delete, Get, List, Operation, PutIfAbsent, execute
from swamp_core.testing.explore import Actor, ActorProtocol, World
from swamp_core.waits.by_key import Delivered, SignalByKey, Stored, signal_by_key
from swamp_core.waits.claiming import Held
from swamp_core.waits.delivering import deliver
from swamp_core.waits.early import Ended, discard_signal
from swamp_core.waits.opening import claim_of, open_wait
from swamp_core.waits.settling import Settled, signal_wait
from swamp_core.waits.signals import Signal

from tests.explored.claims import IN_TIME, KEY, NOW, WORKFLOW, records_of
from tests.explored.runs import answering

TTL = timedelta(hours=1)
AFTER_TTL = NOW + timedelta(hours=1, minutes=1)
"""By a clock that is as late as this an early signal of `NOW` has expired, and no wait."""

Rule = Callable[[ActorProtocol], ActorProtocol]


def entry(wait: str, number: int, event: RunDeleted | RetryAbandoned) -> Entry:
    """An entry of the journal of a wait's run, of which only counts whether it is there and says that it is removed."""
    return Entry(run_id=f"run-{wait}", number=number, entry_id=str(number), owner=wait, events=[event])


def running(wait: str) -> dict[str, bytes]:
    """The mark and the journal of a run whose wait is to be opened."""
    mark = Mark(workflow=WORKFLOW, run_id=f"run-{wait}", number=1)
    return records_of(mark, entry(wait, 1, RetryAbandoned(at=NOW)))


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
        key_name=KEY,
    )


def open_already(wait: str) -> dict[str, bytes]:
    """The records of a wait that is open and holds the key."""
    registration = registration_of(wait)
    claim = claim_of(registration)
    assert claim
    return {**running(wait), **records_of(registration, claim)}


def early(signal: str, place: int = 1) -> EarlySignal:
    return EarlySignal(
        workflow=WORKFLOW,
        key_name=KEY,
        signal_id=signal,
        place=place,
        payload={"of": signal},
        received_at=NOW,
        submitted_by="sender",
        idempotency_key=f"name-{signal}",
        expires_at=NOW + TTL,
    )


def held(*signals: str) -> dict[str, bytes]:
    """The records of signals that are held, in this order."""
    records = [early(signal, place) for place, signal in enumerate(signals, 1)]
    return records_of(*records, *(EarlyName(signal=each) for each in records))


def opener(wait: str, now: datetime = NOW, rule: Rule = iter) -> Actor:
    """A driver that opens its wait, and withdraws it when it finds its mark gone at its next append."""

    def opening() -> ActorProtocol:
        obstacle = yield from open_wait(registration_of(wait), lambda: now)
        if (yield Get(mark_of(wait))) is None:
            yield from release_key(WORKFLOW, KEY, f"run-{wait}")
            yield Delete(keys.registration(wait))
            return "over"
        return "held off" if isinstance(obstacle, Held) else "opened"

    return Actor(wait, lambda: rule(opening()))


def sender(
    signal: str,
    *,
    name: str | None = None,
    now: datetime = NOW,
    actor: str = "",
    after: tuple[str, ...] = (),
    rule: Rule = iter,
) -> Actor:
    """A signal by key; one with a name is stored before it is delivered, and may be sent again by that name."""

    def sending() -> ActorProtocol:
        message = Signal({"of": name or signal}, f"name-{name or signal}", signal, "sender")
        sent = SignalByKey(WORKFLOW, KEY, message, is_named=name is not None, hold=Hold())
        result = yield from signal_by_key(sent, lambda: now)
        match result:
            case Delivered(outcome=outcome):
                return "accepted", outcome.receipt.id, outcome.wait_id
            case Stored(signal=stored):
                return "stored", stored.signal_id
            case _:
                return ("refused", type(result).__name__)

    return Actor(actor or signal, lambda: rule(sending()), after=after)


def direct(signal: str, wait: str) -> Actor:
    """A signal to the wait by its ID."""

    def sending() -> ActorProtocol:
        message = Signal({"of": signal}, f"name-{signal}", signal, "sender")
        result = yield from signal_wait(wait, message, lambda: NOW)
        return (
            ("accepted", signal, wait) if isinstance(result, Settled) else ("refused", type(result).__name__)
        )

    return Actor(signal, sending)


def ending(wait: str, *, removing: bool = False, after: tuple[str, ...] = (), rule: Rule = iter) -> Actor:
    """The end of the run of a wait, in the order of `end_run`; and its removal."""

    def end() -> ActorProtocol:
        outcome = Cancelled(
            wait_id=wait, workflow=WORKFLOW, run_id=f"run-{wait}", job="j", step="review", at=NOW
        )
        yield PutIfAbsent(outcome.key(), outcome.encode())
        yield from end_used_by([wait])
        yield Delete(mark_of(wait))
        yield from release_key(WORKFLOW, KEY, f"run-{wait}")
        yield Delete(keys.registration(wait))
        if removing:
            deleted = entry(wait, 2, RunDeleted(at=NOW, wait_ids=[wait]))
            yield PutIfAbsent(deleted.key(), deleted.encode())
            yield Delete(outcome.key())
            yield Delete(keys.entry(f"run-{wait}", 1))
            yield Delete(deleted.key())

    return Actor(f"end of {wait}", lambda: rule(end()), after=after)


def discarder(signal: str, *, and_forgets: bool = False) -> Actor:
    """Who discards a held signal while no wait has it; in time a sweep forgets what it came to."""

    def discarding() -> ActorProtocol:
        if (yield Get(early(signal).key())) is None:
            return ("gone", signal)
        became = yield from discard_signal(early(signal))
        if became is None or not isinstance(became.state, Ended) or became.state.end.use:
            return ("kept", signal)
        if and_forgets:
            yield from forget(signal)
        return ("discarded", signal)

    return Actor("discards", discarding)


def forget(signal: str) -> ActorProtocol:
    """What a sweep does in the end, a long time later: the name goes, then the takes."""
    yield Delete(EarlyName(signal=early(signal)).key())
    for each in (yield List(keys.early_takes(WORKFLOW, KEY, signal))):
        yield Delete(each)


def mark_of(wait: str) -> str:
    return keys.mark(WORKFLOW, f"run-{wait}", 1)


def is_open(wait: str, records: Mapping[str, bytes]) -> bool:
    ahead = (keys.registration(wait), mark_of(wait))
    return all(key in records for key in ahead) and keys.outcome(wait) not in records


def witness(_actor: str, operation: Operation, result: Any, records: Mapping[str, bytes]) -> Any:
    """Notes that a wait used a signal."""
    if not (isinstance(operation, PutIfAbsent) and operation.key.startswith(keys.OUTCOMES) and result):
        return None
    wait = operation.key.removeprefix(keys.OUTCOMES)
    used = [signal for signal in "stuv" if _is_of(signal, operation.data)]
    return ("used", used[0], wait) if used and mark_of(wait) in records else None


def uses(world: World, signal: str) -> list[str]:
    return [fact[2] for fact in world.facts if fact[:2] == ("used", signal)]


def used_once(world: World) -> str | None:
    """No signal is used by two waits, and no two waits hold the key."""
    for signal in "stuv":
        if len(waits := uses(world, signal)) > 1:
            return f"the signal {signal} was used by {waits}"
    waits = [key.removeprefix(keys.WAITS) for key in world.records if key.startswith(keys.WAITS)]
    found = [wait for wait in waits if is_open(wait, world.records)]
    return f"two waits are open under one key: {found}" if len(found) > 1 else None


def is_held(world: World, signal: str) -> bool:
    """Whether the signal is there for the next wait: it stands, and nothing says what it came to."""
    ends = [
        key
        for key in world.records
        if key.startswith(keys.early_takes(WORKFLOW, KEY, signal)) and b'"early-end"' in world.records[key]
    ]
    return early(signal).key() in world.records and not ends


def nothing_lost(world: World) -> str | None:
    """What was acknowledged is used, or held, or its sender was told that it is not; nothing else was told."""
    for name, result in world.results.items():
        match result:
            case ("accepted", signal, wait) if wait not in (*uses(world, signal), *_has(world, signal)):
                return f"{name} was told that {wait} has {signal}, which was used by {uses(world, signal)}"
            case ("discarded", signal) if uses(world, signal):
                return f"{signal} was discarded, and used by {uses(world, signal)}"
    for signal in "stuv":
        names = [data for key, data in world.records.items() if key.startswith(keys.EARLY_NAMES)]
        is_named = any(f'"signalId":"{signal}"'.encode() in data for data in names)
        kept = (
            uses(world, signal) or _has(world, signal) or is_held(world, signal) or _given_up(world, signal)
        )
        if is_named and not kept and not world.crashed:
            return f"the signal {signal} was taken and is lost"
    return None


def _has(world: World, signal: str) -> list[str]:
    """The waits whose outcome the signal is."""
    outcomes = [key for key in world.records if key.startswith(keys.OUTCOMES)]
    return [key.removeprefix(keys.OUTCOMES) for key in outcomes if _is_of(signal, world.records[key])]


def _is_of(signal: str, outcome: bytes) -> bool:
    return f'"id":"{signal}"'.encode() in outcome


def _given_up(world: World, signal: str) -> bool:
    """Whether its end says that no wait has it."""
    prefix = keys.early_takes(WORKFLOW, KEY, signal)
    ends = [data for key, data in world.records.items() if key.startswith(prefix) and b'"early-end"' in data]
    return any(b'"used"' not in data for data in ends)


def nobody_waits_in_vain(world: World) -> str | None:
    """Where nobody crashed, no wait is open beside a signal that is held for it."""
    waits = [key.removeprefix(keys.WAITS) for key in world.records if key.startswith(keys.WAITS)]
    waiting = [wait for wait in waits if is_open(wait, world.records)]
    kept = [signal for signal in "stuv" if is_held(world, signal)]
    return f"{waiting} waits beside {kept}" if waiting and kept and not world.crashed else None


def registers_last(protocol: ActorProtocol) -> ActorProtocol:
    """An opener that delivers before it registers."""
    kept: PutIfAbsent | None = None
    operation = next(protocol)
    while True:
        if isinstance(operation, PutIfAbsent) and operation.key.startswith(keys.WAITS):
            kept, result = operation, True
        elif kept and isinstance(operation, Get) and operation.key.startswith(keys.OPEN_RUNS):
            yield kept
            kept, result = None, (yield operation)
        else:
            result = yield operation
        try:
            operation = protocol.send(result)
        except StopIteration as stop:
            return stop.value


def looks_first(protocol: ActorProtocol) -> ActorProtocol:
    """A sender that goes by the holder that it saw before it stored its signal."""
    seen: list[Any] = []
    operation = next(protocol)
    while True:
        if operation == List(keys.claims(WORKFLOW, KEY), limit=1) and seen:
            result = seen[0]
        else:
            result = yield operation
        if operation == List(keys.claims(WORKFLOW, KEY), limit=1):
            seen.append(result)
        try:
            operation = protocol.send(result)
        except StopIteration as stop:
            return stop.value


def without_second_look(protocol: ActorProtocol) -> ActorProtocol:
    """A taker that takes it for granted that the signal still has its name."""
    taken: list[str] = []

    def answer(operation: Operation) -> Any:
        if isinstance(operation, PutIfAbsent) and b'"early-take"' in operation.data:
            taken[:] = [keys.early_parts(operation.key)[2]]
        name = EarlyName(signal=early(taken[0])) if taken else None
        return name.encode() if name and operation == Get(name.key()) else None

    return answering(protocol, answer)


def without_mark(protocol: ActorProtocol) -> ActorProtocol:
    """Who takes a wait's mark for granted when they look at a signal that it has, or make it an outcome."""
    return answering(
        protocol,
        lambda op: b"{}" if isinstance(op, Get) and op.key.startswith(keys.OPEN_RUNS) else None,
    )


def takes_first(protocol: ActorProtocol) -> ActorProtocol:
    """Who ends a signal and removes its takes before the record."""
    operation = next(protocol)
    while True:
        if isinstance(operation, Delete) and operation.key.startswith(keys.EARLY_SIGNALS):
            for each in (yield List(keys.early_takes(WORKFLOW, KEY, keys.early_parts(operation.key)[2]))):
                yield Delete(each)
        try:
            operation = protocol.send((yield operation))
        except StopIteration as stop:
            return stop.value


def completer(wait: str, rule: Rule = iter) -> Actor:
    """Who delivers to the wait, as somebody does who has just stored a signal."""

    def completing() -> ActorProtocol:
        yield from deliver(registration_of(wait), lambda: NOW)
        return "delivered"

    return Actor(f"delivers to {wait}", lambda: rule(completing()))


def used(signal: str, wait: str) -> dict[str, bytes]:
    """The records of a wait that is open no more, since it has used a signal that was held."""
    store = MemoryStore({**open_already(wait), **held(signal)})
    execute(deliver(registration_of(wait), lambda: NOW), store)
    return dict(store.records)


def forgetter(wait: str, signal: str, after: tuple[str, ...]) -> Actor:
    """Who deletes the workflow: the run of the wait, and all that tells of the signal that it used."""

    def forgetting() -> ActorProtocol:
        yield from ending(wait, removing=True).start()
        yield Delete(early(signal).key())
        yield from forget(signal)

    return Actor("deletes all", forgetting, after=after)


def without_name(protocol: ActorProtocol) -> ActorProtocol:
    """Who takes it for granted that a signal that is there has its name."""
    name = EarlyName(signal=early("s"))
    return answering(protocol, lambda operation: name.encode() if operation == Get(name.key()) else None)
