"""The interleaving explorer: several protocols on one store, one operation at a time, in every order.

An *actor* is a protocol generator as production code runs it. The explorer replays it from its history of results,
so a state of the search is the records, the facts, and each actor's history; states seen before are pruned, and an
actor that is done is told apart by what it returned alone. The search is breadth-first, so a violation comes with a
shortest schedule that leads to it.

An actor that tries again and again ends each try that came to nothing with `AGAIN`: its next one is told apart from
the first by nothing, so the search stays finite.

Faults are choices like any other: at most `crashes` actors stop for ever at some operation, and at most `echoes`
creates or deletes take effect once more, at any later moment (a delayed request; see the store protocol).

    explore(
        [Actor("first", lambda: claim("a")), Actor("second", lambda: claim("b"))],
        records={},
        at_end=lambda world: "two winners" if all(world.results.values()) else None,
    )
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from swamp_core.store.operations import Delete, Get, List, Operation, PutIfAbsent, Together


@dataclass(frozen=True, slots=True)
class Act:
    """Yielded by an actor: something that the world outside the store sees, such as a deployment."""

    fact: Hashable


AGAIN = object()
"""Returned by an actor that begins anew and remembers nothing."""

Step = Operation | Act
ActorProtocol = Generator[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """One participant; `start` makes its protocol anew. It begins when those named in `after` are done or crashed."""

    name: str
    start: Callable[[], ActorProtocol]
    after: tuple[str, ...] = ()
    may_crash: bool = True


@dataclass(frozen=True, slots=True)
class World:
    """What an invariant may look at. `results` holds what each actor returned, as far as it is done."""

    records: Mapping[str, bytes]
    facts: tuple[Hashable, ...]
    results: Mapping[str, Any]
    crashed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold, and the schedule that leads there."""

    message: str
    schedule: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((self.message, *(f"{n:3}. {line}" for n, line in enumerate(self.schedule, 1))))


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a search came to. `exhaustive`: every state within its bounds was seen."""

    states: int
    ends: int
    exhaustive: bool
    violation: Violation | None


Invariant = Callable[[World], str | None]
Witness = Callable[[str, Operation, Any, Mapping[str, bytes]], Hashable | None]
"""Called with the actor, an operation, its result and the records after it; what it gives becomes a fact."""


class _Records:
    """Immutable records that know their hash, so that a state costs what changed and not what there is."""

    __slots__ = ("by_key", "hash")

    def __init__(self, by_key: dict[str, bytes], hash_: int) -> None:
        self.by_key = by_key
        self.hash = hash_

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Records) and self.hash == other.hash and self.by_key == other.by_key

    @classmethod
    def of(cls, by_key: Mapping[str, bytes]) -> _Records:
        hash_ = 0
        for item in by_key.items():
            hash_ ^= hash(item)
        return cls(dict(by_key), hash_)

    def after(self, operation: PutIfAbsent | Get | List | Delete) -> tuple[Any, _Records]:
        """The result of an operation, and the records after it."""
        match operation:
            case Get(key=key):
                return self.by_key.get(key), self
            case List(prefix=prefix, start_after=after, limit=limit):
                keys = sorted(key for key in self.by_key if key.startswith(prefix) and key > (after or ""))
                return tuple(keys[:limit]), self
            case PutIfAbsent(key=key, data=data):
                if key in self.by_key:
                    return False, self
                return True, _Records({**self.by_key, key: data}, self.hash ^ hash((key, data)))
            case Delete(key=key):
                if key not in self.by_key:
                    return None, self
                rest = {other: data for other, data in self.by_key.items() if other != key}
                return None, _Records(rest, self.hash ^ hash((key, self.by_key[key])))


class _Place(NamedTuple):
    """Where an actor stands: a node of its tree of histories, and the results of a `Together` under way."""

    node: int
    partial: tuple[Any, ...] = ()


class _State(NamedTuple):
    records: _Records
    facts: tuple[Hashable, ...]
    places: tuple[_Place, ...]
    crashed: frozenset[int]
    echo: PutIfAbsent | Delete | None
    echoes_left: int
    running: int | None = None
    preemptions_left: int | None = None


@dataclass(frozen=True, slots=True)
class _Done:
    value: Any


@dataclass(slots=True)
class _Histories:
    """The results that one actor can have been sent, as a tree; each node knows what the actor does next."""

    actor: Actor
    steps: list[Step | _Done] = field(default_factory=list)
    _paths: list[tuple[Any, ...]] = field(default_factory=list)
    _children: dict[tuple[int, Any], int] = field(default_factory=dict)
    _ends: dict[Any, int] = field(default_factory=dict)

    def root(self) -> int:
        """The node of an actor that has not begun."""
        return self._add(())

    def child(self, node: int, result: Any) -> int:
        """The node after the actor was sent a result."""
        found = self._children.get((node, result))
        if found is None:
            found = self._children[node, result] = self._add((*self._paths[node], result))
        return found

    def _add(self, path: tuple[Any, ...]) -> int:
        step = _replayed(self.actor.start(), path)
        if isinstance(step, _Done):
            if step.value is AGAIN:
                return 0
            known = self._ends.setdefault(step.value, len(self.steps))
            if known < len(self.steps):
                return known
        self.steps.append(step)
        self._paths.append(path)
        return len(self.steps) - 1


@dataclass(slots=True)
class _Search:
    actors: list[Actor]
    witness: Witness
    crashes: int
    histories: list[_Histories]

    def step(self, state: _State, index: int) -> Step | _Done:
        return self.histories[index].steps[state.places[index].node]

    def runnable(self, state: _State) -> list[int]:
        """The actors that can go on."""
        over = [
            index in state.crashed or isinstance(self.step(state, index), _Done)
            for index in range(len(self.actors))
        ]
        names = {actor.name for actor, is_over in zip(self.actors, over, strict=True) if is_over}
        return [
            index
            for index, actor in enumerate(self.actors)
            if not over[index] and all(name in names for name in actor.after)
        ]

    def successors(self, state: _State, runnable: list[int]) -> Iterator[tuple[str, _State]]:
        if state.echo is not None:
            result, records = state.records.after(state.echo)
            yield f"(echo) {_described(state.echo, result)}", state._replace(records=records, echo=None)
        for index in runnable:
            left = state.preemptions_left
            if left is not None and index != state.running and state.running in runnable:
                if not left:
                    continue
                left -= 1
            yield from self._of_actor(state._replace(preemptions_left=left), index)

    def _of_actor(self, state: _State, index: int) -> Iterator[tuple[str, _State]]:
        actor = self.actors[index]
        if state.preemptions_left is not None:
            state = state._replace(running=index)
        if actor.may_crash and len(state.crashed) < self.crashes and state.places[index].node:
            yield f"{actor.name}: crashes", state._replace(crashed=state.crashed | {index})
        yield from self._advance(state, index)

    def _advance(self, state: _State, index: int) -> Iterator[tuple[str, _State]]:
        place, name, step = state.places[index], self.actors[index].name, self.step(state, index)
        if isinstance(step, Act):
            after = self._moved(state, index, self._sent(index, place, None))
            yield f"{name}: acts, {step.fact}", after._replace(facts=(*state.facts, step.fact))
            return
        assert not isinstance(step, _Done)
        operation = step.operations[len(place.partial)] if isinstance(step, Together) else step
        result, records = state.records.after(operation)
        fact = self.witness(name, operation, result, records.by_key)
        after = self._moved(state, index, self._answered(index, place, step, result))._replace(
            records=records
        )
        if fact is not None:
            after = after._replace(facts=(*state.facts, fact))
        line = f"{name}: {_described(operation, result)}"
        yield line, after
        if state.echoes_left and state.echo is None and isinstance(operation, PutIfAbsent | Delete):
            yield (
                f"{line}, and once more later",
                after._replace(echo=operation, echoes_left=state.echoes_left - 1),
            )

    def _moved(self, state: _State, index: int, place: _Place) -> _State:
        return state._replace(places=(*state.places[:index], place, *state.places[index + 1 :]))

    def _answered(self, index: int, place: _Place, step: Operation, result: Any) -> _Place:
        if not isinstance(step, Together):
            return self._sent(index, place, result)
        partial = (*place.partial, result)
        whole = len(partial) == len(step.operations)
        return self._sent(index, place, partial) if whole else _Place(place.node, partial)

    def _sent(self, index: int, place: _Place, result: Any) -> _Place:
        return _Place(self.histories[index].child(place.node, result))

    def world(self, state: _State) -> World:
        results = {
            actor.name: step.value
            for index, actor in enumerate(self.actors)
            if index not in state.crashed and isinstance(step := self.step(state, index), _Done)
        }
        crashed = frozenset(self.actors[index].name for index in state.crashed)
        return World(state.records.by_key, state.facts, results, crashed)


def explore(
    actors: list[Actor],
    *,
    records: Mapping[str, bytes],
    always: Invariant = lambda _world: None,
    at_end: Invariant = lambda _world: None,
    witness: Witness = lambda *_: None,
    crashes: int = 0,
    echoes: int = 0,
    preemptions: int | None = None,
    states_max: int = 1_000_000,
) -> Exploration:
    """Search every order of the actors' operations for a state in which an invariant does not hold.

    `always` is asked in every state, `at_end` where nobody can go on; each gives what is wrong, or None. What an
    actor returns must be hashable. With `preemptions` an actor is interrupted by another at most so many times in all,
    while it could go on: a bound for scenarios that are too large without one, since few faults need many.
    """
    histories = [_Histories(actor) for actor in actors]
    search = _Search(actors, witness, crashes, histories)
    places = tuple(_Place(each.root()) for each in histories)
    first = _State(_Records.of(records), (), places, frozenset(), None, echoes, None, preemptions)
    came_from: dict[_State, tuple[_State, str] | None] = {first: None}
    queue, ends = deque([first]), 0
    while queue:
        state = queue.popleft()
        runnable = search.runnable(state)
        world = search.world(state)
        at_rest = not runnable and state.echo is None
        ends += at_rest
        message = always(world) or (at_end(world) if at_rest else None)
        if message:
            return Exploration(len(came_from), ends, False, Violation(message, _schedule(came_from, state)))
        for line, after in search.successors(state, runnable):
            if after not in came_from:
                came_from[after] = (state, line)
                queue.append(after)
        if len(came_from) > states_max:
            return Exploration(len(came_from), ends, False, None)
    return Exploration(len(came_from), ends, True, None)


def _replayed(protocol: ActorProtocol, history: tuple[Any, ...]) -> Step | _Done:
    try:
        step = next(protocol)
        for result in history:
            step = protocol.send(list(result) if isinstance(result, tuple) else result)
            while isinstance(step, Together) and not step.operations:
                step = protocol.send([])
    except StopIteration as stop:
        return _Done(stop.value)
    return step  # type: ignore[no-any-return]


def _described(operation: Operation, result: Any) -> str:
    match operation:
        case PutIfAbsent(key=key):
            return f"create {key}: {'created' if result else 'exists'}"
        case Delete(key=key):
            return f"delete {key}"
        case Get(key=key):
            return f"read {key}: {'absent' if result is None else 'found'}"
        case List(prefix=prefix):
            return f"list {prefix}: {', '.join(key.removeprefix(prefix) for key in result) or 'nothing'}"
        case Together():
            return f"{len(operation.operations)} operations"


def _schedule(came_from: Mapping[_State, tuple[_State, str] | None], state: _State) -> tuple[str, ...]:
    lines: list[str] = []
    step = came_from[state]
    while step is not None:
        state, line = step
        lines.append(line)
        step = came_from[state]
    return tuple(reversed(lines))
