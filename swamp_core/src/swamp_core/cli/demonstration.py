"""The whole loop, played with the real commands as processes, in a directory that is removed afterwards.

What is shown is what happened: a command that ends with another exit code than the story needs ends the demo.
"""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from swamp_core.app.workspace import DATASTORE_VARIABLE
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.failures import DemoFailed
from swamp_core.cli.output import Output
from swamp_core.cli.parts import Copy, Gap, Part, Say

COMMAND = (sys.executable, "-P", "-m", "swamp_core")
TIMEOUT_S = 60.0


@dataclass(slots=True)
class Stage:
    """Where the demo is played: it runs commands there, shows them, and remembers what they were."""

    directory: Path
    output: Output
    played: list[dict[str, Any]] = field(default_factory=list)

    def tell(self, text: str) -> None:
        """Say what comes next."""
        self._show(Gap(), Say(text, "good"))

    def play(self, *words: str, expected: ExitCode = ExitCode.DONE) -> str:
        """Run a command, show what it prints, and give what it printed on stdout. Raises `DemoFailed`."""
        line = shlex.join(("swamp", *words))
        self._show(Copy(f"$ {line}"))
        try:
            ended = self._run(words)
        except subprocess.TimeoutExpired as error:
            raise DemoFailed(f"`{line}` took longer than {TIMEOUT_S} s.") from error
        self.played.append({"command": line, "exitCode": ended.returncode})
        self._show(*(Say(f"  {text}", "dim") for text in ended.stdout.splitlines()))
        if ended.returncode != expected:
            raise DemoFailed(f"`{line}` ended with exit code {ended.returncode}, not with {int(expected)}.")
        return ended.stdout

    def _run(self, words: tuple[str, ...]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*COMMAND, *words],
            cwd=self.directory,
            env={name: value for name, value in os.environ.items() if name != DATASTORE_VARIABLE},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )

    def _show(self, *parts: Part) -> None:
        self.output.say(*parts)


def play(output: Output) -> list[dict[str, Any]]:
    """Play the demo; the commands with their exit codes. Raises `DemoFailed`."""
    with tempfile.TemporaryDirectory(prefix="swamp-demo-", ignore_cleanup_errors=True) as directory:
        stage = Stage(Path(directory).resolve(), output)
        _story(stage)
        return stage.played


def _story(stage: Stage) -> None:
    stage.tell("A repo is a directory with workflows. This makes one with an example.")
    stage.play("init")
    stage.tell(
        "Run it. It builds, and then pauses for a verdict: the process ends, the run waits in the store."
    )
    stage.play("workflow", "run", "release", "--input", "env=dev")
    stage.tell("Anybody who reaches the store sees what is waited for.")
    wait_id = json.loads(stage.play("workflow", "waits", "--json"))["waits"][0]["waitId"]
    stage.tell("A payload that does not fit the step's schema is refused, and the wait stays open.")
    stage.play("workflow", "signal", wait_id, "--payload", '{"verdict":"maybe"}', expected=ExitCode.REFUSED)
    stage.tell("This one is taken, and its receipt is stored. It can be sent from any host.")
    stage.play(
        "workflow", "signal", wait_id, "--payload", '{"verdict":"ship"}', "--idempotency-key", "demo-1"
    )
    stage.tell("Sent once more under its key, it gets the same receipt: nothing is done twice.")
    stage.play(
        "workflow", "signal", wait_id, "--payload", '{"verdict":"ship"}', "--idempotency-key", "demo-1"
    )
    stage.tell("Resume the run: the guard reads the verdict, and the release is shipped.")
    stage.play("workflow", "resume", "release")
    stage.tell("This is all that happened.")
    stage.play("workflow", "history", "get", "release")
