"""Sends what a model's code prints to where it belongs: the log of its step.

`print` writes to the one stdout of the process, and there an answer is read, with `--json` exactly one document.
So while any thread is inside `printing_to`, `sys.stdout` and `sys.stderr` are streams that look which thread
writes: what such a thread prints goes to its own writer, and what any other prints goes where it always went. A
thread that a model starts itself is such another, and so is a process that it starts: the command line sees to it
that what these print is no answer (`cli.own_stdout`).
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast

from swamp_core.models.method import STDERR, STDOUT

Write = Callable[[str, str], None]
"""Takes the name of a stream, STDOUT or STDERR, and the text."""

_here = threading.local()
_lock = threading.Lock()
_inside = 0


class Routed:
    """A text stream that sends what the threads inside `printing_to` write to their writers."""

    def __init__(self, name: str, beyond: TextIO) -> None:
        self._name = name
        self.beyond = beyond

    def write(self, text: str) -> int:
        """See `typing.TextIO.write`."""
        writer = _writer()
        if writer is None:
            return self.beyond.write(text)
        writer(self._name, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """See `typing.TextIO.writelines`."""
        for line in lines:
            self.write(line)

    def flush(self) -> None:
        """See `typing.TextIO.flush`."""
        if _writer() is None:
            self.beyond.flush()

    def close(self) -> None:
        """See `typing.TextIO.close`. A thread that prints to its writer cannot close what others print to."""
        if _writer() is None:
            self.beyond.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.beyond, name)


@contextmanager
def printing_to(write: Write) -> Iterator[None]:
    """What this thread prints goes to `write` until the end of the block."""
    before = _writer()
    _enter()
    _here.write = write
    try:
        yield
    finally:
        _here.write = before
        _leave()


@contextmanager
def printing_aside() -> Iterator[None]:
    """What this thread prints goes to the stderr of the process until the end of the block."""
    beyond = sys.stderr.beyond if isinstance(sys.stderr, Routed) else sys.stderr

    def write(_stream: str, text: str) -> None:
        if beyond is not None:
            beyond.write(text)

    with printing_to(write):
        yield


def _writer() -> Write | None:
    return cast("Write | None", getattr(_here, "write", None))


def _enter() -> None:
    global _inside
    with _lock:
        _inside += 1
        for name in (STDOUT, STDERR):
            stream = getattr(sys, name)
            if stream is not None and not isinstance(stream, Routed):
                setattr(sys, name, Routed(name, stream))


def _leave() -> None:
    global _inside
    with _lock:
        _inside -= 1
        for name in (STDOUT, STDERR):
            stream = getattr(sys, name)
            if not _inside and isinstance(stream, Routed):
                setattr(sys, name, stream.beyond)
