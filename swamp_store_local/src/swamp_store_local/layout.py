"""Which file holds which record: a segment is a directory, and with a suffix that none can have, a record.

So the key `a` is the file `a@record`, and `a/b` is `b@record` in the directory `a`: they live side by side. A
name that is neither (a staged file, what an operating system drops in) is no record and is never listed.
"""

from __future__ import annotations

import os

from swamp_core.store.keys import is_segment

RECORD_SUFFIX = "@record"
STAGING = "@staged"


def record_path(root: str, key: str) -> str:
    """The file of a record."""
    return os.path.join(root, *key.split("/")) + RECORD_SUFFIX


def key_part(entry: os.DirEntry[str]) -> str | None:
    """What an entry of a directory adds to a key: `x` for a record, `x/` for a directory, else None.

    What is named like a record and is no file is none, so that it troubles only who asks for that key.
    """
    stem = entry.name.removesuffix(RECORD_SUFFIX)
    if not is_segment(stem):
        return None
    if stem != entry.name:
        return stem if entry.is_file() else None
    return f"{stem}/" if entry.is_dir() else None
