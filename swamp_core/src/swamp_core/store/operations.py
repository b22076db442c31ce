"""Store operations as values, and the runner that executes a protocol made of them.

A *protocol* is a generator that yields operations and is sent their results; it does no I/O of its own.
`execute` runs one against a store. The explorer in `swamp_core.testing` runs several at once, one operation
at a time, in every order.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypeVar, assert_never

from swamp_core.store.errors import StoreError
from swamp_core.store.fan_out import fan_out
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.reads import read


@dataclass(frozen=True, slots=True)
class PutIfAbsent:
    """Create a record; the result is whether this create won."""

    key: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Get:
    """Read a record; the result is its bytes, None, or `TooLarge`."""

    key: str


@dataclass(frozen=True, slots=True)
class List:
    """List keys; the result is a list of at most `limit`."""

    prefix: str
    start_after: str | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """Delete a record; the result is None."""

    key: str


@dataclass(frozen=True, slots=True)
class Together:
    """Operations that do not depend on each other, executed side by side.

    The result is the list of theirs.
    """

    operations: tuple[PutIfAbsent | Get | List | Delete, ...]


Operation = PutIfAbsent | Get | List | Delete | Together

T = TypeVar("T")
Protocol = Generator[Operation, Any, T]

_ABREAST_MAX = 64
"""How many protocols go side by side: more would hold more in memory, and be no faster with `FAN_OUT` threads."""


def side_by_side(protocols: Sequence[Protocol[T]]) -> Protocol[list[T]]:
    """Run several protocols at once, and give what each returns: what each asks next is asked together.

    For those that may be cut off anywhere and repeated: when an operation of one fails, all of them end there.
    """
    results: list[T] = []
    for first in range(0, len(protocols), _ABREAST_MAX):
        results += yield from _abreast(protocols[first : first + _ABREAST_MAX])
    return results


def _abreast(protocols: Sequence[Protocol[T]]) -> Protocol[list[T]]:
    results: dict[int, T] = {}
    asked: dict[int, Operation] = {}
    answers: dict[int, Any] = dict.fromkeys(range(len(protocols)))
    while answers:
        for index, answer in answers.items():
            try:
                asked[index] = protocols[index].send(answer)
            except StopIteration as stop:
                results[index] = stop.value
        parts = {
            index: each.operations if isinstance(each, Together) else (each,) for index, each in asked.items()
        }
        found = iter((yield Together(tuple(chain.from_iterable(parts.values())))) if asked else ())
        answers = {
            index: [next(found) for _ in parts[index]] if isinstance(each, Together) else next(found)
            for index, each in asked.items()
        }
        asked = {}
    return [results[index] for index in range(len(protocols))]


def perform(operation: Operation, store: SignalWaitStore) -> Any:
    """Carry out one operation and give its result; a `StoreError` passes through."""
    match operation:
        case PutIfAbsent(key, data):
            return store.put_if_absent(key, data)
        case Get(key):
            return read(store, key)
        case List(prefix, start_after, limit):
            return list(store.list(prefix, start_after=start_after, limit=limit))
        case Delete(key):
            return store.delete(key)
        case Together(operations):
            return fan_out(lambda each: perform(each, store), operations)
        case _ as never:
            assert_never(never)


def execute(protocol: Protocol[T], store: SignalWaitStore) -> T:
    """Run a protocol to its end and give what it returns.

    A `StoreError` is raised inside the protocol at the operation that failed, so that it can decide what to
    do.
    """
    try:
        operation = next(protocol)
        while True:
            try:
                result = perform(operation, store)
            except StoreError as error:
                operation = protocol.throw(error)
            else:
                operation = protocol.send(result)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
