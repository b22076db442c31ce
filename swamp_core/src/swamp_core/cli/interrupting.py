"""Interrupts of a command that must first bring what it does to an orderly end.

The first SIGINT or SIGTERM asks for that end. A second one leaves at once, as a killed process would.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event as Flag
from types import FrameType

from swamp_core.cli.exit_codes import ExitCode

SIGNALS = (signal.SIGINT, signal.SIGTERM)
STDERR = 2


@contextmanager
def interrupts(saying: str, ask: Callable[[], None] = lambda: None) -> Iterator[Flag]:
    """For as long as the block lasts, an interrupt is told of by the sentence, sets the flag and calls `ask`.

    Used on the main thread.
    """
    interrupted = Flag()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            os._exit(ExitCode.INTERRUPTED)
        interrupted.set()
        with suppress(OSError):  # Not through a buffer, which the interrupted code may be writing to.
            os.write(STDERR, f"\n{saying} Interrupt again to leave at once.\n".encode())
        ask()

    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
