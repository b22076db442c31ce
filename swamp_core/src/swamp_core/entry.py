"""Where a process that is `swamp` begins: an interrupt ends it with an answer, however early it comes.

The command line takes a moment to import. Until that is done an interrupt leaves at once, for nothing was begun;
from then on `cli.process` answers for it. Nothing is imported here that takes time.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

INTERRUPTED = 130  # As `ExitCode.INTERRUPTED`, which is not imported yet.
STDOUT, STDERR = 1, 2
DOCUMENT = b"""\
{
  "error": {
    "code": "interrupted",
    "message": "Interrupted.",
    "hint": null,
    "details": {}
  }
}
"""


def run() -> int:
    """Carry out the command line of this process and give its exit code."""
    heeded = heeded_signals()
    for number in heeded:
        signal.signal(number, _leave)
    from swamp_core.cli.process import run_process

    return run_process(heeded)


def heeded_signals() -> list[signal.Signals]:
    """The interrupts that this process was not told to ignore, as a job behind an `&` or by `nohup`."""
    found = (
        getattr(signal, name, None) for name in ("SIGINT", "SIGTERM", "SIGHUP")
    )  # Windows has no hangup.
    defaults = (signal.SIG_DFL, signal.default_int_handler)
    return [number for number in found if number is not None and signal.getsignal(number) in defaults]


def asks_for_json(arguments: Sequence[str]) -> bool:
    """Whether a command line that was not understood, or not yet, seems to ask for JSON."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    return "--json" in words


def _leave(_number: int, _frame: FrameType | None) -> None:
    with suppress(OSError):
        if asks_for_json(sys.argv[1:]):
            os.write(STDOUT, DOCUMENT)
        else:
            os.write(STDERR, b"Error: Interrupted.\n")
    os._exit(INTERRUPTED)
