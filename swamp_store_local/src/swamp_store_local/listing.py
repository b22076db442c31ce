"""Listing a tree in the byte order of its keys, entering only directories that can hold a wanted one.

Byte order is not the order of names, because `/` sorts after `-` and `.`: `a`, `a-b/z`, `a/x`, `ab/y`.
Sorting what each entry adds to a key, with the slash of a directory, gives it: no such part is the beginning
of another one that goes on below it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass

from swamp_store_local.layout import key_part


@dataclass(frozen=True, slots=True)
class Wanted:
    """The keys that a listing asks for: those that start with `prefix` and come after `start_after`."""

    prefix: str
    start_after: str | None

    def holds(self, key: str) -> bool:
        """Whether this key is asked for."""
        return key.startswith(self.prefix) and (self.start_after is None or key > self.start_after)

    def may_lie_below(self, start: str) -> bool:
        """Whether any key that starts with `start`, which ends in a slash, can be asked for."""
        if not (start.startswith(self.prefix) or self.prefix.startswith(start)):
            return False
        after = self.start_after
        return after is None or start > after or after.startswith(start)


def walk(root: str, wanted: Wanted) -> Iterator[str]:
    """The wanted keys below `root`, in byte order; one directory is read at a time, when its turn comes."""
    start = wanted.prefix.rpartition("/")[0]
    return _walk(
        os.path.join(root, *start.split("/")) if start else root, f"{start}/" if start else "", wanted
    )


def _walk(directory: str, start: str, wanted: Wanted) -> Iterator[str]:
    for part in _parts(directory, start, wanted):
        if part.endswith("/"):
            yield from _walk(os.path.join(directory, part[:-1]), start + part, wanted)
        else:
            yield start + part


def _parts(directory: str, start: str, wanted: Wanted) -> list[str]:
    try:
        with os.scandir(directory) as entries:
            parts = [part for entry in entries if (part := key_part(entry)) is not None]
    except FileNotFoundError:
        return []  # never made, or pruned since its name was read: it holds no key either way
    ask = {True: wanted.may_lie_below, False: wanted.holds}
    return sorted(part for part in parts if ask[part.endswith("/")](start + part))
