"""Where a command's answer goes: data to stdout, everything else to stderr, and nothing unescaped to either.

With `--json` stdout gets one document and no more. On a terminal there are colours and tables, drawn by rich, which
is imported only then; elsewhere plain lines.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from swamp_core.cli.escaping import json_safe, printable
from swamp_core.cli.failures import AnswerNotWritten
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say, Table
from swamp_core.cli.stream import Stream

if TYPE_CHECKING:
    from swamp_core.cli.terminal import Terminal


@dataclass(slots=True)
class Output:
    """The two streams of a command, as its global options want them used."""

    as_json: bool = False
    colour: bool = True
    quiet: bool = False
    out: Stream = field(default_factory=lambda: Stream(sys.stdout))
    err: Stream = field(default_factory=lambda: Stream(sys.stderr))
    begun: bool = False
    """Whether a document is being written, or all of a text was: nothing can take the place of the answer then."""
    given: bool = False
    """Whether all of it has been written."""
    _terminals: dict[int, Terminal] = field(default_factory=dict)

    def answer(self, document: Mapping[str, Any], parts: Iterable[Part]) -> None:
        """Give the answer of the command, once. Raises `AnswerNotWritten`."""
        if self.as_json:
            text = self._document(document)
            self.begun = True
            try:
                self.out.write(text)
            except OSError as error:
                raise AnswerNotWritten(str(error.strerror or error)) from error
        else:
            self.say(*parts)
        self.begun = self.given = True

    def last_words(self, document: Mapping[str, Any], parts: Iterable[Part]) -> None:
        """Tell from a signal handler why the process leaves: in place of the answer, unless that has begun.

        What the handler interrupts may be writing to a buffer, so this goes past them.
        """
        if not self.as_json:
            self.err.write_past_buffer("".join(map(plain, parts)))
        elif not self.begun:
            text, self.begun = self._document(document), True
            self.out.write_past_buffer(text)

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
        with suppress(OSError):  # There is nowhere left to say that it could not be said.
            self._print(self.err, parts)

    def terminal(self, stream: Stream) -> Terminal:
        """The terminal that the stream is."""
        from swamp_core.cli.terminal import Terminal

        return self._terminals.setdefault(id(stream), Terminal(stream, colour=self.colour))

    def _document(self, document: Mapping[str, Any]) -> str:
        ascii_only = self.out.encoding != "utf-8"
        return json_safe(json.dumps(document, ensure_ascii=ascii_only, indent=2, allow_nan=False)) + "\n"

    def _print(self, stream: Stream, parts: Iterable[Part]) -> None:
        for part in parts:
            if stream.is_terminal:
                self.terminal(stream).print(part)
            else:
                stream.write(plain(part))


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
