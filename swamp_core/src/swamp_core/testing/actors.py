"""Who takes part in an exploration, and what of it an invariant may look at."""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from swamp_core.store.operations import Operation


@dataclass(frozen=True, slots=True)
class Act:
    """Yielded by an actor: something that the world outside the store sees, such as a deployment."""

    fact: Hashable


AGAIN = object()
"""Returned by an actor that begins anew and remembers nothing."""

Step = Operation | Act
ActorProtocol = Generator[Any, Any, Any]


class ReadsClock(BaseException):
    """Raised through a protocol that reads the clock where its history has no reading: it is replayed with one."""


class ExploredClock:
    """A clock that stands at a time, and may pass each of the later ones at any moment of an exploration."""

    def __init__(self, *times: datetime) -> None:
        self.times = times
        self._readings: list[datetime] = []

    def now(self) -> datetime:
        """The time that the actor reads here in the history that is replayed."""
        if not self._readings:
            raise ReadsClock
        return self._readings.pop(0)

    def replaying(self, readings: list[datetime]) -> None:
        """Give these times to whoever reads the clock next."""
        self._readings = readings


@dataclass(frozen=True, slots=True)
class Actor:
    """One participant; `start` makes its protocol anew. It begins when those named in `after` are done or crashed.

    One that `recovers` another begins only when that one has crashed.
    """

    name: str
    start: Callable[[], ActorProtocol]
    after: tuple[str, ...] = ()
    may_crash: bool = True
    recovers: str | None = None


@dataclass(frozen=True, slots=True)
class World:
    """What an invariant may look at. `results` holds what each actor returned, as far as it is done."""

    records: Mapping[str, bytes]
    facts: tuple[Hashable, ...]
    results: Mapping[str, Any]
    crashed: frozenset[str]
    now: datetime | None = None


Invariant = Callable[[World], str | None]
Witness = Callable[[str, Operation, Any, Mapping[str, bytes]], Hashable | None]
"""Called with the actor, an operation, its result and the records after it; what it gives becomes a fact."""
