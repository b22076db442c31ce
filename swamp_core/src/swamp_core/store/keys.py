"""What a key, a prefix and a record may be; checked in core, so that every backend refuses alike.

Keys are lower case, so a disk that ignores case is no trap, and a segment can be a file or directory name on
every system that Swamp runs on. A prefix obeys the same rules in each segment that it completes, so that no
listing ever leaves the store, whatever text a user typed.
"""

from __future__ import annotations

import re

from swamp_core.store.errors import InvalidKey, RecordTooLarge

SEGMENT_BYTES_MAX = 128
KEY_BYTES_MAX = 512
RECORD_BYTES_MAX = 16 * 1024 * 1024

_SHOWN_CHARACTERS_MAX = 64
_SEGMENT = re.compile(rf"[a-z0-9._-]{{1,{SEGMENT_BYTES_MAX}}}\Z", re.ASCII)
_SEGMENT_START = re.compile(rf"[a-z0-9._-]{{0,{SEGMENT_BYTES_MAX}}}\Z", re.ASCII)
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|\Z)")


def is_device_name(name: str) -> bool:
    """Whether Windows takes the name, or the part of it before its first dot, for a device."""
    return _DEVICE.match(name) is not None


def is_segment(text: str) -> bool:
    """Whether the text can stand between two slashes of a key."""
    return _segment_problem(text) is None


def is_key(text: str) -> bool:
    """Whether the text may name a record; a store leaves out of its listings what may not."""
    return _key_problem(text) is None


def check_key(key: str, *, operation: str) -> None:
    """Raise `InvalidKey` unless the key may name a record."""
    problem = _key_problem(key)
    if problem:
        raise InvalidKey(f"The key {problem}", operation=operation, key=_shown(key))


def check_prefix(prefix: str, *, operation: str) -> None:
    """Raise `InvalidKey` unless some key could start with the prefix.

    `start_after` is held to the same rule.
    """
    if len(prefix) > KEY_BYTES_MAX:
        raise InvalidKey(
            f"The prefix has more than {KEY_BYTES_MAX} bytes", operation=operation, key=_shown(prefix)
        )
    *complete, begun = prefix.split("/")
    for segment in complete:
        problem = _segment_problem(segment)
        if problem:
            raise InvalidKey(f"The prefix {problem}", operation=operation, key=_shown(prefix))
    if not _SEGMENT_START.match(begun):
        raise InvalidKey("No key can start with this prefix", operation=operation, key=_shown(prefix))


def check_limit(limit: int | None, *, operation: str, prefix: str) -> None:
    """Raise `ValueError` for a negative limit.

    A caller's mistake, which a backend would read each in its own way.
    """
    if limit is not None and limit < 0:
        raise ValueError(f"The limit of {operation} `{prefix}` is {limit}; it must be 0 or more.")


def check_size(data: bytes, *, operation: str, key: str) -> None:
    """Raise `RecordTooLarge` when the record is over the limit."""
    if len(data) > RECORD_BYTES_MAX:
        raise RecordTooLarge(f"The record has {len(data)} bytes", operation=operation, key=key)


def _key_problem(key: str) -> str | None:
    if len(key) > KEY_BYTES_MAX:
        return f"has more than {KEY_BYTES_MAX} bytes"
    return next(filter(None, map(_segment_problem, key.split("/"))), None)


def _segment_problem(segment: str) -> str | None:
    if not segment:
        return "has an empty segment"
    if len(segment) > SEGMENT_BYTES_MAX:
        return f"has a segment of more than {SEGMENT_BYTES_MAX} bytes, `{_shown(segment)}`"
    if not _SEGMENT.match(segment):
        return f"has a character that is not allowed in the segment `{_shown(segment)}`"
    if segment.endswith("."):
        return f"has the segment `{segment}`, which ends in a dot"
    if is_device_name(segment):
        return f"has the segment `{segment}`, which is a device name on Windows"
    return None


def _shown(text: str) -> str:
    """The text as a message may show it: ASCII, no control characters, not longer than a line."""
    safe = ascii(text)[1:-1]
    return safe if len(safe) <= _SHOWN_CHARACTERS_MAX else safe[:_SHOWN_CHARACTERS_MAX] + "…"
