"""The bare work: what a durable create, a read, a listing and a script cost without any of Swamp."""

from __future__ import annotations

import os
import subprocess
from itertools import count
from pathlib import Path

RECORD = b"x" * 400
"""About what a small record weighs."""


class BareFiles:
    """Records in one directory: written, synced, linked into place, and the directory synced."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._numbers = count()

    def create(self) -> None:
        """One durable create."""
        number = next(self._numbers)
        staged, record = self._directory / f"{number}.staged", self._directory / f"{number}"
        descriptor = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            os.write(descriptor, RECORD)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        record.hardlink_to(staged)
        staged.unlink()
        self._sync()

    def read(self) -> bytes:
        """One read, of the first record."""
        return (self._directory / "0").read_bytes()

    def names(self) -> list[str]:
        """One listing, sorted."""
        with os.scandir(self._directory) as entries:
            return sorted(entry.name for entry in entries)

    def _sync(self) -> None:
        descriptor = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def script() -> None:
    """One script that does nothing, its output read."""
    subprocess.run(["/bin/sh", "-c", "true"], check=True, capture_output=True)
