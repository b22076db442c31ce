"""The one module that knows the CEL library: compile a source, run it, and take back plain JSON.

The library is imported by the first expression, not before. It tells errors in three ways, by an exception,
by a value and by a type that JSON does not have, and each leaves here as an `ExpressionError`: an absent
field is an error, and never null.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from swamp_core.expressions.errors import ExpressionError
from swamp_core.payload.values import JsonValue, has_surrogate, printable

if TYPE_CHECKING:
    from cel_expr_python import cel

RESULT_BYTES_MAX = 256 * 1024
"""Of one result, counted as it is taken over from the library, where one list can stand in many places."""

_FIRST_ERROR = re.compile(r"ERROR: <input>:-?\d+:(-?\d+): (.*)")
_EXPECTING = re.compile(r" expecting \{.*")
_CONTAINER = re.compile(r" \(in container '.*?'\)")
_STATUS = re.compile(r"^[A-Z_]+: | \[[A-Z_]+\]$")
_ABSENT = re.compile(r"Key not found in map : (.*)", re.DOTALL)

_NOT_JSON = {
    "BYTES": "bytes, which JSON does not have: turn them into text with `string(…)`",
    "DURATION": "a duration, which JSON does not have: turn it into text with `string(…)`",
    "TIMESTAMP": "a time, which JSON does not have: turn it into text with `string(…)`",
    "TYPE": "a type, which JSON does not have: turn it into text with `string(…)`",
    "UINT": "an unsigned integer, which JSON does not have: turn it into an integer with `int(…)`",
}


class Scope:
    """The values that expressions read, by root name; the library takes them over once for all of them."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self._roots = frozenset(values)
        self._values = dict(values)
        self._activation: cel.Activation | None = None

    def evaluate(self, source: str) -> JsonValue:
        """The result as plain JSON, the members of objects by name. Raises `ExpressionError`."""
        expression = compile_source(source, self._roots)
        with _failures_of(source):
            if self._activation is None:
                self._activation = _environment(self._roots).Activation(self._values)
            return _Result(source).plain(expression.eval(self._activation))


@functools.lru_cache(maxsize=1024)
def compile_source(source: str, roots: frozenset[str]) -> cel.Expression:
    """The expression, checked against the roots that it may read. Raises `ExpressionError`."""
    _check_text(source)
    with _failures_of(source):
        return _environment(roots).compile(source)


def syntax_tree(source: str) -> bytes:
    """The library's own syntax tree, as a serialized `cel.expr.ParsedExpr`. Raises `ExpressionError`."""
    _check_text(source)
    with _failures_of(source):
        return bytes(_environment(frozenset()).compile(source, disable_check=True).serialize())


@contextmanager
def _failures_of(source: str) -> Iterator[None]:
    """Raise what the library raises as an `ExpressionError`; one expression too many ends no driver."""
    try:
        yield
    except (MemoryError, OverflowError, RecursionError):
        raise ExpressionError(source, "it needs too much memory") from None
    except RuntimeError as error:
        raise ExpressionError(source, _reason(str(error))) from None


def _check_text(source: str) -> None:
    if not source:
        raise ExpressionError(source, "it is empty")
    if has_surrogate(source):
        raise ExpressionError(source, "it has half of a surrogate pair in it")


@functools.lru_cache(maxsize=64)
def _environment(roots: frozenset[str]) -> cel.Env:
    from cel_expr_python import cel

    return cel.NewEnv(variables=dict.fromkeys(roots, cel.Type.DYN))


class _Result:
    """Takes one result over, and stops where it would be too large."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.bytes_left = RESULT_BYTES_MAX

    def plain(self, value: cel.Value) -> JsonValue:
        kind = value.type().name()
        plain = value.value()
        if kind == "ERROR" or kind == "UNKNOWN":
            raise ExpressionError(self.source, _reason(str(plain)))
        if isinstance(plain, list):
            self._spend(1)
            return [self.plain(item) for item in plain]
        if isinstance(plain, dict):
            return self._object(plain)
        if kind not in ("BOOL", "DOUBLE", "INT", "NULL", "STRING"):
            raise ExpressionError(
                self.source, f"its result is {_NOT_JSON.get(kind, 'nothing that JSON has')}"
            )
        if isinstance(plain, float) and not math.isfinite(plain):
            raise ExpressionError(self.source, f"its result is {plain}, which JSON does not have")
        self._spend(len(plain.encode()) if isinstance(plain, str) else 1)
        return cast("JsonValue", plain)

    def _object(self, members: dict[object, cel.Value]) -> dict[str, JsonValue]:
        plain = {}
        # The library keeps no order; by name, the same expression gives the same text on every host.
        for name in sorted(members, key=str):
            if not isinstance(name, str):
                raise ExpressionError(
                    self.source, f"its result has the key {name!r}, and in JSON a key is text"
                )
            self._spend(len(name.encode()))
            plain[name] = self.plain(members[name])
        return plain

    def _spend(self, size: int) -> None:
        self.bytes_left -= size
        if self.bytes_left < 0:
            raise ExpressionError(self.source, f"its result is larger than {RESULT_BYTES_MAX} bytes")


def _reason(message: str) -> str:
    """What the library says, without its codes, its pictures and its lists of tokens; no full stop."""
    found = _FIRST_ERROR.search(message)
    if found:
        column = f" at character {found[1]}" if int(found[1]) > 0 else ""
        message = _CONTAINER.sub("", _EXPECTING.sub("", found[2])) + column
    message = _STATUS.sub("", _STATUS.sub("", message.strip()))
    absent = _ABSENT.search(message)
    if absent:
        return f"there is no {printable(absent[1])} where it looks; ask with `has(…)` where it may be absent"
    return printable(message.rstrip("."), characters_max=300)
