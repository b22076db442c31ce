"""Side by side: the one place where calls to a store are spread over threads.

The stores are synchronous because the SDKs are; what saves time is to wait for several answers at once.
Answers come back in the order of the questions, and the first failure is raised only after every call has
ended, so that nothing is still writing when the caller decides what to do about it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

FAN_OUT = 16

A = TypeVar("A")
R = TypeVar("R")


def fan_out(call: Callable[[A], R], arguments: Sequence[A]) -> list[R]:
    """Call once for each argument, at most `FAN_OUT` at a time; the answers are in the arguments' order."""
    if len(arguments) < 2:
        return [call(argument) for argument in arguments]
    from concurrent.futures import ThreadPoolExecutor  # costs a tenth of a start; a single read needs none

    with ThreadPoolExecutor(min(FAN_OUT, len(arguments)), thread_name_prefix="swamp-store") as pool:
        return list(pool.map(call, arguments))
