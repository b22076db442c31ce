"""Whether what many were told of one key can be the story of one record.

A history is what each operation was told, with when it began and ended. It is linearizable when each operation has a
point between the two at which it happened at once, so that all of them, in the order of their points, are what a record
that is there or not would have told. A reply that is lost loosens that in one way, as the protocol says: a create or a
delete may have happened more than once; within its own time, where no request is held back.

The search is that of Wing and Gong: take as the next any operation that no other wholly precedes, and go back where
that leads nowhere. What only looks is taken as soon as it fits, since it changes nothing for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

AGAIN_MAX = 3
"""How often a create or delete may have happened beside the time that it told of, at most."""


@dataclass(frozen=True, slots=True)
class Create:
    """A create of `data`, which no other create writes; whether it won, or None when it raised a `StoreError`."""

    data: bytes
    won: bool | None


@dataclass(frozen=True, slots=True)
class Read:
    """A get, and what it gave."""

    found: bytes | None


@dataclass(frozen=True, slots=True)
class Listed:
    """A listing that asked for the key, and whether the key was in it."""

    there: bool


@dataclass(frozen=True, slots=True)
class Delete:
    """A delete, and whether it returned; else it raised a `StoreError`."""

    returned: bool


What = Create | Read | Listed | Delete


@dataclass(frozen=True, slots=True)
class Told:
    """What one operation was told, and when it began and ended, by a clock that never says the same twice."""

    began: int
    ended: int
    what: What


@dataclass(frozen=True, slots=True)
class Step:
    """A point that an operation has, or, when it is optional, may have."""

    began: int
    ended: int
    what: What
    optional: bool = False


class DoesNotFit(Exception):
    """A record cannot have told this now."""


Record = bytes | None
State = tuple[tuple[int, ...], Record]
"""The steps that have no place yet, in the order in which they began; and the record."""


def is_linearizable(history: Sequence[Told], *, again_max: int = AGAIN_MAX) -> bool:
    """Whether one record, absent at first, can have told all this."""
    steps = sorted(steps_of(history, again_max), key=lambda step: step.began)
    todo: list[State] = [(tuple(range(len(steps))), None)]
    seen: set[State] = set()
    while todo:
        state = todo.pop()
        if all(steps[number].optional for number in state[0]):
            return True
        if state not in seen:
            seen.add(state)
            todo += _states_after(steps, state)
    return False


def steps_of(history: Sequence[Told], again_max: int) -> Iterator[Step]:
    """The points that the operations have or may have."""
    for told in history:
        again: What | None = None
        match told.what:
            case Create(data, won):
                again = Create(data, None)
                certain = won is not None
            case Delete(certain):
                again = Delete(False)
            case _:
                certain = True
        if certain:
            yield Step(told.began, told.ended, told.what)
        if again is not None:
            yield from [Step(told.began, told.ended, again, optional=True)] * again_max


def record_after(what: What, record: Record) -> Record:
    """The record after this; `DoesNotFit` when it cannot have told it, or when a repetition would change nothing."""
    match what:
        case Read(found):
            fits, after = found == record, record
        case Listed(there):
            fits, after = there == (record is not None), record
        case Create(data, False):
            fits, after = record is not None and record != data, record
        case Create(data, _):
            fits, after = record is None, data
        case Delete(returned):
            fits, after = returned or record is not None, None
    if not fits:
        raise DoesNotFit
    return after


def _states_after(steps: Sequence[Step], state: State) -> list[State]:
    """Where each step that may be next leads; only one that looks, if it fits and spoils no other step's chance."""
    left, record = state
    states: list[State] = []
    tried: set[Step] = set()
    for number in _may_be_next(steps, left):
        step = steps[number]
        if step in tried:  # Repetitions of one operation are all the same.
            continue
        tried.add(step)
        try:
            after = record_after(step.what, record)
        except DoesNotFit:
            continue
        others = tuple(
            other
            for other in left
            if other != number and not (steps[other].optional and steps[other].ended < step.began)
        )
        if _looks(step.what) and len(others) == len(left) - 1:
            return [(others, after)]
        states.append((others, after))
    return states


def _may_be_next(steps: Sequence[Step], left: tuple[int, ...]) -> Iterator[int]:
    """The steps that began before any that must have a place has ended."""
    first_end: int | None = None
    for number in left:
        step = steps[number]
        if first_end is not None and step.began > first_end:
            return
        if not step.optional:
            first_end = step.ended if first_end is None else min(first_end, step.ended)
        yield number


def _looks(what: What) -> bool:
    """Whether it changes nothing."""
    return isinstance(what, Read | Listed) or (isinstance(what, Create) and what.won is False)
