"""What is wrong with a file, and where: the one shape in which the loader, the schema and the checks report.

A check that knows only the definition makes a `Finding`, which points at a path of keys; a loader that
knows the file turns it into a `Problem`, which points at a line and column. `code` is stable and meant for
programs, `message` is sentences meant for people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

_SHOWN_CHARACTERS_MAX = 60
_LISTED_MAX = 12

Severity = Literal["error", "warning"]
KeyPath = tuple[str | int, ...]
"""The keys and indexes that lead from the root of a file to a value."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong in a file. Line and column count from 1; a `warning` refuses nothing."""

    severity: Severity
    code: str
    message: str
    line: int
    column: int
    file: Path | None = None

    def __str__(self) -> str:
        if self.file is None:
            return f"Line {self.line}, column {self.column}: {self.message}"
        return f"{self.file}:{self.line}:{self.column}: {self.message}"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong at a path of a definition.

    `at_key` points at the key rather than the value. With `first` the message ends by saying where the
    first of two things that clash is.
    """

    path: KeyPath
    code: str
    message: str
    severity: Severity = "error"
    at_key: bool = False
    first: KeyPath | None = None


def quoted(word: str) -> str:
    """The word between backquotes, short and printable, so that it can neither flood nor forge a message."""
    shown = word if word.isprintable() else repr(word)[1:-1]
    return f"`{shown if len(shown) <= _SHOWN_CHARACTERS_MAX else shown[:_SHOWN_CHARACTERS_MAX] + '…'}`"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown word: the known one that is closest, or else the known ones."""
    words = sorted(set(known))
    if not words:
        return "."
    by_folded = {_folded(each): each for each in words}
    close = by_folded.get(_folded(word)) or next(iter(get_close_matches(word, words, n=1)), None)
    if close:
        return f"; did you mean {quoted(close)}?"
    more = ", …" if len(words) > _LISTED_MAX else ""
    return f"; known here: {', '.join(map(quoted, words[:_LISTED_MAX]))}{more}."


def _folded(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")
