"""What a process takes from the world around it: the time, fresh IDs, and who and where it is.

All of it is handed in as one `Ambient`, so that a test can fix it. Nothing else in Swamp reads a clock, sleeps, or
draws randomness; a test of the house rules looks for it.
"""

from __future__ import annotations

import getpass
import os
import random
import socket
import time
import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Protocol

from swamp_core.flag import Flag


class Clock(Protocol):
    """The time of day, and waiting."""

    def now(self) -> datetime:
        """The present instant in UTC, in whole milliseconds."""
        ...

    def wait(self, flag: Flag, seconds: float) -> bool:
        """Wait until the flag is set or the seconds have passed; whether it is set."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> datetime:
        """See `Clock.now`."""
        return in_milliseconds(datetime.now(UTC))

    def wait(self, flag: Flag, seconds: float) -> bool:
        """See `Clock.wait`."""
        return flag.wait(seconds)


class Ids(Protocol):
    """Fresh identities and randomness."""

    def random_id(self) -> str:
        """A random UUID: a wait, a receipt, a journal entry, an owner token."""
        ...

    def run_id(self, now: datetime) -> str:
        """A UUIDv7 (RFC 9562, section 5.7), so that the runs of a workflow are listed in the order of their start."""
        ...

    def jitter(self) -> float:
        """A number from 0 up to 1, to spread retries and polls."""
        ...


class SystemIds:
    """Identities from the operating system's randomness."""

    def random_id(self) -> str:
        """See `Ids.random_id`."""
        return str(uuid.uuid4())

    def run_id(self, now: datetime) -> str:
        """See `Ids.run_id`."""
        return uuid7(now, int.from_bytes(os.urandom(10), "big"))

    def jitter(self) -> float:
        """See `Ids.jitter`."""
        return random.random()


def uuid7(now: datetime, randomness: int) -> str:
    """The UUIDv7 of an instant (to the millisecond) and 74 random bits (RFC 9562, section 5.7)."""
    milliseconds = (now - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(milliseconds=1)
    low = randomness & (1 << 74) - 1
    value = milliseconds << 80 | 0x7 << 76 | (low >> 62) << 64 | 0b10 << 62 | low & (1 << 62) - 1
    return str(uuid.UUID(int=value))


def in_milliseconds(instant: datetime) -> datetime:
    """The instant without its microseconds; records keep milliseconds."""
    return instant.replace(microsecond=instant.microsecond // 1000 * 1000)


def system_user() -> str:
    """The name of the operating system's user, or of their number where they have no name. It is always text."""
    try:
        return getpass.getuser().encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except (KeyError, OSError):
        return f"uid {os.getuid()}" if hasattr(os, "getuid") else "unknown"


@dataclass(frozen=True, slots=True)
class Ambient:
    """The world around one process."""

    clock: Clock = field(default_factory=SystemClock)
    ids: Ids = field(default_factory=SystemIds)
    host: str = field(default_factory=socket.gethostname)
    pid: int = field(default_factory=os.getpid)
    user: str = field(default_factory=system_user)


def process_is_alive(pid: int) -> bool:
    """Whether a process of this host with that number exists (another may have taken the number since)."""
    if os.name == "nt":
        return True  # No cheap test there: the lease decides.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def monotonic_s() -> float:
    """Seconds on a clock that never goes back, for measuring a length."""
    return time.monotonic()
