"""The store protocol: four operations that every backend implements, and nothing else.

All of Swamp's correctness stands on `put_if_absent`: whatever two processes could race for is one create of
one record, and exactly one of them wins. There is no overwrite, no lock and no lease here, and no default
body for any verb: a store that cannot keep a promise must not pretend to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable


@runtime_checkable
class SignalWaitStore(Protocol):
    """A control-plane store: whole records under `/`-joined keys, created once and never overwritten.

    Linearizable per key, except that a create or delete whose reply was lost may take effect once more later
    (a delayed request, a hop that retries). Safe from many threads and processes. Synchronous on purpose:
    fan-out is `swamp_core.store.get_many`. Every verb raises a `StoreError` when it cannot keep its promise.

    An adapter may rely on keys, prefixes and sizes being valid: `CheckedStore` checks them before it is
    called.
    """

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """Create the record whole and durable, or leave the one that is there.

        True exactly when this call's record is the one stored; False exactly when another's is, equal bytes
        or not. A lost reply does not change that: where a reply can be lost, each call carries a fresh put-id
        beside the record, and every "exists" is decided by reading that back. Raises `OutcomeUnknown` when
        the truth cannot be learned in time; it never guesses.
        """
        ...

    def get(self, key: str) -> bytes | None:
        """The whole record, or None when there is none. Never part of one."""
        ...

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """The keys that start with `prefix` (a string prefix), in byte order, lazily.

        Every key whose create returned before the call began and was not deleted since; none whose delete
        returned before it began. `start_after` leaves out keys up to and including it; `limit` is the most
        keys to yield. Where the backend can, it asks for no more than it yields.
        """
        ...

    def delete(self, key: str) -> None:
        """Gone when it returns. Deleting what is not there is no error. Never touches another key."""
        ...
