"""The texts within a JSON value, and what is known of the expressions in them without reading these."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from swamp_core.expressions import ExpressionError, has_expression
from swamp_core.expressions.templates import whole
from swamp_core.workflow.problems import KeyPath


def texts(value: Any) -> Iterator[tuple[KeyPath, str]]:
    """Each text in the value, with its path."""
    if isinstance(value, str):
        yield (), value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield from (((key, *path), text) for path, text in texts(member))
    elif isinstance(value, list):
        for index, member in enumerate(value):
            yield from (((index, *path), text) for path, text in texts(member))


def holds_expression(value: Any) -> bool:
    """Whether an expression stands anywhere in the value, so that it is known only once a run is there."""
    return any(has_expression(text) for _, text in texts(value))


def is_one_expression(text: str) -> bool:
    """Whether the text is one expression and nothing else; one that is broken is told by others, and counts."""
    try:
        return whole(text) is not None
    except ExpressionError:
        return True
