"""The command line as a process: however it is interrupted and when, it ends with one answer and an exit code.

An interrupt is SIGINT, SIGTERM or SIGHUP, and what it does is decided by how far the command is:

1. The first one raises `KeyboardInterrupt`, which is answered as an error. A command that must first bring what it
   does to an orderly end handles interrupts itself meanwhile (`interrupting`).
2. A second one leaves at once, with the same answer. A second SIGHUP says nothing new.
3. Once an answer has begun that another one would spoil, the first does nothing, and the second leaves.
4. Once the answer is given nothing changes it: an interrupt only hastens the end of the process, with its exit code.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.failures import interrupted_failure
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.main import carry_out
from swamp_core.cli.own_stdout import take_stdout
from swamp_core.entry import asks_for_json

if TYPE_CHECKING:
    from swamp_core.ambient import Ambient
    from swamp_core.app.workspace import Setting
    from swamp_core.store.protocol import SignalWaitStore

AGAIN_S = 0.01
COMPLETING = "_SWAMP_COMPLETE"
"""The variable with which a shell asks for completions, which click prints itself; no model's code runs then."""


def run_process(
    heeded: Sequence[signal.Signals],
    *,
    ambient: Ambient | None = None,
    opener: Callable[[Setting], SignalWaitStore] | None = None,
    silence_s: float = Invocation.silence_s,
) -> int:
    """Carry out the command line of this process, and give its exit code; `heeded` are the signals that interrupt."""
    arguments = sys.argv[1:]
    stdout = sys.stdout if COMPLETING in os.environ else take_stdout()
    invocation = Invocation(given_ambient=ambient, opener=opener, stdout=lambda: stdout, silence_s=silence_s)
    interrupts = Interrupts(invocation, arguments)
    for number in heeded:
        signal.signal(number, interrupts.interrupt)
    sys.unraisablehook = interrupts.not_raised
    try:
        code = carry_out(arguments, invocation)
    except KeyboardInterrupt:  # It came while another failure was being told.
        interrupts.tell()
        code = ExitCode.INTERRUPTED
    interrupts.exit_code = code
    atexit.register(_ignore, heeded)
    return code


@dataclass(slots=True)
class Interrupts:
    """The interrupts of a process that carries out a command line."""

    invocation: Invocation
    arguments: list[str]
    exit_code: int | None = None
    """Set once there is nothing left to do but to end the interpreter, which may wait for a model's threads."""
    _held_back: bool = False

    def interrupt(self, number: int, _frame: FrameType | None) -> None:
        """Handle a signal."""
        if self.exit_code is not None:
            os._exit(self.exit_code)
        elif self.invocation.answer_has_begun:
            if self._held_back and not self.invocation.output.given:
                os._exit(ExitCode.INTERRUPTED)
            self._held_back = True
        elif not self.invocation.interrupted:
            self.invocation.raise_interrupt()
        elif number != getattr(signal, "SIGHUP", None):
            self.tell()
            os._exit(ExitCode.INTERRUPTED)

    def not_raised(self, what: sys.UnraisableHookArgs) -> None:
        """Let an interrupt that struck where nothing can be raised, such as in a callback, come again after that."""
        if not issubclass(what.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(what)
        elif hasattr(signal, "setitimer"):  # Windows has no timer.
            self.invocation.interrupted = False
            signal.signal(signal.SIGALRM, self.interrupt)
            signal.setitimer(signal.ITIMER_REAL, AGAIN_S)

    def tell(self) -> None:
        """Answer that the command was interrupted, if it has no answer yet."""
        self.invocation.options.as_json |= asks_for_json(self.arguments)
        failure = interrupted_failure()
        self.invocation.output.last_words(failure.to_json(), failure.parts())


def _ignore(heeded: Sequence[signal.Signals]) -> None:
    """What the interpreter does last restores the handlers that end a process."""
    for number in heeded:
        signal.signal(number, signal.SIG_IGN)
