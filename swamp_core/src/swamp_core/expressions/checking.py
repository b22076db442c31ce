"""What is known of the expressions in a definition before it runs: which are broken, and what they read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from swamp_core.expressions.cel import compile_source
from swamp_core.expressions.errors import ExpressionError
from swamp_core.expressions.syntax import (
    Call,
    Constant,
    Member,
    Name,
    Node,
    chain,
    children,
    parse,
    paths_read,
)
from swamp_core.expressions.templates import Expression, has_expression, split
from swamp_core.payload.values import JsonValue, printable

Path: TypeAlias = tuple[str | int, ...]

_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Problem:
    """An expression that can never be evaluated, and where it stands. The message is a sentence."""

    path: Path
    source: str
    message: str


def expression_problems(value: JsonValue, roots: frozenset[str]) -> list[Problem]:
    """Every expression in the value that does not compile, or reads a variable that is none of the roots."""
    problems = []
    for path, text, is_name in _texts(value, ()):
        try:
            if is_name:
                raise ExpressionError(text, "it is the name of a member, and names are taken as they stand")
            for part in split(text):
                if isinstance(part, Expression):
                    _check(part.source, roots)
        except ExpressionError as error:
            problems.append(Problem(path, error.source, str(error)))
    return problems


def references(value: JsonValue) -> set[tuple[str, ...]]:
    """The fields that the expressions in the value read, each by its longest path from a variable.

    `steps.review.outputs.payload.verdict == "ship"` gives one: `("steps", "review", "outputs", "payload",
    "verdict")`. A path ends where an index is computed. What does not parse reads nothing.
    """
    found: set[tuple[str, ...]] = set()
    for _, text, is_name in _texts(value, ()):
        try:
            sources = [] if is_name else [part.source for part in split(text) if isinstance(part, Expression)]
        except ExpressionError:
            continue
        for source in sources:
            try:
                found.update(paths_read(source))
            except ExpressionError:
                continue
    return found


def _check(source: str, roots: frozenset[str]) -> None:
    try:
        compile_source(source, roots)
    except ExpressionError as error:
        reason = _hyphen_reason(parse(source), roots)
        if reason is None:
            raise
        raise ExpressionError(error.source, reason) from None


def _hyphen_reason(node: Node, roots: frozenset[str]) -> str | None:
    """The advice for a name with hyphens after a dot, where CEL reads it as a subtraction."""
    path = _hyphenated(node, roots)
    if path is not None:
        *above, name = path
        place = "".join(f".{each}" if _PLAIN_NAME.fullmatch(each) else f'["{each}"]' for each in above)[1:]
        name = printable(name)
        return f'a hyphen in a name reads as minus, so write `{place}["{name}"]`'
    return next(filter(None, (_hyphen_reason(part, roots) for part, _ in children(node))), None)


def _hyphenated(node: Node, roots: frozenset[str]) -> tuple[str, ...] | None:
    """The path that was meant by `steps.a-b` or `steps.a-b-c.outputs`, up to the name with the hyphens."""
    if not (isinstance(node, Call) and node.function == "_-_"):
        return None
    left, right = node.parts
    path = _hyphenated(left, roots) or chain(left)
    while isinstance(right, Member):
        right = right.of
    match right:
        case Name(name) if name not in roots:
            rest = name
        case Constant(int() as number):
            rest = str(number)
        case _:
            return None
    return (*path[:-1], f"{path[-1]}-{rest}") if path is not None and len(path) > 1 else None


def _texts(value: JsonValue, path: Path) -> Iterator[tuple[Path, str, bool]]:
    """The texts in the value that hold an expression, each with its place and whether it names a member."""
    if isinstance(value, str):
        if has_expression(value):
            yield path, value, False
    elif isinstance(value, dict):
        for name, member in value.items():
            if has_expression(name):
                yield (*path, name), name, True
            yield from _texts(member, (*path, name))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _texts(item, (*path, index))
