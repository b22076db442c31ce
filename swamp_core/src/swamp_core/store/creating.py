"""How a create over a network decides who won: one put-id, and no "exists" taken on trust.

A backend answers a conditional create with "stored", "exists", "try again", or not at all. The last one is
the trap: the record may have landed although the reply was lost, and the next attempt then says "exists" of
our own record. So each create carries a put-id beside its record, and "exists" is decided by reading that
back:

1. send the create, without the SDK's own retries;
2. "exists": read the put-id that is stored. Ours is a win, another's is a loss, whatever the bytes are;
3. nothing there any more, a conflict, a lost reply: send the same create, with the same put-id, again;
4. past the time that was given, say what is known: nothing landed (`StoreUnavailable`), or `OutcomeUnknown`.

An adapter for a network brings two requests, `send` and `read`; what they mean is decided here and nowhere
else.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import assert_never

from swamp_core.store.errors import OutcomeUnknown, StoreError, StoreUnavailable


@dataclass(frozen=True, slots=True)
class Landed:
    """The backend says that this request stored the record."""


@dataclass(frozen=True, slots=True)
class Exists:
    """The backend says that a record is there. It may be ours, from an attempt whose reply was lost."""


@dataclass(frozen=True, slots=True)
class NotLanded:
    """The request stored nothing, for certain, and may be sent again: busy, throttled, not connected."""

    cause: StoreUnavailable


@dataclass(frozen=True, slots=True)
class Unclear:
    """Whether this request stored the record is not known: the reply was lost, or the server failed."""

    cause: Exception


Reply = Landed | Exists | NotLanded | Unclear
"""What one request to create came to. What will not pass by itself (denied, no bucket) is raised instead."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A record that is there, and the put-id beside it; None when no Swamp store wrote it."""

    put_id: str | None


class Owner(Enum):
    """Whose record is stored under the key."""

    OURS = "ours"
    ANOTHERS = "another's"
    NOBODYS = "nobody's"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a create may take, or a request that may be repeated.

    The waits between attempts double, and half of each is left to chance.
    """

    total_s: float = 30.0
    wait_initial_s: float = 0.05
    wait_max_s: float = 2.0

    def wait_s(self, attempt: int, chance: float) -> float:
        """How long to wait after this attempt, counted from 0; `chance` is between 0 and 1."""
        full = min(self.wait_max_s, self.wait_initial_s * 2.0 ** min(attempt, 16))
        return full * (1 + chance) / 2


@dataclass(frozen=True, slots=True)
class Pace:
    """The clock, the sleep and the chance that attempts are paced by, so that a test can bring its own."""

    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = random.random


def whose_record(put_id: str, stored: Stored | None) -> Owner:
    """Whose record is there. Only the put-id tells: another's record may have the very same bytes."""
    if stored is None:
        return Owner.NOBODYS
    return Owner.OURS if stored.put_id == put_id else Owner.ANOTHERS


def create(
    send: Callable[[str], Reply],
    read: Callable[[], Stored | None],
    *,
    put_id: str,
    patience: Patience,
    pace: Pace,
) -> bool:
    """Create the record that `send` sends: True when it is the one stored, False when another's is.

    `send` makes one attempt with the put-id. `read` reads the put-id that is stored. Both raise a
    `StoreError` for what no further attempt can change. `OutcomeUnknown` is raised as soon as such an error,
    or the end of the patience, leaves it open whether an earlier attempt landed.
    """
    started_at = pace.clock()
    doubt: Exception | None = None
    for attempts in count(1):
        try:
            answer = _attempt(send, read, put_id)
        except _NotReadable as error:
            raise _unknown(put_id, attempts, pace.clock() - started_at, error.cause) from error.cause
        except StoreError as error:
            if doubt is None:
                raise
            raise _unknown(put_id, attempts, pace.clock() - started_at, error) from error
        if isinstance(answer, bool):
            return answer
        if isinstance(answer, Unclear):
            doubt = answer.cause
        wait_s = patience.wait_s(attempts - 1, pace.chance())
        elapsed_s = pace.clock() - started_at
        if elapsed_s + wait_s > patience.total_s:
            if doubt is None:
                raise answer.cause
            raise _unknown(put_id, attempts, elapsed_s, doubt) from doubt
        pace.sleep(wait_s)
    raise AssertionError("the attempts are counted without end")


def _attempt(
    send: Callable[[str], Reply], read: Callable[[], Stored | None], put_id: str
) -> bool | NotLanded | Unclear:
    """Send once, and read back what "exists" speaks of: won, lost, or why that is not known yet."""
    match send(put_id):
        case Landed():
            return True
        case Exists():
            try:
                owner = whose_record(put_id, read())
            except StoreUnavailable as error:
                return Unclear(error)
            except StoreError as error:
                raise _NotReadable(error) from error
            if owner is Owner.NOBODYS:
                return Unclear(StoreUnavailable("A record was there and is gone"))
            return owner is Owner.OURS
        case NotLanded() | Unclear() as again:
            return again
        case _ as never:
            assert_never(never)


class _NotReadable(Exception):
    """A record is there, and no further attempt can tell whose: the put-id may not be read."""

    def __init__(self, cause: StoreError) -> None:
        super().__init__(cause)
        self.cause = cause


def _unknown(put_id: str, attempts: int, elapsed_s: float, cause: Exception) -> OutcomeUnknown:
    times = "once" if attempts == 1 else f"{attempts} times"
    why, hint = "", None
    if isinstance(cause, StoreError):
        why = f": {cause.detail}"
        hint = None if cause.hint == StoreUnavailable.default_hint else cause.hint
    return OutcomeUnknown(
        f"The create was sent {times} in {elapsed_s:.1f} s, and whether it landed could not be learned{why}",
        put_id=put_id,
        hint=hint,
    )
