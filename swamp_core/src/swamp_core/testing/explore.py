"""The interleaving explorer: several protocols on one store, one operation at a time, in every order.

An *actor* is a protocol generator as production code runs it. The explorer replays it from its history of results,
so a state of the search is the records, the facts, and each actor's history; states seen before are pruned, and an
actor that is done is told apart by what it returned alone. The search is breadth-first, so a violation comes with a
shortest schedule that leads to it, which `replay` follows again.

An actor that tries again and again ends each try that came to nothing with `AGAIN`: its next one is told apart from
the first by nothing, so the search stays finite.

Faults are choices like any other: at most `crashes` actors stop for ever at some operation, each to be recovered by an
actor that says so, and at most `echoes` creates or deletes take effect once more, at any later moment (a delayed
request; see the store protocol). So is time: an `ExploredClock` that is given to `explore` passes each of its later
times at any moment, also between two readings of one actor.

    explore(
        [Actor("first", lambda: claim("a")), Actor("second", lambda: claim("b"))],
        records={},
        at_end=lambda world: "two winners" if all(world.results.values()) else None,
    )
"""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from swamp_core.testing.actors import (
    AGAIN,
    Act,
    Actor,
    ActorProtocol,
    ExploredClock,
    Invariant,
    Witness,
    World,
)
from swamp_core.testing.scheduling import Histories, Line, Search, State, line_text

__all__ = [
    "AGAIN",
    "Act",
    "Actor",
    "ActorProtocol",
    "Exploration",
    "ExploredClock",
    "Invariant",
    "Violation",
    "Witness",
    "World",
    "explore",
    "replay",
]


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant that does not hold, and the schedule that leads there."""

    message: str
    schedule: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join((self.message, *(f"{n:3}. {line}" for n, line in enumerate(self.schedule, 1))))


@dataclass(frozen=True, slots=True)
class Exploration:
    """What a search came to. `exhaustive`: every state within its `bounds` was seen."""

    states: int
    ends: int
    exhaustive: bool
    violation: Violation | None
    bounds: str = ""

    def __str__(self) -> str:
        if self.violation:
            return f"A violation after {self.states} states, with {self.bounds}: {self.violation}"
        whole = "All" if self.exhaustive else "Not all"
        return f"{whole} schedules with {self.bounds} were searched: {self.states} states, {self.ends} ends."


def explore(
    actors: list[Actor],
    *,
    records: Mapping[str, bytes],
    always: Invariant = lambda _world: None,
    at_end: Invariant = lambda _world: None,
    witness: Witness = lambda *_: None,
    clock: ExploredClock | None = None,
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
    search = _search(actors, witness, clock, crashes)
    bounds = _bounds(crashes, echoes, preemptions, states_max)
    first = search.first(records, echoes, preemptions)
    came_from: dict[State, tuple[State, Line] | None] = {first: None}
    queue, ends = deque([first]), 0
    while queue:
        state = queue.popleft()
        runnable = search.runnable(state)
        world = search.world(state)
        at_rest = not runnable and state.echo is None
        ends += at_rest
        message = always(world) or (at_end(world) if at_rest else None)
        if message:
            violation = Violation(message, _schedule(came_from, state))
            return Exploration(len(came_from), ends, False, violation, bounds)
        for line, after in search.successors(state, runnable):
            if after not in came_from:
                came_from[after] = (state, line)
                queue.append(after)
        if len(came_from) > states_max:
            return Exploration(len(came_from), ends, False, None, bounds)
    return Exploration(len(came_from), ends, True, None, bounds)


def replay(
    actors: list[Actor],
    schedule: Iterable[str],
    *,
    records: Mapping[str, bytes],
    witness: Witness = lambda *_: None,
    clock: ExploredClock | None = None,
) -> World:
    """The world to which a schedule leads that an exploration of these actors and records has printed.

    Raises `ValueError` at a line that cannot be followed, as when the protocols have changed since.
    """
    search = _search(actors, witness, clock, crashes=len(actors))
    state = search.first(records, echoes=sys.maxsize, preemptions=None)
    for number, line in enumerate(schedule, 1):
        ahead = {line_text(each): after for each, after in search.successors(state, search.runnable(state))}
        if line not in ahead:
            raise ValueError(f"Line {number} cannot be followed: {line}")
        state = ahead[line]
    return search.world(state)


def _search(actors: list[Actor], witness: Witness, clock: ExploredClock | None, crashes: int) -> Search:
    clock = clock or ExploredClock()
    return Search(actors, witness, crashes, clock, [Histories(actor, clock) for actor in actors])


def _bounds(crashes: int, echoes: int, preemptions: int | None, states_max: int) -> str:
    bounded = "any number of" if preemptions is None else f"at most {preemptions}"
    return f"{bounded} preemptions, {crashes} crashes and {echoes} echoes, in at most {states_max} states"


def _schedule(came_from: Mapping[State, tuple[State, Line] | None], state: State) -> tuple[str, ...]:
    lines: list[str] = []
    step = came_from[state]
    while step is not None:
        state, line = step
        lines.append(line_text(line))
        step = came_from[state]
    return tuple(reversed(lines))
