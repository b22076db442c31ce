"""Evaluating the expressions in a JSON value.

A text that is one expression becomes what the expression gives, and keeps its type; in any other text the
results stand as text. Only the value is searched for expressions, never a result: what a payload or an output
says is not evaluated, whatever it looks like.
"""

from __future__ import annotations

from collections.abc import Mapping

from swamp_core.expressions.cel import RESULT_BYTES_MAX, Scope
from swamp_core.expressions.errors import ExpressionError
from swamp_core.expressions.nul import holds_nul
from swamp_core.expressions.syntax import paths_read
from swamp_core.expressions.templates import Expression, has_expression, split, whole
from swamp_core.payload.values import JsonValue, compact, printable


def evaluate(value: JsonValue, scope: Mapping[str, JsonValue]) -> JsonValue:
    """The value with its expressions evaluated over the scope, whose names are all that they may read.

    The names of members are taken as they stand. An absent field, a result that JSON does not have and one
    over 256 KiB raise `ExpressionError`.
    """
    return _Evaluation(scope).of(value)


def truthy(value: JsonValue) -> bool:
    """Whether a guard's result counts as true: all but false, null, zero, and empty text, arrays and objects.

    The text "false" is not empty, and so counts as true.
    """
    return bool(value)


class _Evaluation:
    """One walk; the scope is handed to the library with the first expression, if there is any."""

    def __init__(self, values: Mapping[str, JsonValue]) -> None:
        self.values = values
        self.scope: Scope | None = None

    def of(self, value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return self._text(value) if has_expression(value) else value
        if isinstance(value, dict):
            return {name: self.of(member) for name, member in value.items()}
        if isinstance(value, list):
            return [self.of(item) for item in value]
        return value

    def _text(self, text: str) -> JsonValue:
        expression = whole(text)
        if expression is not None:
            return self._result(expression)
        result = "".join(
            part if isinstance(part, str) else _as_text(self._result(part)) for part in split(text)
        )
        if len(result.encode()) > RESULT_BYTES_MAX:
            raise ExpressionError(text, f"the text that it makes is larger than {RESULT_BYTES_MAX} bytes")
        return result

    def _result(self, expression: Expression) -> JsonValue:
        for path in paths_read(expression.source):
            if holds_nul(self.values, path):
                reason = f"`{printable('.'.join(path))}` holds a NUL character, and such text is never read"
                raise ExpressionError(expression.source, reason)
        if self.scope is None:
            self.scope = Scope(self.values)
        return self.scope.evaluate(expression.source)


def _as_text(value: JsonValue) -> str:
    return value if isinstance(value, str) else compact(value).decode("utf-8")
