"""Where the expressions are in a text: what stands between `${{` and `}}`.

The end of an expression is found as CEL reads it, so that a `}}` inside a string, a comment or nested braces
closes nothing. A literal `${{` is written as an expression: `${{ "${{" }}`. Nothing here knows what an
expression means.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from swamp_core.expressions.errors import ExpressionError

OPEN = "${{"
CLOSE = "}}"
SOURCE_CHARACTERS_MAX = 4096
"""Of one expression. CEL bounds its nesting and its iterations by itself."""

_SKIPPED = re.compile(
    r'''
      (?: [rR][bB]? | [bB][rR] ) (?: """.*?""" | \'\'\'.*?\'\'\' | "[^"\n]*+" | '[^'\n]*+' )   # a raw string
    | """ (?: \\. | [^\\] )*? """ | \'\'\' (?: \\. | [^\\] )*? \'\'\'
    | " (?: \\. | [^"\\\n] )*+ " | ' (?: \\. | [^'\\\n] )*+ '
    | // [^\n]*+
    | [{}]
    ''',
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Expression:
    """The source of one expression, without the white space around it."""

    source: str


Part: TypeAlias = "str | Expression"
"""A piece of literal text, or an expression."""


def has_expression(text: str) -> bool:
    """Whether the text holds an expression, or the beginning of one."""
    return OPEN in text


def split(text: str) -> list[Part]:
    """The parts of the text in order, none of them empty. Raises `ExpressionError` if one is not closed."""
    parts: list[Part] = []
    position = 0
    while (start := text.find(OPEN, position)) >= 0:
        inside = start + len(OPEN)
        end = _end(text, inside)
        parts += [text[position:start], Expression(text[inside:end].strip())]
        position = end + len(CLOSE)
    parts.append(text[position:])
    return [part for part in parts if part != ""]


def whole(text: str) -> Expression | None:
    """The expression that the text is, if it is exactly one; white space around it does not count.

    So that the line break which a YAML block leaves at the end turns no value into text.
    """
    match split(text.strip()):
        case [Expression() as expression]:
            return expression
    return None


def _end(text: str, start: int) -> int:
    """The position of the `}}` that closes the expression which starts there."""
    limit = min(len(text), start + SOURCE_CHARACTERS_MAX + len(CLOSE))
    braces = 0
    position = start
    while position < limit:
        match = _SKIPPED.search(text, position, limit)
        if match is None:
            break
        position = match.end()
        if match[0] == "{":
            braces += 1
        elif match[0] == "}" and braces:
            braces -= 1
        elif match[0] == "}" and text.startswith(CLOSE, match.start(), limit):
            return match.start()
    source = text[start:limit].strip()
    if limit < len(text):
        raise ExpressionError(source, f"it is not closed by `}}}}` within {SOURCE_CHARACTERS_MAX} characters")
    raise ExpressionError(source, "it is not closed by `}}`")
