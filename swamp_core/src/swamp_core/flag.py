"""A flag that a signal handler may set, while what it interrupts waits for that flag.

`threading.Event` is not made for that: to set it takes the lock that `wait` holds for moments, so a handler that meets
one of those on its own thread stands still for ever.
"""

from __future__ import annotations

from queue import Empty, SimpleQueue


class Flag:
    """Not set at first; once set it stays so."""

    def __init__(self) -> None:
        self._is_set = False
        self._waiting: list[SimpleQueue[None]] = []

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def set(self) -> None:
        """Set it and wake all who wait. Safe in a signal handler and on any thread: it takes no lock of Python's."""
        self._is_set = True
        for waiting in tuple(self._waiting):
            waiting.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait until it is set or the seconds have passed; whether it is set."""
        waiting: SimpleQueue[None] = SimpleQueue()
        self._waiting.append(waiting)
        try:
            if not self._is_set:
                waiting.get(timeout=max(seconds, 0.0))
        except Empty:
            pass
        finally:
            self._waiting.remove(waiting)
        return self._is_set
