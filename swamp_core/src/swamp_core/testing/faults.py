"""A store that fails where a test says: at one verb, on the keys it names, before or after it took effect.

The direction is what makes a fault a test: before, nothing happened; after, the store did its work and only
the answer was lost. A caller must come to the same end from both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from threading import Lock
from typing import Literal, TypeVar

from swamp_core.store.errors import StoreError
from swamp_core.store.protocol import SignalWaitStore

Verb = Literal["put_if_absent", "get", "list", "delete"]
R = TypeVar("R")


def any_key(_: str) -> bool:
    """Every key and every prefix."""
    return True


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    `error` is what the caller sees. Of the calls of `verb` whose key (for a listing: prefix) passes `on`,
    numbered from 1, it strikes those from `first` on, `times` of them; None is all of them.
    """

    verb: Verb
    error: StoreError
    when: Literal["before", "after"]
    on: Callable[[str], bool] = any_key
    first: int = 1
    times: int | None = 1

    def strikes(self, number: int) -> bool:
        """Whether the call with this number fails."""
        return number >= self.first and (self.times is None or number < self.first + self.times)


class FaultyStore:
    """Another store, with faults. `struck` lists the faults that came to pass, in order."""

    def __init__(self, store: SignalWaitStore, *faults: Fault) -> None:
        self.struck: list[Fault] = []
        self._store = store
        self._faults = faults
        self._counts = [0] * len(faults)
        self._lock = Lock()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        return self._through("put_if_absent", key, lambda: self._store.put_if_absent(key, data))

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        return self._through("get", key, lambda: self._store.get(key))

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. A fault after it strikes once every key was asked for."""
        return iter(
            self._through(
                "list", prefix, lambda: [*self._store.list(prefix, start_after=start_after, limit=limit)]
            )
        )

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._through("delete", key, lambda: self._store.delete(key))

    def _through(self, verb: Verb, key: str, call: Callable[[], R]) -> R:
        fault = self._next_fault(verb, key)
        if fault is not None and fault.when == "before":
            raise fault.error
        answer = call()
        if fault is not None:
            raise fault.error
        return answer

    def _next_fault(self, verb: Verb, key: str) -> Fault | None:
        """Count this call against each fault, and give the first that strikes."""
        with self._lock:
            struck = None
            for index, fault in enumerate(self._faults):
                if fault.verb == verb and fault.on(key):
                    self._counts[index] += 1
                    if struck is None and fault.strikes(self._counts[index]):
                        struck = fault
            if struck is not None:
                self.struck.append(struck)
            return struck
