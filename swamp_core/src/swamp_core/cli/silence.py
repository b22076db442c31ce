"""A store whose silence is told: where nothing answers, an error takes most of a minute to come.

It is told once for each store that a command opens. Nobody watches a store that answers: the first operation asks for
one look, after the time from which silence is told, and a look that finds an operation under way asks for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from threading import Lock, Timer
from typing import TypeVar

from swamp_core.ambient import monotonic_s
from swamp_core.store.checked import CheckedStore

T = TypeVar("T")


def _later(seconds: float, look: Callable[[], None]) -> None:
    timer = Timer(seconds, look)
    timer.daemon = True  # No process is kept from its end by a look that is to come.
    timer.start()


class HeardStore(CheckedStore):
    """The same store; `tell` is called once, when an operation has taken `silence_s` seconds and goes on.

    It is called from a thread of its own.
    """

    def __init__(
        self,
        store: CheckedStore,
        tell: Callable[[], None],
        *,
        silence_s: float,
        clock: Callable[[], float] = monotonic_s,
        later: Callable[[float, Callable[[], None]], None] = _later,
    ) -> None:
        super().__init__(store.unchecked, store.name)
        self._tell = tell
        self._silence_s = silence_s
        self._clock = clock
        self._later = later
        self._lock = Lock()
        self._begun_s: dict[object, float] = {}
        self._is_watched = False

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        return self._heard(partial(super().put_if_absent, key, data))

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        return self._heard(partial(super().get, key))

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._heard(partial(super().delete, key))

    def _keys(self, prefix: str, start_after: str | None, limit: int | None) -> Iterator[str]:
        following = partial(next, super()._keys(prefix, start_after, limit), None)
        while (key := self._heard(following)) is not None:
            yield key

    def _heard(self, operation: Callable[[], T]) -> T:
        mine = object()
        with self._lock:
            self._begun_s[mine] = self._clock()
            is_first, self._is_watched = not self._is_watched, True
        try:
            if is_first:
                self._later(self._silence_s, self._look)
            return operation()
        finally:
            with self._lock:
                del self._begun_s[mine]

    def _look(self) -> None:
        """Tell of the oldest operation under way if it is due, and never look again; else look when it will be."""
        with self._lock:
            oldest_s = next(iter(self._begun_s.values()), None)
            if oldest_s is None:
                self._is_watched = False
                return
            left_s = oldest_s + self._silence_s - self._clock()
        if left_s > 0:
            self._later(left_s, self._look)
        else:
            self._tell()
