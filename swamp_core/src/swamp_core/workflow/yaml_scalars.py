"""What a scalar without quotes is: exactly what the author sees, never something that YAML makes of it.

The rule, whole: `null`, `~` and nothing at all are null; `true` and `false` are booleans; a JSON number is
that number; everything else is the text as it stands. So `no`, `on`, `True`, `12:30`, `1_000`, `0o17`,
`0x1F`, `007`, `+5`, `.5`, `.inf` and `2024-01-01` are text. A number that would change on the way (`1.10`
would become 1.1, a long hash made of digits would lose its last ones) is refused rather than rounded.
"""

from __future__ import annotations

import re
from decimal import Decimal
from math import isfinite

Plain = str | int | float | bool | None

_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)\Z", re.ASCII)
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\Z", re.ASCII)
_PADDED = re.compile(r"[^eE]*\.[0-9]+0\Z", re.ASCII)
_NUMBER_CHARACTERS_MAX = 40
_WORDS: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}


class InexactNumber(ValueError):
    """The text looks like a number, and as a number it would not be what the author sees."""


def plain_value(text: str) -> Plain:
    """The value of a scalar that is written without quotes; raises `InexactNumber`."""
    if text in _WORDS:
        return _WORDS[text]
    if not _DECIMAL.match(text):
        return text
    value = _integer(text) if _INTEGER.match(text) else _decimal(text)
    if value is None:
        raise InexactNumber(text)
    return value


def _integer(text: str) -> int | None:
    if len(text) > _NUMBER_CHARACTERS_MAX or text == "-0":
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


def _decimal(text: str) -> float | None:
    if len(text) > _NUMBER_CHARACTERS_MAX or _PADDED.match(text):
        return None
    number = float(text)
    return number if isfinite(number) and Decimal(repr(number)) == Decimal(text) else None
