"""A process that creates records and dies on the way: in a fork of itself for each call where it is to die.

It is started by the suite, as `python -m swamp_store_contract.killed`, with one line of JSON on its input. It answers
with the calls that a whole create makes, and how the fork that was to die before each of them ended.
"""

from __future__ import annotations

import functools
import json
import os
import pkgutil
import signal
import sys
from collections.abc import Callable
from typing import Any

from swamp_store_contract.worker import open_by_recipe

NEVER = -1


class Countdown:
    """Counts calls of the watched functions, and kills the process just before the one with number `fatal`."""

    def __init__(self, fatal: int) -> None:
        self.names: list[str] = []
        self._fatal = fatal

    def watch(self, name: str) -> None:
        """Put a counting function in the place of the one with this dotted name."""
        owner_name, _, attribute = name.rpartition(".")
        owner = pkgutil.resolve_name(owner_name)
        setattr(owner, attribute, self._counting(name, getattr(owner, attribute)))

    def _counting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **options: Any) -> Any:
            if len(self.names) == self._fatal:
                os.kill(os.getpid(), signal.SIGKILL)
            self.names.append(name)
            return function(*arguments, **options)

        return counted


class Order:
    """What the suite asks for: the store, the record, the calls to watch, and `{}` in the key for each attempt."""

    def __init__(self, line: str) -> None:
        told = json.loads(line)
        self.recipe: tuple[str, list[str]] = (told["function"], told["arguments"])
        self.key: str = told["key"]
        self.data: bytes = told["data"].encode()
        self.calls: list[str] = told["calls"]

    def create(self, fatal: int) -> list[str]:
        """Create the record of this attempt, and give the calls that it took."""
        store = open_by_recipe(*self.recipe)
        countdown = Countdown(fatal)
        for name in self.calls:
            countdown.watch(name)
        store.put_if_absent(self.key.format("none" if fatal == NEVER else fatal), self.data)
        return list(countdown.names)


def in_a_fork(order: Order, fatal: int) -> tuple[int, list[str]]:
    """Make one attempt in a process of its own: its exit code, and the calls it made if it lived to tell."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, json.dumps(order.create(fatal)).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), json.loads(told or b"[]")


def main() -> None:
    """One attempt that lives, to learn the calls; then one for each of them, which dies just before it."""
    order = Order(sys.stdin.readline())
    open_by_recipe(*order.recipe)  # so that the forks need not import what it takes
    code, calls = in_a_fork(order, NEVER)
    ends = [in_a_fork(order, fatal)[0] for fatal in range(len(calls))] if code == 0 else []
    sys.stdout.write(json.dumps({"lived": code == 0, "calls": calls, "exit_codes": ends}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
