"""Interrupts of a command that must first bring what it does to an orderly end.

The first SIGINT, SIGTERM or SIGHUP asks for that end. A second SIGINT or SIGTERM leaves at once, as a killed process
would, but kills the scripts that run and says what it leaves. A second SIGHUP says nothing new: a terminal that closes
often sends two.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.failures import Failure, interrupted_failure
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.output import Output
from swamp_core.flag import Flag
from swamp_core.models.processes import kill_all

if TYPE_CHECKING:
    from swamp_core.store.probing import Trial

_HANGUP: signal.Signals | None = getattr(signal, "SIGHUP", None)
"""What a process gets when its terminal closes; Windows has none."""
SIGNALS = tuple(filter(None, (signal.SIGINT, signal.SIGTERM, _HANGUP)))
STDERR = 2


@contextmanager
def interrupts(
    saying: Callable[[], str], ask: Callable[[], None], leave: Callable[[], None]
) -> Iterator[Flag]:
    """For as long as the block lasts, an interrupt is told of by a sentence, sets the flag and calls `ask`.

    A second one calls `leave`, which is to end in the function of that name. Used on the main thread. A hangup that is
    ignored, as `nohup` asks for, stays ignored.
    """
    interrupted = Flag()

    def interrupt(number: int, _frame: FrameType | None) -> None:
        if interrupted.is_set():
            if number == _HANGUP:
                return
            leave()
            return
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


@contextmanager
def cut_off(invocation: Invocation, saying: str, hint: Callable[[], str | None]) -> Iterator[None]:
    """For as long as the block lasts, an interrupt is told of by a sentence and raises `KeyboardInterrupt`.

    A second one leaves at once; `hint` is asked what stays then.
    """
    with interrupts(
        lambda: saying,
        invocation.raise_interrupt,
        lambda: leave(invocation.output, interrupted_failure(hint())),
    ):
        yield


def what_stays(trials: Iterable[Trial], *others: str) -> str | None:
    """What to say of trials that were not cleaned up, before the other lines."""
    return "\n".join([*(trial.left for trial in trials if trial.may_have_left), *others]) or None


def leave(output: Output, failure: Failure) -> None:
    """End this process and the scripts that it runs at once, from a signal handler; the failure is its answer."""
    kill_all()
    output.last_words(failure.to_json(), failure.parts())
    os._exit(ExitCode.INTERRUPTED)
