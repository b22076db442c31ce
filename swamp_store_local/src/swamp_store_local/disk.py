"""Making things last.

A name is durable once the directory that holds it was synced, and so on up to the root.

A directory that another process made a moment ago may not be durable yet, so nobody trusts what is merely
there: whoever publishes a record syncs the whole way from it to the root. On a clean directory that costs
next to nothing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress

if sys.platform == "darwin":
    import fcntl

DIRECTORY_MODE = 0o700
_DIRECTORIES_CAN_BE_SYNCED = os.name != "nt"


def sync(descriptor: int) -> None:
    """Return when what was written to the open file or directory is on the disk."""
    if sys.platform == "darwin":
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # fsync leaves the data in the disk's own cache there
    else:
        os.fsync(descriptor)


def sync_directory(path: str) -> None:
    """Make the names in a directory durable. One that is gone by now holds none."""
    if not _DIRECTORIES_CAN_BE_SYNCED:
        return
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        sync(descriptor)
    finally:
        os.close(descriptor)


def directories_up_to(root: str, path: str) -> Iterator[str]:
    """The directory that holds `path`, the one that holds that, and so on; `root` is the last."""
    while path != root:
        path = os.path.dirname(path)
        yield path


def make_directories(root: str, path: str) -> None:
    """Make the directories between `root`, which is there, and `path`.

    Another process may make or prune any of them at the same time: one that is there is fine, and one that is
    not is found out by the caller's next step.
    """
    for directory in reversed(list(directories_up_to(root, path))[:-1]):
        with suppress(FileExistsError, FileNotFoundError):
            os.mkdir(directory, DIRECTORY_MODE)


def make_root(root: str) -> None:
    """Make the root and what is missing above it, and make the whole path to it durable, whoever made it."""
    above = [root]
    while (parent := os.path.dirname(above[-1])) != above[-1]:
        above.append(parent)
    for directory in reversed(above):
        if not os.path.isdir(directory):
            with suppress(FileExistsError):
                os.mkdir(directory, DIRECTORY_MODE)
    for directory in above[1:]:
        with suppress(PermissionError):  # what this user may not read, this user did not make
            sync_directory(directory)
