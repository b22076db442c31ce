"""What goes wrong with an expression, said with its source."""

from __future__ import annotations

from swamp_core.payload.values import printable


class ExpressionError(ValueError):
    """An expression that cannot be read, or whose result is no JSON value. Nothing stands in its place.

    `source` is the text between `${{` and `}}`; `reason` completes the sentence "it cannot be used:".
    """

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(source, reason)
        self.source = source
        self.reason = reason

    def __str__(self) -> str:
        return f"The expression `{printable(self.source, characters_max=200)}` cannot be used: {self.reason}."
