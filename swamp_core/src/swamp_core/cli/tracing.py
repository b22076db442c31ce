"""A store that tells of each operation before it is sent: for `--log-level debug`, and for tests that count."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from swamp_core.store.probing import server_now
from swamp_core.store.protocol import SignalWaitStore


class TracedStore:
    """Another store; `tell` gets `verb key` (for a listing `list prefix`) before each operation."""

    def __init__(self, store: SignalWaitStore, tell: Callable[[str], None]) -> None:
        self._store = store
        self._tell = tell

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        self._tell(f"put_if_absent {key}")
        return self._store.put_if_absent(key, data)

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        self._tell(f"get {key}")
        return self._store.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`."""
        self._tell(f"list {prefix}")
        return self._store.list(prefix, start_after=start_after, limit=limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._tell(f"delete {key}")
        self._store.delete(key)

    def server_now(self) -> datetime | None:
        """See `probing.server_now`."""
        return server_now(self._store)
