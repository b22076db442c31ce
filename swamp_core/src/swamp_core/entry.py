"""Where a process that is `swamp` begins: an interrupt ends it with a sentence, however early it comes.

The command line takes a moment to import. Until that is done an interrupt leaves at once, for nothing was begun;
from then on it raises `KeyboardInterrupt`, as Python has it, and the command line answers for it.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130  # As `ExitCode.INTERRUPTED`, which is not imported yet.
STDERR = 2


def run() -> int:
    """Carry out the command line of this process and give its exit code."""
    try:
        heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # Not by a job behind an `&`.
        if heeded:
            signal.signal(signal.SIGINT, _leave)
        from swamp_core.cli.main import main

        if heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return main()
    except KeyboardInterrupt:
        _tell()
        return INTERRUPTED


def _leave(_number: int, _frame: FrameType | None) -> None:
    _tell()
    os._exit(INTERRUPTED)


def _tell() -> None:
    with suppress(OSError):
        os.write(STDERR, b"Interrupted.\n")
