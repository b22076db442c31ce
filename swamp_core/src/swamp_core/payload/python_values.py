"""Whether a Python value is JSON as it stands: for payloads and schemas that a program hands over.

A value is refused rather than converted. Looking at it costs no more than its limit allows, so that a value
which holds itself, or one list many times over, ends like any other that is too large.
"""

from __future__ import annotations

from typing import cast

from swamp_core.payload.values import INTEGER_MAX, INTEGER_MIN, JsonValue, PayloadError, has_surrogate


def check_python(value: object, what: str, *, bytes_max: int, nesting_max: int) -> JsonValue:
    """The value itself, if it can be written as JSON; else `PayloadError`, speaking of `what`.

    What is refused as too large is over `bytes_max` as compact JSON; what is not may still be.
    """
    budget = bytes_max
    todo: list[tuple[object, int]] = [(value, 1)]
    while todo:
        item, depth = todo.pop()
        members: list[object] = []
        if isinstance(item, dict) and type(item) is dict:
            budget -= sum(_string_cost(name, what) for name in item)
            members = list(item.values())
        elif isinstance(item, list) and type(item) is list:
            members = item
        else:
            budget -= _scalar_cost(item, what)
            continue
        budget -= 1
        todo.extend((member, depth + 1) for member in members)
        if depth > nesting_max:
            raise PayloadError("too_deep", f"The {what} is nested more than {nesting_max} deep.")
        if budget < len(todo):
            raise PayloadError("too_large", f"The {what} has over {bytes_max} bytes as compact JSON.")
    return cast("JsonValue", value)


def _scalar_cost(item: object, what: str) -> int:
    if type(item) is str:
        return _string_cost(item, what)
    if type(item) is int and not INTEGER_MIN <= item <= INTEGER_MAX:
        raise PayloadError("integer_too_large", f"The {what} has an integer that does not fit into 64 bits.")
    if type(item) is float and item - item != 0:
        raise PayloadError("not_a_number", f"The {what} has a number that is not JSON: {item}.")
    if type(item) not in (int, float, bool, type(None)):
        kind = type(item).__name__
        raise PayloadError("not_json", f"The {what} has a value of type `{kind}`, which is not JSON.")
    return 1


def _string_cost(text: object, what: str) -> int:
    if type(text) is not str:
        raise PayloadError("not_json", f"The {what} has a member whose name is not a string.")
    if has_surrogate(text):
        raise PayloadError("lone_surrogate", f"The {what} has half of a surrogate pair in a string.")
    return len(text) + 2
