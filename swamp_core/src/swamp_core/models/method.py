"""A call of a method, whatever the type of its model: what goes in, what comes out, how it is stopped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

EXIT_CODE = "exitCode"
STDOUT = "stdout"
STDERR = "stderr"


Heard = Callable[[str, str], None]
"""Listens to a call: the name of a stream, STDOUT or STDERR, and one or more lines of it as they come."""


def unheard(stream: str, text: str) -> None:
    """Listens to nothing."""


@dataclass(frozen=True, slots=True)
class Invocation:
    """One call: for whom, where, and with which inputs (JSON values, expressions already evaluated).

    What the call prints is told to `heard` while it runs. A listener that is slow, or raises, holds up nothing.
    """

    workflow: str
    run_id: str
    job: str
    step: str
    repo_dir: Path
    inputs: Mapping[str, Any] = field(default_factory=dict)
    heard: Heard = unheard


@dataclass(frozen=True, slots=True)
class StepError:
    """Why a step failed: a stable code, a sentence, and what a program may want to know, as JSON values."""

    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MethodResult:
    """How a call ended: with outputs, or with an error. Exactly one of the two is None.

    `stdout` and `stderr` are what the call wrote, cut in the middle if it was much, whichever way it ended.
    """

    outputs: dict[str, Any] | None = None
    error: StepError | None = None
    stdout: str = ""
    stderr: str = ""


class MethodCall(Protocol):
    """A call that is carried out once. `run` belongs to one thread; `stop` may come from any, at any time."""

    def run(self, invocation: Invocation) -> MethodResult:
        """Carry the call out and give its result; blocks until the end. What goes wrong is in the result."""

    def stop(self, grace_s: float) -> None:
        """End the call, gently first and by force after the grace; returns at once, and `run` soon after.

        Before `run` it keeps the call from starting, and after its end it does nothing. Repeating it is
        harmless.
        """
