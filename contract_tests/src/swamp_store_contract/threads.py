"""Threads that start at once.

Every racing case goes through here, so that none of them races less than it says.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Barrier, Thread
from typing import TypeVar

T = TypeVar("T")
_SWITCH_INTERVAL_S = 1e-5


@contextmanager
def eager_switching() -> Iterator[None]:
    """Let the interpreter change threads far more often than usual, so that narrow races are met."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def at_once(calls: Sequence[Callable[[], T]]) -> list[T | Exception]:
    """Make all calls at the same moment, each in its own thread; what each gave or raised, in their order."""
    barrier = Barrier(len(calls))
    answers: list[T | Exception] = [RuntimeError("the thread did not end")] * len(calls)

    def run(index: int) -> None:
        barrier.wait()
        try:
            answers[index] = calls[index]()
        except Exception as error:
            answers[index] = error

    threads = [Thread(target=run, args=(index,), daemon=True) for index in range(len(calls))]
    with eager_switching():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return answers
