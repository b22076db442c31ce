"""A store in memory, for tests and for trying things out: it keeps every promise but durability."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice, takewhile
from threading import Lock


class MemoryStore:
    """A store in this process's memory.

    Stores that share one `records` dict are stores over the same data.
    """

    def __init__(self, records: dict[str, bytes] | None = None, lock: Lock | None = None) -> None:
        self.records: dict[str, bytes] = {} if records is None else records
        self._lock = lock or Lock()

    def another(self) -> MemoryStore:
        """A second store over the same data."""
        return MemoryStore(self.records, self._lock)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        with self._lock:
            if key in self.records:
                return False
            self.records[key] = bytes(data)
            return True

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        with self._lock:
            return self.records.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`."""
        with self._lock:
            keys = sorted(self.records)
        first = bisect_left(keys, prefix)
        if start_after is not None:
            first = max(first, bisect_right(keys, start_after))
        matching = takewhile(lambda key: key.startswith(prefix), islice(keys, first, None))
        return islice(matching, limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        with self._lock:
            self.records.pop(key, None)
