"""Other processes over the same store, as a test sees them.

Started from a recipe, asked, and always ended.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any

from swamp_store_contract.under_test import Recipe


def python(module: str, *arguments: str, **options: Any) -> subprocess.Popen[str]:
    """A Python process that runs a module, and that finds every module that this one finds."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True, **options)


class Worker:
    """One process with the store open. `tell` and `hear` are apart, so that several can work at once."""

    def __init__(self, recipe: Recipe) -> None:
        self._process = python("swamp_store_contract.worker", stdin=subprocess.PIPE)
        self._write({"function": recipe.function, "arguments": recipe.arguments})

    def __enter__(self) -> Worker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()

    def tell(self, do: str, **details: Any) -> None:
        """Send a command without waiting for its answer."""
        self._write({"do": do, **details})

    def hear(self) -> Any:
        """The next answer."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "Another process could not open or use the store; its error output says why."
        return json.loads(line)

    def ask(self, do: str, **details: Any) -> Any:
        """Send a command and wait for its answer."""
        self.tell(do, **details)
        return self.hear()

    def _write(self, message: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()


@contextmanager
def workers(recipe: Recipe, count: int = 1) -> Iterator[list[Worker]]:
    """So many processes, each with the store open and waiting for its first command."""
    with ExitStack() as stack:
        started = [stack.enter_context(Worker(recipe)) for _ in range(count)]
        for worker in started:
            assert worker.hear() == "ready"
        yield started
