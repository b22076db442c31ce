"""A hazard of the CEL library: it takes text from Python up to its first NUL character, without a word.

1. A sender puts a NUL behind `ship` in a payload, and more text behind that; or does so with the name of a member.
2. The library is given that text, and sees `ship`.
3. A guard that asks for `ship` takes the branch that nobody signalled for.

So an expression does not get to read such text: `holds_nul` looks at all that it reads, and nothing else, so that one
odd character in an output troubles only those who ask for that output.
"""

from __future__ import annotations

from collections.abc import Mapping

from swamp_core.payload.values import JsonValue


def holds_nul(values: Mapping[str, JsonValue], path: tuple[str, ...]) -> bool:
    """Whether reading the path would touch text with a NUL: a name on the way, or anything at its end."""
    value: JsonValue = dict(values)
    for name in path:
        if not isinstance(value, dict):
            break
        if any(map(_has_nul, value)):
            return True
        if name not in value:
            return False
        value = value[name]
    return _anywhere(value)


def _anywhere(value: JsonValue) -> bool:
    if isinstance(value, str):
        return _has_nul(value)
    if isinstance(value, dict):
        return any(map(_has_nul, value)) or any(map(_anywhere, value.values()))
    return isinstance(value, list) and any(map(_anywhere, value))


def _has_nul(text: object) -> bool:
    return "\0" in str(text)
