"""A process that stops at a certain operation on the store: for good, as if it were killed, or until it is continued.

A stop is written `verb:key glob:n:before|after:kill|pause`: at the n-th operation of that verb whose key (for a
listing, prefix) matches, before it is sent or after it took effect, the process kills or stops itself.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from threading import Lock, get_ident
from typing import Literal, TypeVar, cast

from swamp_core.store.protocol import SignalWaitStore
from swamp_core.testing.faults import Verb

R = TypeVar("R")

VERBS: tuple[Verb, ...] = ("put_if_absent", "get", "list", "delete")


@dataclass(frozen=True, slots=True)
class Stop:
    """Where to stop, and how."""

    verb: Verb
    keys: str
    number: int
    when: Literal["before", "after"]
    how: Literal["kill", "pause"]

    @classmethod
    def parse(cls, text: str) -> Stop:
        """The stop that the text says. Raises `ValueError`."""
        verb, keys, number, when, how = text.split(":")
        if verb not in VERBS or when not in ("before", "after") or how not in ("kill", "pause"):
            raise ValueError(f"{text!r} is not `verb:key glob:n:before|after:kill|pause`.")
        return cls(
            verb,
            keys,
            int(number),
            cast("Literal['before', 'after']", when),
            cast("Literal['kill', 'pause']", how),
        )

    def __str__(self) -> str:
        return f"{self.how} {self.when} {self.verb} {self.keys} ({self.number})"


def stop_process(stop: Stop) -> None:
    """Say on stderr where, then kill or stop this process. A paused one goes on at SIGCONT."""
    os.write(2, f"stopping: {stop}\n".encode())
    # To this thread and not to the process: it must not come back from this call before it has stopped.
    signal.pthread_kill(get_ident(), signal.SIGKILL if stop.how == "kill" else signal.SIGSTOP)


class StoppingStore:
    """Another store, whose process stops itself once; `act` is what stopping is."""

    def __init__(
        self, store: SignalWaitStore, stop: Stop, act: Callable[[Stop], None] = stop_process
    ) -> None:
        self._store = store
        self._stop = stop
        self._act = act
        self._count = 0
        self._lock = Lock()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        return self._through("put_if_absent", key, lambda: self._store.put_if_absent(key, data))

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        return self._through("get", key, lambda: self._store.get(key))

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. A stop after it comes once every key was asked for."""
        return iter(
            self._through(
                "list", prefix, lambda: [*self._store.list(prefix, start_after=start_after, limit=limit)]
            )
        )

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._through("delete", key, lambda: self._store.delete(key))

    def _through(self, verb: Verb, key: str, call: Callable[[], R]) -> R:
        stops = self._is_it(verb, key)
        if stops and self._stop.when == "before":
            self._act(self._stop)
        answer = call()
        if stops and self._stop.when == "after":
            self._act(self._stop)
        return answer

    def _is_it(self, verb: Verb, key: str) -> bool:
        if verb != self._stop.verb or not fnmatchcase(key, self._stop.keys):
            return False
        with self._lock:
            self._count += 1
            return self._count == self._stop.number
