"""Interrupts of a command that must first bring what it does to an orderly end.

The first SIGINT or SIGTERM asks for that end. A second one leaves at once, as a killed process would.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event as Flag
from types import FrameType

from swamp_core.cli.exit_codes import ExitCode

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def interrupts(ask: Callable[[], None] = lambda: None) -> Iterator[Flag]:
    """For as long as the block lasts, an interrupt sets the flag and calls `ask`. Used on the main thread."""
    interrupted = Flag()

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            os._exit(ExitCode.INTERRUPTED)
        interrupted.set()
        ask()

    before = {number: signal.signal(number, interrupt) for number in SIGNALS}
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
