"""Stdout or stderr as a command writes to it: it may be missing, closed, a terminal, or a pipe without a reader.

A reader that has gone away ends nothing that was asked for: what is left to write is dropped. So is what is written
to a stream that was closed before the command began.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from typing import TextIO


@dataclass(slots=True)
class Stream:
    """A place to write text. It has what rich needs of a file."""

    file: TextIO | None
    _gone: bool = False

    @property
    def encoding(self) -> str:
        """The name of the encoding, in its usual form."""
        return ((self.file.encoding if self.file is not None else None) or "utf-8").lower().replace("_", "-")

    @property
    def is_terminal(self) -> bool:
        """Whether a person looks at it, on a terminal that can do more than print."""
        return self.isatty() and os.environ.get("TERM") != "dumb"

    def isatty(self) -> bool:
        """Whether it is a terminal of any kind."""
        try:
            return self.file is not None and self.file.isatty()
        except ValueError:
            return False

    def write(self, text: str) -> int:
        """Write the text out at once, with escapes for what the encoding cannot say. Raises `OSError`."""
        if self.file is not None and not self._gone:
            encodable = text.encode(self.encoding, "backslashreplace").decode(self.encoding)
            try:
                self.file.write(encodable)
                self.file.flush()
            except BrokenPipeError:
                self.drop()
            except ValueError:  # It was closed.
                self._gone = True
            except OSError:
                self.drop()
                raise
        return len(text)

    def write_past_buffer(self, text: str) -> None:
        """As `write`, from a signal handler; what cannot be written is dropped."""
        if self.file is None or self._gone:
            return
        data = text.encode(self.encoding, "backslashreplace")
        try:
            descriptor = self.file.fileno()
        except (OSError, ValueError):  # It is in memory.
            self.write(text)
            return
        with suppress(OSError):
            while data:
                data = data[os.write(descriptor, data) :]

    def flush(self) -> None:
        """Nothing is held back."""

    def drop(self) -> None:
        """Write nothing more there, so that the interpreter does not fail on the rest when it ends."""
        self._gone = True
        if self.file is None:
            return
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.file.fileno())
            os.close(nowhere)
        except (OSError, ValueError):
            self.file = None
