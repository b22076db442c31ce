"""What the operating system says, as a store's errors: one table, read in one place, the cause kept.

An error number that the table does not know is `StoreUnavailable`: an I/O error, a stale handle, too many
open files and their like may pass, and none of them says that anything was stored.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from swamp_core.store.errors import (
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an error number means for the caller.

    The class, what happened, and what to do (None: as the class).
    """

    error: type[StoreError]
    detail: str
    hint: str | None = None


_FULL = Meaning(StoreUnavailable, "The disk or the quota is full", "Free some space there, then try again.")
_DENIED = Meaning(
    StoreAccessDenied,
    "The operating system denied access",
    "Give this user the right to read, write and search the directory.",
)
_FOREIGN = Meaning(
    StoreMisconfigured,
    "A file stands where a directory should be, or the other way round",
    "Something else writes there: move it away, or give the datastore a directory of its own.",
)

MEANINGS = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EFBIG: _FULL,
    errno.EACCES: _DENIED,
    errno.EPERM: _DENIED,
    errno.EROFS: Meaning(
        StoreAccessDenied, "The file system is read-only", "Mount it writable, or choose another directory."
    ),
    errno.ENOTDIR: _FOREIGN,
    errno.EISDIR: _FOREIGN,
    errno.ELOOP: Meaning(
        StoreMisconfigured, "The path runs through too many symbolic links", "Correct the links, or the path."
    ),
    errno.ENAMETOOLONG: Meaning(
        StoreMisconfigured, "The path is too long for this system", "Choose a directory with a shorter path."
    ),
    errno.ENOENT: Meaning(
        StoreNotFound,
        "The datastore's directory is not there",
        "Create it, correct the datastore setting, or let Swamp make it: with `?create=true` at the end of a URL, "
        "with `create: true` in a mapping.",
    ),
}
_OTHER = Meaning(StoreUnavailable, "The file system failed")
_WINDOWS_SHARING_VIOLATION = 32


def meaning_of(error: OSError) -> Meaning:
    """The table's line for an error, or `StoreUnavailable` for a number that it does not have."""
    if getattr(error, "winerror", None) == _WINDOWS_SHARING_VIOLATION:
        return Meaning(StoreUnavailable, "Another process has the file open")
    return MEANINGS.get(error.errno or 0, _OTHER)


@contextmanager
def translated(operation: str, key: str) -> Iterator[None]:
    """Raise what the operating system says about this operation as a `StoreError`."""
    try:
        yield
    except OSError as error:
        meaning = meaning_of(error)
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        where = f", {os.fsdecode(error.filename)}" if error.filename is not None else ""
        # What is not there is the store itself, and that is named by every error.
        detail = meaning.detail if meaning.error is StoreNotFound else f"{meaning.detail} ({reason}{where})"
        raise meaning.error(detail, operation=operation, key=key, hint=meaning.hint) from error
