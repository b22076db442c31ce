"""Interrupts of a command that must first bring what it does to an orderly end.

The first SIGINT, SIGTERM or SIGHUP asks for that end. A second SIGINT or SIGTERM leaves at once, as a killed process
would, and kills the scripts that run. A second SIGHUP says nothing new: a terminal that closes often sends two.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event as Flag
from types import FrameType

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.models.processes import kill_all

_HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""What a process gets when its terminal closes; Windows has none."""
SIGNALS = tuple(filter(None, (signal.SIGINT, signal.SIGTERM, _HANGUP)))
STDERR = 2


@contextmanager
def interrupts(saying: Callable[[], str], ask: Callable[[], None] = lambda: None) -> Iterator[Flag]:
    """For as long as the block lasts, an interrupt is told of by a sentence, sets the flag and calls `ask`.

    Used on the main thread. A hangup that is ignored, as `nohup` asks for, stays ignored.
    """
    interrupted = Flag()

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            if number == _HANGUP:
                return
            kill_all()
            os._exit(ExitCode.INTERRUPTED)
        interrupted.set()
        with suppress(OSError):  # Not through a buffer, which the interrupted code may be writing to.
            os.write(STDERR, f"\n{saying()} Interrupt again to leave at once.\n".encode())
        ask()

    heeded = [each for each in SIGNALS if each != _HANGUP or signal.getsignal(each) != signal.SIG_IGN]
    before = {number: signal.signal(number, interrupt) for number in heeded}
    try:
        yield interrupted
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
