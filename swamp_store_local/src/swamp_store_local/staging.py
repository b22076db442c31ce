"""Staged records: written whole and synced under a name of their own, in a directory that no listing enters.

A staged record becomes a record by a hard link, which the file system makes or does not make. The name it is
staged under is its put-id. A process that dies leaves at most one staged file behind, and a later one sweeps
it: an age is read from the file system's own clock, and a writer whose file was swept all the same is told
that nothing was stored.
"""

from __future__ import annotations

import os
from contextlib import suppress
from uuid import uuid4

from swamp_store_local.disk import sync

FILE_MODE = 0o600
SWEPT_AFTER_S = 24 * 60 * 60
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class StagedRecord:
    """One record, whole and on the disk, that is not yet stored under its key.

    It is kept open until it is discarded: what an open file says of itself holds whatever happens to its
    names.
    """

    def __init__(self, directory: str, data: bytes) -> None:
        self.put_id = uuid4().hex
        self.path = os.path.join(directory, self.put_id)
        self._descriptor = os.open(self.path, _CREATE, FILE_MODE)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
            sync(self._descriptor)
        except BaseException:
            self.discard()
            raise

    def link_count(self) -> int:
        """How many names the file has: 1 is the staged one alone, 0 means that it was swept."""
        return os.fstat(self._descriptor).st_nlink

    def is_stored_at(self, path: str) -> bool:
        """Whether the file at `path` is this very one, whatever a reply said.

        The second name alone would not prove it, because a backup that copies by hard links makes one too.
        """
        if self.link_count() < 2:
            return False
        try:
            return os.path.samestat(os.stat(path), os.fstat(self._descriptor))
        except FileNotFoundError:
            return False

    def written_at_s(self) -> float:
        """When the file was written, by the file system's clock, in seconds since the epoch."""
        return os.fstat(self._descriptor).st_mtime

    def can_be_linked(self) -> bool:
        """Whether the file system makes hard links at all, tried beside the staged file."""
        probe = f"{self.path}-probe"
        try:
            os.link(self.path, probe)
        except OSError:
            return False
        os.unlink(probe)
        return True

    def discard(self) -> None:
        """Take the staged name away. A failure leaves litter for the sweep, and changes no answer."""
        with suppress(OSError):
            os.close(self._descriptor)  # first: Windows removes no file that is open
        with suppress(OSError):
            os.unlink(self.path)


def sweep(directory: str, newest: StagedRecord) -> None:
    """Remove what was staged more than a day before `newest`; whatever cannot be removed stays."""
    with suppress(OSError):
        now_s = newest.written_at_s()
        with os.scandir(directory) as entries:
            for entry in entries:
                with suppress(OSError):
                    if now_s - entry.stat().st_mtime > SWEPT_AFTER_S:
                        os.unlink(entry.path)
