"""Where a command's answer goes: data to stdout, everything else to stderr, and nothing unescaped to either.

With `--json` stdout gets one document and no more. On a terminal there are colours and tables, drawn by rich, which
is imported only then; elsewhere plain lines. A reader that has gone away (a closed pipe) ends nothing that was asked
for: what is left to print is dropped.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

from swamp_core.cli.escaping import json_safe, printable
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say, Table

if TYPE_CHECKING:
    from swamp_core.cli.terminal import Terminal


class AnswerNotWritten(Exception):
    """Stdout could not be written to, for another reason than that its reader is gone. The command was done."""


@dataclass(slots=True)
class Stream:
    """Stdout or stderr: a place that may be missing, closed, or a terminal."""

    file: TextIO | None
    colour: bool
    _gone: bool = False

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at it."""
        try:
            return self.file is not None and self.file.isatty() and os.environ.get("TERM") != "dumb"
        except ValueError:
            return False

    def write(self, text: str) -> None:
        """Write the text out at once. Raises `OSError` when it cannot be written, but not for a reader that left."""
        if self.file is None or self._gone:
            return
        try:
            self.file.write(_encodable(text, self.file.encoding))
            self.file.flush()
        except BrokenPipeError:
            self._gone = True
            _silence(self.file)
        except ValueError:  # The file was closed.
            self._gone = True


@dataclass
class Output:
    """The two streams of a command, as its global options want them used."""

    as_json: bool = False
    colour: bool = True
    quiet: bool = False
    out: Stream = field(init=False)
    err: Stream = field(init=False)

    def __post_init__(self) -> None:
        self.out = Stream(sys.stdout, self.colour)
        self.err = Stream(sys.stderr, self.colour)

    def answer(self, document: Mapping[str, Any], parts: Iterable[Part]) -> None:
        """Give the answer of the command, once. Raises `AnswerNotWritten`."""
        try:
            if self.as_json:
                text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
                self.out.write(json_safe(text) + "\n")
            else:
                self._print(self.out, parts)
        except OSError as error:
            _silence(self.out.file)
            raise AnswerNotWritten(str(error.strerror or error)) from error

    def say(self, *parts: Part) -> None:
        """Tell a part of the answer before the rest of it: on stdout, or on stderr where that is for a document."""
        try:
            self._print(self.err if self.as_json else self.out, parts)
        except OSError as error:
            raise AnswerNotWritten(str(error.strerror or error)) from error

    def note(self, *parts: Part) -> None:
        """Tell of progress, on stderr; nothing with `--log-level warning` or above."""
        if not self.quiet:
            self.warn(*parts)

    def warn(self, *parts: Part) -> None:
        """Tell something that must be known, on stderr."""
        try:
            self._print(self.err, parts)
        except OSError:
            _silence(self.err.file)  # There is nowhere left to say so.

    @cached_property
    def _terminals(self) -> dict[int, Terminal]:
        return {}

    def _print(self, stream: Stream, parts: Iterable[Part]) -> None:
        if not stream.is_terminal:
            for part in parts:
                stream.write(plain(part))
            return
        from swamp_core.cli.terminal import Terminal

        terminal = self._terminals.setdefault(id(stream), Terminal(stream))
        for part in parts:
            terminal.print(part)


def plain(part: Part) -> str:
    """The part as lines without colour."""
    match part:
        case Say(text=text) | Copy(text=text):
            return printable(text) + "\n"
        case Facts(rows=rows):
            return _aligned([(f"  {name}", value) for name, value in rows])
        case Table(columns=columns, rows=rows):
            return _aligned([tuple(name.upper() for name in columns), *rows])
        case Gap():
            return "\n"


def _aligned(rows: Iterable[tuple[str, ...]]) -> str:
    cells = [tuple(printable(cell) for cell in row) for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _encodable(text: str, encoding: str | None) -> str:
    """The text, with escapes for what the stream's encoding cannot say."""
    name = encoding or "utf-8"
    return text.encode(name, "backslashreplace").decode(name)


def _silence(file: TextIO | None) -> None:
    """Let nothing more be written there, so that the interpreter does not fail on it when it ends."""
    try:
        assert file is not None
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, file.fileno())
        os.close(nowhere)
    except (OSError, ValueError, AssertionError):
        pass
