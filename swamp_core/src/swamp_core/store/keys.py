"""What a key, a prefix and a record may be; checked in core, so that every backend refuses alike.

Keys are lower case, so a disk that ignores case is no trap, and a segment can be a file or directory name on every
system that Swamp runs on.
"""

from __future__ import annotations

import re

from swamp_core.store.errors import InvalidKey, RecordTooLarge

SEGMENT_BYTES_MAX = 128
KEY_BYTES_MAX = 512
RECORD_BYTES_MAX = 16 * 1024 * 1024

_SEGMENT = re.compile(r"[a-z0-9._-]{1,128}\Z", re.ASCII)
_PREFIX = re.compile(r"[a-z0-9._/-]*\Z", re.ASCII)
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|\Z)")


def is_device_name(name: str) -> bool:
    """Whether Windows takes the name, or the part of it before its first dot, for a device."""
    return _DEVICE.match(name) is not None


def check_key(key: str, *, operation: str) -> None:
    """Raise `InvalidKey` unless the key may name a record."""
    if len(key) > KEY_BYTES_MAX:
        raise InvalidKey(f"The key has more than {KEY_BYTES_MAX} bytes", operation=operation, key=key[:64] + "…")
    for segment in key.split("/"):
        problem = _segment_problem(segment)
        if problem:
            raise InvalidKey(f"The key {problem}", operation=operation, key=key)


def check_prefix(prefix: str, *, operation: str) -> None:
    """Raise `InvalidKey` unless some key could start with the prefix, going by its characters and length."""
    if len(prefix) > KEY_BYTES_MAX or not _PREFIX.match(prefix):
        raise InvalidKey("No key can start with this prefix", operation=operation, key=prefix[:64])


def check_size(data: bytes, *, operation: str, key: str) -> None:
    """Raise `RecordTooLarge` when the record is over the limit."""
    if len(data) > RECORD_BYTES_MAX:
        raise RecordTooLarge(f"The record has {len(data)} bytes", operation=operation, key=key)


def _segment_problem(segment: str) -> str | None:
    if not segment:
        return "has an empty segment"
    if not _SEGMENT.match(segment):
        return f"has the segment `{segment[:64]}`, which is too long or has a character that is not allowed"
    if segment.endswith("."):
        return f"has the segment `{segment}`, which ends in a dot"
    if is_device_name(segment):
        return f"has the segment `{segment}`, which is a device name on Windows"
    return None
