"""A process that creates records and dies on the way: in a fork of itself, before each call of a create in turn.

It is started by the suite, as `python -m swamp_store_contract.killed`, with one line of JSON on its input. It answers
with the call before which each fork died, and with how the last one ended, which met no further call and lived.
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


class Countdown:
    """Counts calls of the watched functions, and kills the process just before the one with number `fatal`.

    The last thing that the process does is to write the call's name into the pipe.
    """

    def __init__(self, fatal: int, pipe: int) -> None:
        self._left = fatal
        self._pipe = pipe
        self._write = os.write  # which may be one of those that are watched

    def watch(self, name: str) -> None:
        """Put a counting function in the place of the one with this dotted name."""
        owner_name, _, attribute = name.rpartition(".")
        owner = pkgutil.resolve_name(owner_name)
        setattr(owner, attribute, self._counting(name, getattr(owner, attribute)))

    def _counting(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def counted(*arguments: Any, **options: Any) -> Any:
            if self._left == 0:
                self._write(self._pipe, name.encode())
                os.kill(os.getpid(), signal.SIGKILL)
            self._left -= 1
            return function(*arguments, **options)

        return counted


def attempt(order: dict[str, Any], fatal: int) -> tuple[int, str]:
    """Create a record in a fork that dies before the call with this number: its exit code, and that call."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        store = open_by_recipe(order["function"], order["arguments"])
        countdown = Countdown(fatal, writing)
        for name in order["calls"]:
            countdown.watch(name)
        store.put_if_absent(order["key"].format(fatal), order["data"].encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        died_before = pipe.read().decode()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), died_before


def main() -> None:
    """Go on until an attempt lives, or ends in a way that nobody asked for."""
    order = json.loads(sys.stdin.readline())
    open_by_recipe(order["function"], order["arguments"])  # so that the forks need not import what it takes
    died_before: list[str] = []
    exit_code, call = attempt(order, 0)
    while exit_code == -signal.SIGKILL:
        died_before.append(call)
        exit_code, call = attempt(order, len(died_before))
    sys.stdout.write(json.dumps({"died_before": died_before, "last_exit_code": exit_code}))
    sys.stdout.flush()


if __name__ == "__main__":
    main()
