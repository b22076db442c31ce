"""Keeps the stdout of the process for the answer, whatever else writes to file descriptor 1.

`printed` catches what a model prints. What escapes it would spoil the answer: the output of a process that a model
starts, which inherits the descriptor, that of a thread, or of a library in C. So the answer gets a descriptor of its
own, which no process inherits and no code but ours knows, and what is written to descriptor 1 is told on stderr.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO

STDOUT, STDERR = 1, 2


def take_stdout() -> TextIO | None:
    """The stdout of the process, for the answer alone from here on; None if it was closed. Once for a process."""
    ours = sys.stdout
    if ours is not None and ours.fileno() != STDOUT:
        return ours
    _occupy_closed()
    answer = _duplicate(ours) if ours is not None else None
    os.dup2(STDERR, STDOUT)
    if isinstance(ours, io.TextIOWrapper):
        ours.reconfigure(
            line_buffering=True
        )  # So that nothing of it is lost when the process leaves at once.
    return answer


def _duplicate(stream: TextIO) -> TextIO:
    stream.flush()
    return os.fdopen(os.dup(STDOUT), "w", encoding=stream.encoding, errors=stream.errors)


def _occupy_closed() -> None:
    """Lets no file that is opened later become stdin, stdout or stderr, because that was closed."""
    for descriptor in range(STDERR + 1):
        try:
            os.fstat(descriptor)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)
