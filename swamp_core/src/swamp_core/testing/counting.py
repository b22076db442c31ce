"""A store that writes down each operation that is sent to it, so that a test can count what a command costs."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

from swamp_core.store.protocol import SignalWaitStore


def to_file(path: Path) -> Callable[[str], None]:
    """Appends each line to the file in one write, so that threads and processes may share it."""

    def append(line: str) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)

    return append


class CountingStore:
    """Another store; `record` is told `verb key` (for a listing `list prefix`) before each operation."""

    def __init__(self, store: SignalWaitStore, record: Callable[[str], None]) -> None:
        self._store = store
        self._record = record

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        self._record(f"put_if_absent {key}")
        return self._store.put_if_absent(key, data)

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`."""
        self._record(f"get {key}")
        return self._store.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`."""
        self._record(f"list {prefix}")
        return self._store.list(prefix, start_after=start_after, limit=limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._record(f"delete {key}")
        self._store.delete(key)
