"""Untrusted text in, JSON values out, or a sentence that says why not.

A payload is refused whole or taken exactly as it was sent: no default, no coercion, no repair. Any bytes get
an answer, never a traceback, at a cost that grows with their length only: size and nesting are checked before
a parser sees the text, and a number's length before it is converted. What it should hold is for `schema` to
say.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal, DecimalException
from typing import NoReturn

from swamp_core.payload.python_values import check_python
from swamp_core.payload.values import (
    INTEGER_MAX,
    INTEGER_MIN,
    JsonValue,
    PayloadError,
    compact,
    has_surrogate,
    printable,
    same_value,
)

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
NUMBER_CHARACTERS_MAX = 400
"""The largest double takes 311 characters without an exponent, and the smallest 326."""
FORBIDDEN_NAMES = frozenset({"__proto__", "constructor", "prototype"})

_INTEGER_CHARACTERS_MAX = len(str(INTEGER_MIN))
# A string, closed or not, is passed over in one step that never backs up; what is left are brackets.
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[\]{}]', re.DOTALL)


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
    checked = check_python(value, "payload", bytes_max=PAYLOAD_BYTES_MAX, nesting_max=PAYLOAD_NESTING_MAX)
    return parse_payload(compact(checked))


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
            if has_surrogate(string):
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
    return f"`{printable(text, characters_max=40)}`"
