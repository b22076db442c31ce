"""A file with a line for each operation that is sent to a store, so that a test can count what a command costs."""

from __future__ import annotations

import os
from pathlib import Path

from swamp_core.cli.tracing import TracedStore
from swamp_core.store.protocol import SignalWaitStore


def counted(store: SignalWaitStore, path: Path) -> SignalWaitStore:
    """The store, with a line `verb key` in the file for each operation. Threads and processes may share the file."""

    def append(line: str) -> None:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(descriptor, f"{line}\n".encode())
        finally:
            os.close(descriptor)

    return TracedStore(store, append)
