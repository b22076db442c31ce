"""Clocks for tests: one that stands still, one that is off, and one whose time passes when it is waited for."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from swamp_core.ambient import Clock, SystemClock
from swamp_core.flag import Flag


@dataclass(frozen=True, slots=True)
class FixedClock:
    """The same instant, always. Waiting takes real time, so that a process that polls stays alive and idle."""

    instant: datetime

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self.instant

    def wait(self, flag: Flag, seconds: float) -> bool:
        """See `Clock.wait`."""
        return flag.wait(seconds)


@dataclass(frozen=True, slots=True)
class OffsetClock:
    """Another clock that is fast by `offset` (slow where that is negative), as a host's may be."""

    offset: timedelta
    clock: Clock = field(default_factory=SystemClock)

    def now(self) -> datetime:
        """See `Clock.now`."""
        return self.clock.now() + self.offset

    def wait(self, flag: Flag, seconds: float) -> bool:
        """See `Clock.wait`."""
        return self.clock.wait(flag, seconds)


class FakeClock:
    """A clock that a test moves. Waiting moves it too and returns at once; `waited_s` has the lengths, in seconds."""

    def __init__(self, now: datetime) -> None:
        self.waited_s: list[float] = []
        self._now = now
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """See `Clock.now`."""
        with self._lock:
            return self._now

    def wait(self, flag: Flag, seconds: float) -> bool:
        """See `Clock.wait`. A flag that is set already takes no time."""
        if flag.is_set():
            return True
        self.waited_s.append(seconds)
        self.move(timedelta(seconds=seconds))
        return flag.is_set()

    def move(self, length: timedelta) -> None:
        """Let time pass."""
        with self._lock:
            self._now += length
