"""The states of an exploration, and what can happen next in each."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from swamp_core.store.operations import Delete, Get, List, Operation, PutIfAbsent, Together
from swamp_core.testing.actors import (
    AGAIN,
    Act,
    Actor,
    ActorProtocol,
    ExploredClock,
    ReadsClock,
    Step,
    Witness,
    World,
)


class Records:
    """Immutable records that know their hash, so that a state costs what changed and not what there is."""

    __slots__ = ("by_key", "hash")

    def __init__(self, by_key: dict[str, bytes], hash_: int) -> None:
        self.by_key = by_key
        self.hash = hash_

    def __hash__(self) -> int:
        return self.hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Records) and self.hash == other.hash and self.by_key == other.by_key

    @classmethod
    def of(cls, by_key: Mapping[str, bytes]) -> Records:
        """These records."""
        hash_ = 0
        for item in by_key.items():
            hash_ ^= hash(item)
        return cls(dict(by_key), hash_)

    def after(self, operation: PutIfAbsent | Get | List | Delete) -> tuple[Any, Records]:
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
                return True, Records({**self.by_key, key: data}, self.hash ^ hash((key, data)))
            case Delete(key=key):
                if key not in self.by_key:
                    return None, self
                rest = {other: data for other, data in self.by_key.items() if other != key}
                return None, Records(rest, self.hash ^ hash((key, self.by_key[key])))


class Place(NamedTuple):
    """Where an actor stands: a node of its tree of histories, and the results of a `Together` under way."""

    node: int
    partial: tuple[Any, ...] = ()


Line = str | tuple[str, PutIfAbsent | Get | List | Delete, Any, str]
"""What happened, as far as `line_text` needs it: a search has many, and prints few."""


class State(NamedTuple):
    """What tells one moment of an exploration from another, and what may still go wrong."""

    records: Records
    facts: tuple[Hashable, ...]
    places: tuple[Place, ...]
    crashed: frozenset[int]
    echo: PutIfAbsent | Delete | None
    echoes_left: int
    running: int | None = None
    preemptions_left: int | None = None
    time: int = 0


@dataclass(frozen=True, slots=True)
class Done:
    """That an actor has ended, and what it returned."""

    value: Any


@dataclass(frozen=True, slots=True)
class Reading:
    """That an actor reads the clock; in its history, what it read."""

    at: datetime | None = None


@dataclass(slots=True)
class Histories:
    """The results that one actor can have been sent, as a tree; each node knows what the actor does next."""

    actor: Actor
    clock: ExploredClock
    steps: list[Step | Reading | Done] = field(default_factory=list)
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
        step = _replayed(self.actor.start, path, self.clock)
        if isinstance(step, Done):
            if step.value is AGAIN:
                return 0
            known = self._ends.setdefault(step.value, len(self.steps))
            if known < len(self.steps):
                return known
        self.steps.append(step)
        self._paths.append(path)
        return len(self.steps) - 1


@dataclass(slots=True)
class Search:
    """The actors of an exploration, and what each can do next."""

    actors: list[Actor]
    witness: Witness
    crashes: int
    clock: ExploredClock
    histories: list[Histories]

    def step(self, state: State, index: int) -> Step | Reading | Done:
        """What an actor does next."""
        return self.histories[index].steps[state.places[index].node]

    def runnable(self, state: State) -> list[int]:
        """The actors that can go on."""
        over = [
            index in state.crashed or isinstance(self.step(state, index), Done)
            for index in range(len(self.actors))
        ]
        names = {actor.name for actor, is_over in zip(self.actors, over, strict=True) if is_over}
        crashed = {self.actors[index].name for index in state.crashed}
        return [
            index
            for index, actor in enumerate(self.actors)
            if not over[index]
            and all(name in names for name in actor.after)
            and (actor.recovers is None or actor.recovers in crashed)
        ]

    def successors(self, state: State, runnable: list[int]) -> Iterator[tuple[Line, State]]:
        """All that can happen next, each as the `Line` of a schedule with the state after it."""
        if state.echo is not None:
            result, records = state.records.after(state.echo)
            yield ("(echo)", state.echo, result, ""), state._replace(records=records, echo=None)
        if state.time + 1 < len(self.clock.times):
            yield f"(clock) it is {self.clock.times[state.time + 1]}", state._replace(time=state.time + 1)
        else:  # Nothing that others do can change what is read now.
            for index in runnable:
                if isinstance(self.step(state, index), Reading):
                    yield from self._advance(state, index)
                    return
        for index in runnable:
            left = state.preemptions_left
            if left is not None and index != state.running and state.running in runnable:
                if not left:
                    continue
                left -= 1
            before = state if left is None else state._replace(preemptions_left=left, running=index)
            yield from self._of_actor(before, index)

    def _of_actor(self, state: State, index: int) -> Iterator[tuple[Line, State]]:
        actor = self.actors[index]
        if actor.may_crash and len(state.crashed) < self.crashes and state.places[index].node:
            yield f"{actor.name}: crashes", state._replace(crashed=state.crashed | {index})
        yield from self._advance(state, index)

    def _advance(self, state: State, index: int) -> Iterator[tuple[Line, State]]:
        place, name, step = state.places[index], self.actors[index].name, self.step(state, index)
        if isinstance(step, Act):
            after = self._moved(state, index, self._sent(index, place, None))
            yield f"{name}: acts, {step.fact}", after._replace(facts=(*state.facts, step.fact))
            return
        if isinstance(step, Reading):
            at = self.clock.times[state.time]
            yield (
                f"{name}: reads the clock",
                self._moved(state, index, self._sent(index, place, Reading(at))),
            )
            return
        assert not isinstance(step, Done)
        operation = step.operations[len(place.partial)] if isinstance(step, Together) else step
        result, records = state.records.after(operation)
        fact = self.witness(name, operation, result, records.by_key)
        facts = state.facts if fact is None else (*state.facts, fact)
        moved = self._answered(index, place, step, result)
        places = (*state.places[:index], moved, *state.places[index + 1 :])
        after = State(records, facts, places, *state[3:])
        yield (name, operation, result, ""), after
        if state.echoes_left and state.echo is None and isinstance(operation, PutIfAbsent | Delete):
            yield (
                (name, operation, result, ", and once more later"),
                after._replace(echo=operation, echoes_left=state.echoes_left - 1),
            )

    def _moved(self, state: State, index: int, place: Place) -> State:
        return state._replace(places=(*state.places[:index], place, *state.places[index + 1 :]))

    def _answered(self, index: int, place: Place, step: Operation, result: Any) -> Place:
        if not isinstance(step, Together):
            return self._sent(index, place, result)
        partial = (*place.partial, result)
        whole = len(partial) == len(step.operations)
        return self._sent(index, place, partial) if whole else Place(place.node, partial)

    def _sent(self, index: int, place: Place, result: Any) -> Place:
        return Place(self.histories[index].child(place.node, result))

    def world(self, state: State) -> World:
        """What an invariant may look at."""
        results = {
            actor.name: step.value
            for index, actor in enumerate(self.actors)
            if index not in state.crashed and isinstance(step := self.step(state, index), Done)
        }
        crashed = frozenset(self.actors[index].name for index in state.crashed)
        now = self.clock.times[state.time] if self.clock.times else None
        return World(state.records.by_key, state.facts, results, crashed, now)

    def first(self, records: Mapping[str, bytes], echoes: int, preemptions: int | None) -> State:
        """The state in which nobody has begun."""
        places = tuple(Place(each.root()) for each in self.histories)
        return State(Records.of(records), (), places, frozenset(), None, echoes, None, preemptions)


def _replayed(
    start: Callable[[], ActorProtocol], history: tuple[Any, ...], clock: ExploredClock
) -> Step | Reading | Done:
    """What an actor does next after its history, which is made of results and readings of the clock in their order."""
    results: list[tuple[Any, list[datetime]]] = [(None, [])]
    for each in history:
        if isinstance(each, Reading):
            assert each.at
            results[-1][1].append(each.at)
        else:
            results.append((each, []))
    clock.replaying(results[0][1])
    try:
        protocol = start()
        step = next(protocol)
        for result, readings in results[1:]:
            clock.replaying(readings)
            step = protocol.send(list(result) if isinstance(result, tuple) else result)
            while isinstance(step, Together) and not step.operations:
                step = protocol.send([])
    except StopIteration as stop:
        return Done(stop.value)
    except ReadsClock:
        return Reading()
    return step  # type: ignore[no-any-return]


def line_text(line: Line) -> str:
    """The line as it is printed."""
    if isinstance(line, str):
        return line
    who, operation, result, then = line
    return f"{who}{'' if who == '(echo)' else ':'} {_described(operation, result)}{then}"


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
