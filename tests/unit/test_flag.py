"""A flag, and the handlers that set it on the thread that waits for it."""

from __future__ import annotations

import sys
from itertools import count
from threading import Thread
from types import FrameType
from typing import Any

from swamp_core.flag import Flag

A_MOMENT_S = 0.01
LONG_S = 60.0


def waited(flag: Flag, *, set_at: int) -> tuple[bool, bool]:
    """Wait, with a handler that sets the flag at that line of `wait`: whether it was reached, and what was returned."""
    lines = count(1)
    reached = False

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal reached
        if event == "line" and frame.f_code is Flag.wait.__code__ and next(lines) == set_at:
            flag.set()
            reached = True
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        is_set = flag.wait(A_MOMENT_S)
    finally:
        sys.settrace(before)
    return reached, is_set


def test_wherever_a_handler_meets_a_wait_the_flag_is_set_and_the_wait_ends() -> None:
    """At no line of a wait does a handler on its thread find anything held that it would have to wait for."""
    lines = 0
    for set_at in count(1):
        reached, is_set = waited(Flag(), set_at=set_at)
        assert is_set == reached
        if not reached:
            break
        lines += 1
    assert lines > 3


def test_a_flag_wakes_all_who_wait() -> None:
    """Several threads wait for one flag, and each goes on when it is set."""
    flag = Flag()
    woken: list[bool] = []
    waiting = [Thread(target=lambda: woken.append(flag.wait(LONG_S))) for _ in range(3)]
    for each in waiting:
        each.start()
    flag.set()
    for each in waiting:
        each.join()
    assert woken == [True, True, True]


def test_a_wait_of_no_time_tells_how_it_stands() -> None:
    """Nothing is waited for where no time is left, and once set it stays so."""
    flag = Flag()
    assert not flag.wait(-1.0)
    flag.set()
    flag.set()
    assert flag.is_set()
    assert flag.wait(LONG_S)
