"""The command line as processes: a repo in a temporary directory, and `swamp` to call in it.

    ended = swamp("workflow", "run", "release", "--input", "env=dev")       # exit code 0, or the test fails
    swamp("workflow", "signal", wait_id, "--payload", "{}", code=3)         # another exit code is expected
    swamp.json("workflow", "waits")["waits"]                                # the one JSON document of stdout
    swamp("workflow", "waits", now="2026-07-27T12:00:00Z", ids=7)           # in a chosen world
    process = swamp.start("workflow", "run", "release", stop="put_if_absent:runs/*:3:after:kill")

A world (`now`, `clock_offset_s`, `ids`, `host`, `pid`, `user`, `stop`, `requests`) is what `swamp_core.testing.cli`
reads from `SWAMP_TEST_…`; without one the real command line runs.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.init import init
from swamp_core.app.workspace import Setting
from swamp_core.cli.main import main
from swamp_core.store.protocol import SignalWaitStore

TIMEOUT_S = 60.0


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended: its exit code (negative: the signal that killed it), and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON document of stdout."""
        return json.loads(self.out)


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`swamp` in a directory. `environ` is added to this process's, or taken from it where the value is None."""

    directory: Path
    environ: Mapping[str, str | None] = field(default_factory=dict)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def __call__(
        self, *args: str | bytes, code: int | None = 0, stdin: str | bytes = b"", **world: object
    ) -> Ended:
        """Run a command to its end. Another exit code than `code` fails the test; None takes any."""
        ended = subprocess.run(
            self._command(args, world),
            cwd=self.directory,
            env=self._env(world),
            input=stdin.encode() if isinstance(stdin, str) else stdin,
            capture_output=True,
            timeout=TIMEOUT_S,
            check=False,
        )
        out, err = ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8")
        told = f"{args} ended with {ended.returncode}, not {code}:\n{out}\n{err}"
        assert code is None or ended.returncode == code, told
        assert "Traceback" not in err, told
        return Ended(ended.returncode, out, err)

    def json(
        self, *args: str | bytes, code: int | None = 0, stdin: str | bytes = b"", **world: object
    ) -> Any:
        """Run a command with `--json` and give its document."""
        return self(*args, "--json", code=code, stdin=stdin, **world).json

    def here(
        self,
        *args: str,
        ambient: Ambient | None = None,
        opener: Callable[[Setting], SignalWaitStore] | None = None,
    ) -> Ended:
        """Run a command in this process: for many that differ only in what they are given. Any exit code will do."""
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["--repo-dir", str(self.directory), *args], ambient=ambient, opener=opener)
        return Ended(code, out.getvalue(), err.getvalue())

    def stored(self) -> dict[str, bytes]:
        """Every file of the store's directory, by its path there, byte for byte."""
        root = self.directory / ".swamp/store"
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    def start(self, *args: str, **world: object) -> subprocess.Popen[str]:
        """Start a command and do not wait for it. It is killed when the test ends."""
        process = subprocess.Popen(
            self._command(args, world),
            cwd=self.directory,
            env=self._env(world),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        self.started.append(process)
        return process

    def at(self, directory: Path, **environ: str | None) -> CommandLine:
        """The command line in another directory."""
        return replace(self, directory=directory, environ={**self.environ, **environ})

    def write(self, path: str, text: str) -> Path:
        """Write a file of the repo."""
        target = self.directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def _command(self, args: tuple[str | bytes, ...], world: Mapping[str, object]) -> list[str | bytes]:
        return [sys.executable, "-P", "-m", "swamp_core.testing.cli" if world else "swamp_core", *args]

    def _env(self, world: Mapping[str, object]) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("SWAMP_")}
        env |= {f"SWAMP_TEST_{name.upper()}": str(value) for name, value in world.items()}
        for name, value in self.environ.items():
            env.pop(name, None)
            if value is not None:
                env[name] = value
        return env


@pytest.fixture(scope="session")
def command_line() -> type[CommandLine]:
    """Makes a command line of its own for what several tests share. It is for commands that end by themselves."""
    return CommandLine


@pytest.fixture
def swamp(tmp_path: Path) -> Iterator[CommandLine]:
    """The command line in a fresh repo with the example: workflow and model `release`."""
    directory = tmp_path / "repo"
    init(directory)
    command_line = CommandLine(directory)
    yield command_line
    for process in command_line.started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
