"""What a text for people is made of. A renderer gives parts; the output escapes, colours and lays them out.

1. A sentence is for reading; an ID or a command is for copying and stands alone on its line, never wrapped or cut.
2. A part holds text as it is in the record, hostile or not; only the output prints it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Style = Literal["plain", "good", "bad", "warn", "dim"]


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence, or a short row of them."""

    text: str
    style: Style = "plain"


@dataclass(frozen=True, slots=True)
class Copy:
    """An ID or a command to copy."""

    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, one pair a line, indented."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns. A row whose first cell is empty goes on with the row above it.

    `styles` are the rows', if not all are plain. What is in any column but the last is never broken.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    styles: tuple[Style, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """An empty line."""


Part = Say | Copy | Facts | Table | Gap


def paragraph(text: str, style: Style = "plain") -> list[Part]:
    """The lines of a message as parts: a line that is a command is for copying."""
    return [Copy(line) if line.startswith("swamp ") else Say(line, style) for line in text.split("\n")]
