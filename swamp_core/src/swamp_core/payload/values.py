"""JSON values, as this project means them: what they are, when two are equal, and how one is written down.

The rule kept here is that nothing is blurred: 1 is not 1.0, true is no integer, and the members of an object
have no order for equality but keep it in the stored form. Untrusted text is read in `strict_json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable
from typing import TypeAlias

JsonValue: TypeAlias = "bool | int | float | str | list[JsonValue] | dict[str, JsonValue] | None"
"""For annotations; a pydantic model takes pydantic's own `JsonValue`, which a type checker finds equal."""

INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1

_SURROGATE = re.compile("[\ud800-\udfff]")


class PayloadError(ValueError):
    """A text or value that is not taken for JSON. Nothing was stored, and nothing was changed to make it fit.

    `code` names the broken rule, for programs and tests; `reason` is one sentence for people.
    """

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def has_surrogate(text: str) -> bool:
    """Whether the text holds half of a surrogate pair, which UTF-8 cannot say."""
    return _SURROGATE.search(text) is not None


def compact(value: JsonValue) -> bytes:
    """The stored form: UTF-8, no white space, members in their order. Reading it gives the same value."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")


def same_value(a: JsonValue, b: JsonValue) -> bool:
    """Whether two values are one JSON value: by type first, arrays in order, objects in any order."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(same_value(a[name], b[name]) for name in a)
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(same_value, a, b))
    return a == b


def identity(value: JsonValue) -> Hashable:
    """A hashable stand-in: two values have equal ones exactly when they are the same value."""
    if isinstance(value, dict):
        return ("object", frozenset((name, identity(member)) for name, member in value.items()))
    if isinstance(value, list):
        return ("array", tuple(identity(item) for item in value))
    return (type(value).__name__, value)


def shown(value: JsonValue, *, characters_max: int = 60) -> str:
    """The value as compact JSON for a sentence, cut where it would be long."""
    if isinstance(value, str):
        value = value[: characters_max + 1]
    return printable(
        json.dumps(value, ensure_ascii=False, separators=(",", ":")), characters_max=characters_max
    )


def printable(text: str, *, characters_max: int = 60) -> str:
    """The text for a sentence, cut where it would be long, with escapes for what a terminal might obey."""
    cut = text[:characters_max]
    kept = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in cut)
    return kept if len(text) <= characters_max else kept + "…"
