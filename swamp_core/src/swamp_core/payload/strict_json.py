"""Untrusted text in, JSON values out, or a sentence that says why not.

A payload is refused whole or taken exactly as it was sent: no default, no coercion, no repair. Any bytes at all
get an answer, never a traceback, and at a cost that grows with their length only: size and nesting are checked
before a parser sees the text, and a number's length before it is converted. What the payload means is for
`schema` to say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException
from typing import NoReturn

from swamp_core.payload.values import JsonValue, PayloadError, compact, same_value

__all__ = [
    "JsonValue",
    "PayloadError",
    "check_value",
    "compact",
    "parse_json",
    "parse_payload",
    "same_value",
]

PAYLOAD_BYTES_MAX = 16 * 1024
"""Of the stored form. What was sent may be larger, for its white space and escapes."""
PAYLOAD_NESTING_MAX = 16
RAW_BYTES_MAX = 1024 * 1024
"""Of a payload as it was sent; above this it is refused unread."""
JSON_NESTING_MAX = 128
"""For records and input files; far below what a parser that recurses can take."""
INTEGER_MIN = -(2**63)
INTEGER_MAX = 2**63 - 1
NUMBER_CHARACTERS_MAX = 400
"""The largest double takes 311 characters without an exponent, and the smallest 326."""
FORBIDDEN_NAMES = frozenset({"__proto__", "constructor", "prototype"})

_INTEGER_CHARACTERS_MAX = len(str(INTEGER_MIN))
# A string, closed or not, is passed over in one step that never backs up; what is left are brackets.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_payload(text: bytes | str) -> dict[str, JsonValue]:
    """The payload in the text, members in the order sent. Raises `PayloadError` for the rule it breaks."""
    # A character takes a byte or more, so a text that is refused here is too long as bytes as well.
    if len(text) > RAW_BYTES_MAX:
        raise PayloadError("too_large", f"The payload is longer than {RAW_BYTES_MAX} bytes and was not read.")
    value = _parse(text, "payload", PAYLOAD_NESTING_MAX)
    if not isinstance(value, dict):
        raise PayloadError("not_an_object", "The payload must be a JSON object.")
    for name in _names(value):
        if name in FORBIDDEN_NAMES:
            raise PayloadError(
                "forbidden_name", f"The payload has a member named `{name}`, which is not allowed."
            )
    size = len(compact(value))
    if size > PAYLOAD_BYTES_MAX:
        raise PayloadError(
            "too_large", f"The payload has {size} bytes as compact JSON, over {PAYLOAD_BYTES_MAX}."
        )
    return value


def parse_json(text: bytes) -> JsonValue:
    """The value in the text, as strictly as a payload but of any size, type and member names.

    For what is bounded elsewhere: records, files of inputs. Raises `PayloadError`.
    """
    return _parse(text, "text", JSON_NESTING_MAX)


def check_value(value: object) -> dict[str, JsonValue]:
    """A payload given as a Python value: a copy of it, once it keeps the rules of `parse_payload`.

    Only dict, list, str, int, float, bool and None are JSON; a tuple or a date is refused, not converted.
    """
    _check_python(value)
    return parse_payload(compact(value))  # type: ignore[arg-type]  # what the check has just shown


def _parse(text: bytes | str, what: str, nesting_max: int) -> JsonValue:
    text = _decoded(text, what)
    _check_nesting(text, what, nesting_max)
    try:
        value: JsonValue = json.loads(
            text,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_double,
            parse_constant=_constant,
        )
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        if error.msg == "Extra data":
            raise PayloadError(
                "trailing_text", f"The {what} goes on after its JSON value, at {where}."
            ) from None
        raise PayloadError("not_json", f"The {what} is not valid JSON at {where}: {error.msg}.") from None
    # An escape can hide half of a pair; without an escape the decoding has refused it.
    if "\\u" in text:
        for string in _strings(value):
            if _SURROGATE.search(string):
                raise PayloadError("lone_surrogate", f"The {what} has half of a surrogate pair in a string.")
    return value


def _decoded(text: bytes | str, what: str) -> str:
    try:
        text = text.decode("utf-8") if isinstance(text, bytes) else text.encode("utf-8").decode("utf-8")
    except UnicodeDecodeError as error:
        raise PayloadError("not_utf8", f"The {what} is not UTF-8: byte {error.start} is wrong.") from None
    except UnicodeEncodeError:
        raise PayloadError("lone_surrogate", f"The {what} has half of a surrogate pair in it.") from None
    if text.startswith("\ufeff"):
        raise PayloadError("not_json", f"The {what} starts with a byte order mark; send it without.")
    return text


def _check_nesting(text: str, what: str, nesting_max: int) -> None:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        token = match[0]
        if token in "[{":
            depth += 1
            if depth > nesting_max:
                raise PayloadError("too_deep", f"The {what} is nested more than {nesting_max} deep.")
        elif token in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) < len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise PayloadError(
                    "duplicate_name", f"The name {_excerpt(name)} is there twice in one object."
                )
            seen.add(name)
    return members


def _integer(literal: str) -> int:
    if len(literal) <= _INTEGER_CHARACTERS_MAX:
        number = int(literal)
        if INTEGER_MIN <= number <= INTEGER_MAX:
            return number
    raise PayloadError("integer_too_large", f"The integer {_excerpt(literal)} does not fit into 64 bits.")


def _double(literal: str) -> float:
    if len(literal) <= NUMBER_CHARACTERS_MAX:
        number = float(literal)
        try:
            exact = Decimal(literal) == Decimal(repr(number))
        except DecimalException:
            exact = False
        if exact:
            return number
    raise PayloadError(
        "inexact_number",
        f"The number {_excerpt(literal)} cannot be kept exactly as a double; send it as a string.",
    )


def _constant(literal: str) -> NoReturn:
    raise PayloadError("not_a_number", f"`{literal}` is not JSON.")


def _check_python(value: object) -> None:
    """Refuse what `compact` could not write or would write without end; the budget stops cycles and sharing."""
    budget = PAYLOAD_BYTES_MAX
    todo: list[tuple[object, int]] = [(value, 1)]
    while todo:
        item, depth = todo.pop()
        members: list[object] = []
        if isinstance(item, dict) and type(item) is dict:
            budget -= sum(map(_string_cost, item))
            members = list(item.values())
        elif isinstance(item, list) and type(item) is list:
            members = item
        else:
            budget -= _scalar_cost(item)
            continue
        budget -= 1
        todo.extend((member, depth + 1) for member in members)
        if depth > PAYLOAD_NESTING_MAX:
            raise PayloadError("too_deep", f"The payload is nested more than {PAYLOAD_NESTING_MAX} deep.")
        if budget < len(todo):
            raise PayloadError(
                "too_large", f"The payload has over {PAYLOAD_BYTES_MAX} bytes as compact JSON."
            )


def _scalar_cost(item: object) -> int:
    if type(item) is str:
        return _string_cost(item)
    if type(item) is int and not INTEGER_MIN <= item <= INTEGER_MAX:
        raise PayloadError("integer_too_large", "The payload has an integer that does not fit into 64 bits.")
    if type(item) is float and item - item != 0:
        raise PayloadError("not_a_number", f"`{item}` is not JSON.")
    if type(item) not in (int, float, bool, type(None)):
        name = type(item).__name__
        raise PayloadError("not_json", f"The payload has a value of type `{name}`, which is not JSON.")
    return 1


def _string_cost(text: object) -> int:
    if type(text) is not str:
        raise PayloadError("not_json", "The payload has a member whose name is not a string.")
    if _SURROGATE.search(text):
        raise PayloadError("lone_surrogate", "The payload has half of a surrogate pair in a string.")
    return len(text)


def _names(value: JsonValue) -> Iterator[str]:
    for item in _walk(value):
        if isinstance(item, dict):
            yield from item


def _strings(value: JsonValue) -> Iterator[str]:
    for item in _walk(value):
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            yield from item


def _walk(value: JsonValue) -> Iterator[JsonValue]:
    todo = [value]
    while todo:
        item = todo.pop()
        yield item
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)


def _excerpt(text: str) -> str:
    text = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text[:41])
    return f"`{text}`" if len(text) <= 40 else f"`{text[:40]}…`"
