"""The command line as processes: a repo in a temporary directory, and `swamp` to call in it.

    ended = swamp("workflow", "run", "release", "--input", "env=dev")       # exit code 0, or the test fails
    swamp("workflow", "signal", wait_id, "--payload", "{}", code=3)         # another exit code is expected
    swamp.json("workflow", "waits")["waits"]                                # the one JSON document of stdout
    swamp("workflow", "waits", now="2026-07-27T12:00:00Z", ids=7)           # in a chosen world
    process = swamp.start("workflow", "run", "release", stop="put_if_absent:runs/*:3:after:pause")
    swamp.stopped(process)                                                  # it has come to its pause
    process.send_signal(signal.SIGCONT)
    swamp.finished(process)                                                 # as a call that has ended
    swamp.pasted("swamp workflow waits --workflow release")                 # a command that was printed

A world (`now`, `clock_offset_s`, `ids`, `host`, `pid`, `user`, `stop`, `requests`) is what `swamp_core.testing.cli`
reads from `SWAMP_TEST_…`; without one the real command line runs.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.init import init
from swamp_core.app.swamp import Swamp
from swamp_core.app.workspace import Setting, open_workspace
from swamp_core.cli.main import main
from swamp_core.store.protocol import SignalWaitStore

from tests.end_to_end.datastores import BucketPlace, LocalPlace, NewPlace, Place
from tests.end_to_end.releases import Held, Release, new_release
from tests.end_to_end.warm import Warm, warm_interpreter
from tests.servers.server import Server

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

    @property
    def commands(self) -> list[str]:
        """The commands that it printed, each on a line of its own."""
        return [line for line in (self.out + self.err).splitlines() if line.startswith("swamp ")]


@dataclass(frozen=True, slots=True)
class CommandLine:
    """`swamp` in a directory. `environ` is added to this process's, or taken from it where the value is None."""

    warm: ClassVar[Warm | None] = None

    directory: Path
    place: Place
    environ: Mapping[str, str | None] = field(default_factory=dict)
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    def __call__(
        self, *args: str | bytes, code: int | None = 0, stdin: str | bytes = b"", **world: object
    ) -> Ended:
        """Run a command to its end. Another exit code than `code` fails the test; None takes any."""
        ended = self._run(args, world, stdin.encode() if isinstance(stdin, str) else stdin)
        told = f"{args} ended with {ended.code}, not {code}:\n{ended.out}\n{ended.err}"
        assert code is None or ended.code == code, told
        assert "Traceback" not in ended.err, told
        return ended

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
        opener = opener or (lambda _: self.place.open())
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["--repo-dir", str(self.directory), *args], ambient=ambient, opener=opener)
        return Ended(code, out.getvalue(), err.getvalue())

    def stored(self) -> dict[str, bytes]:
        """Every record of the store by its key, byte for byte."""
        return self.place.records()

    def library(self) -> Swamp:
        """The same repo and store, from Python."""
        return Swamp(
            open_workspace(self.directory, environ=os.environ, opener=lambda _: self.place.open()),
        )

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

    def stopped(self, process: subprocess.Popen[str]) -> None:
        """Wait until a started command has stopped itself at its pause. It goes on at SIGCONT."""
        with _bounded(process):
            state = os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        assert state is not None
        assert state.si_code == os.CLD_STOPPED, f"It ended and did not pause: {process.communicate()}"

    def told(self, process: subprocess.Popen[str], text: str) -> str:
        """Wait until a started command writes a line with the text to stderr; that line."""
        assert process.stderr is not None
        with _bounded(process):
            line = next((line for line in process.stderr if text in line), None)
        assert line is not None, f"It ended and did not say {text!r}: {process.communicate()}"
        return line.rstrip("\n")

    def finished(self, process: subprocess.Popen[str], code: int | None = 0) -> Ended:
        """Wait until a started command has ended; `err` is what `told` has not read."""
        assert process.stdout is not None
        assert process.stderr is not None
        with _bounded(process):
            err, out = process.stderr.read(), process.stdout.read()
            process.wait()
        assert code in (None, process.returncode), f"It ended with {process.returncode}:\n{out}\n{err}"
        assert "Traceback" not in err, err
        return Ended(process.returncode, out, err)

    def pasted(self, command: str, *, code: int | None = 0, **world: object) -> Ended:
        """Run a command that was printed, as a shell does."""
        warm = self._warm()
        called = shlex.join(warm.command(_module(world)) if warm else map(str, self._command((), world)))
        ended = subprocess.run(
            ["sh", "-c", f'swamp() {{ {called} "$@"; }}\n{command}'],
            cwd=self.directory,
            env=self._env(world),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=TIMEOUT_S,
            check=False,
        )
        assert code in (None, ended.returncode), f"{command} ended with {ended.returncode}:\n{ended.stderr}"
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def at(self, directory: Path, **environ: str | None) -> CommandLine:
        """The command line in another directory; where the state is kept in the repo, with a store of its own."""
        place = self.place.at(directory)
        return replace(self, directory=directory, place=place, environ={**self.environ, **environ})

    def copied(self, directory: Path) -> CommandLine:
        """The command line in a copy of the repo, with a copy of the store."""
        shutil.copytree(self.directory, directory)
        return replace(self, directory=directory, place=self.place.copied(directory))

    def write(self, path: str, text: str) -> Path:
        """Write a file of the repo."""
        target = self.directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return target

    def _run(self, args: tuple[str | bytes, ...], world: Mapping[str, object], stdin: bytes) -> Ended:
        """Run a command in a process that is forked, or in one of its own."""
        warm = self._warm()
        if warm is None:
            ended = subprocess.run(
                self._command(args, world),
                cwd=self.directory,
                env=self._env(world),
                input=stdin,
                capture_output=True,
                timeout=TIMEOUT_S,
                check=False,
            )
            return Ended(ended.returncode, ended.stdout.decode("utf-8"), ended.stderr.decode("utf-8"))
        forked = warm.run(
            _module(world), args, self.directory, self._env(world), stdin=stdin, timeout_s=TIMEOUT_S
        )
        return Ended(forked.code, forked.out.decode("utf-8"), forked.err.decode("utf-8"))

    def _warm(self) -> Warm | None:
        """The interpreter to fork commands from, unless there is none, or these tell their interpreter something."""
        return None if any(name.startswith("PYTHON") for name in self.environ) else self.warm

    def _command(self, args: tuple[str | bytes, ...], world: Mapping[str, object]) -> list[str | bytes]:
        return [sys.executable, "-P", "-m", _module(world), *args]

    def _env(self, world: Mapping[str, object]) -> dict[str, str]:
        env = {name: value for name, value in os.environ.items() if not name.startswith("SWAMP_")}
        env |= self.place.environ
        env |= {f"SWAMP_TEST_{name.upper()}": str(value) for name, value in world.items()}
        for name, value in self.environ.items():
            env.pop(name, None)
            if value is not None:
                env[name] = value
        return env


def _module(world: Mapping[str, object]) -> str:
    return "swamp_core.testing.cli" if world else "swamp_core"


@contextmanager
def _bounded(process: subprocess.Popen[str]) -> Iterator[None]:
    """Kill the process when the block takes too long, so that a test that waits for it fails."""
    timer = threading.Timer(TIMEOUT_S, process.kill)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the stores on which a test says that it shows nothing more (`only_local`, with the reason)."""
    elsewhere = [item for item in items if item.get_closest_marker("only_local") and not _is_local(item)]
    config.hook.pytest_deselected(items=elsewhere)
    items[:] = [item for item in items if item not in set(elsewhere)]


def _is_local(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is None or callspec.params.get("new_place", "local") == "local"


@pytest.fixture(scope="session", autouse=True)
def _warm() -> Iterator[None]:
    """Where a system can fork, commands are; elsewhere each starts an interpreter."""
    if not hasattr(os, "pidfd_open"):
        yield
        return
    with warm_interpreter() as CommandLine.warm:
        yield


@pytest.fixture(scope="session", params=["local", "s3", "gcs"])
def new_place(request: pytest.FixtureRequest) -> Iterator[NewPlace]:
    """Makes places in which state is kept. Each test of this directory runs on each store that it is not marked off."""
    if request.param == "local":
        yield LocalPlace
        return
    server: Server = request.getfixturevalue(f"{request.param}_server")
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environ.items():
            patch.setenv(name, value)
        yield lambda directory: BucketPlace(server, server.new_bucket())


@pytest.fixture(scope="session")
def command_line(new_place: NewPlace) -> Callable[[Path], CommandLine]:
    """Makes a command line of its own for what several tests share. It is for commands that end by themselves."""
    return lambda directory: CommandLine(directory, new_place(directory))


@pytest.fixture
def swamp(tmp_path: Path, command_line: Callable[[Path], CommandLine]) -> Iterator[CommandLine]:
    """The command line in a fresh repo with the example: workflow and model `release`."""
    swamp = command_line(tmp_path / "repo")
    init(swamp.directory)
    yield swamp
    for process in swamp.started:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()


@pytest.fixture
def release(swamp: CommandLine) -> Release:
    """A repo with the workflow `release` of the README, in which nothing has run."""
    return new_release(swamp)


@pytest.fixture(scope="session")
def suspended_once(
    tmp_path_factory: pytest.TempPathFactory, command_line: Callable[[Path], CommandLine]
) -> Release:
    """A repo with a run of `release` that waits. It is only copied."""
    release = new_release(command_line(tmp_path_factory.mktemp("release") / "repo"))
    return Release(release.swamp, release.run())


@pytest.fixture
def suspended(swamp: CommandLine, suspended_once: Release, tmp_path: Path) -> Release:
    """A repo with a run of `release` that waits for its verdict."""
    copy = suspended_once.copied(tmp_path / "suspended")
    return Release(replace(copy.swamp, started=swamp.started), copy.ran)


@pytest.fixture
def held(release: Release) -> Iterator[Held]:
    """The step `hold` in the repo of `release`."""
    held = Held(release.directory)
    yield held
    held.end()
