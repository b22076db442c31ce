"""A script as a process with everything that it starts: begun in a session of its own, and ended as one.

The hazard:

1. The shell ends and is reaped; its process ID is free.
2. The system gives the ID to a stranger, who leads a group of that number.
3. We signal the group, to end what the script left behind, and hit the stranger.

So the end of the shell is observed without reaping it, the group is signalled while the shell still holds the
number, and after it is reaped no signal is sent any more.

A process that must leave at once ends what it has started with `kill_all`.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

_IS_POSIX = os.name == "posix"

_live: set[int] = set()
"""The process IDs of groups that were started and are not reaped."""
_starting: set[object] = set()
"""One for each group that is being started: its process may run already, and its ID is not known yet."""
LOOKS_MAX, LOOK_S = 50, 0.02


def kill_all() -> None:
    """End every process of every group, also of those that are being started.

    It takes no lock, and waits at most a second for what is being started, so a signal handler may call it.
    """
    _kill_live()
    others_turn = threading.Event()
    for _ in range(LOOKS_MAX):
        if not _starting:
            break
        others_turn.wait(LOOK_S)
    _kill_live()


def _kill_live() -> None:
    for leader in tuple(_live):
        with suppress(OSError):
            if _IS_POSIX:
                os.killpg(leader, signal.SIGKILL)
            else:
                os.kill(leader, signal.SIGTERM)


def shell_command(script: str) -> list[str]:
    """The command that runs a script: `/bin/sh -c`, or on Windows the `sh` that is on the path."""
    shell = "/bin/sh" if _IS_POSIX else shutil.which("sh") or "sh"
    return [shell, "-c", script]


class ProcessGroup:
    """A process and its descendants, as far as they stay in its group; `OSError` if none starts.

    On Windows there are no groups, so only the process itself is ended there. Where the system has no `waitid`
    (macOS before Python 3.13) step 2 of the hazard is possible between the reaping and the kill.
    """

    def __init__(self, command: Sequence[str], *, env: Mapping[str, str], working_dir: Path) -> None:
        self._lock = threading.Lock()
        self._reaped = False
        # Descendants inherit the write end, wherever they send their output; its end of file is their end.
        self._lifeline, write_end = os.pipe()
        _starting.add(self)
        try:
            self._process = subprocess.Popen(
                command,
                env=_encoded(env),
                cwd=working_dir,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                pass_fds=(write_end,) if _IS_POSIX else (),
            )
            _live.add(self._process.pid)
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            _starting.discard(self)
            os.close(write_end)

    @property
    def stdout(self) -> IO[bytes]:
        """What the group prints, until the last process that holds it has ended."""
        assert self._process.stdout is not None
        return self._process.stdout

    @property
    def stderr(self) -> IO[bytes]:
        """As `stdout`, for errors."""
        assert self._process.stderr is not None
        return self._process.stderr

    def wait(self) -> None:
        """Wait until the process itself has ended; where the system allows, it is not reaped yet."""
        if hasattr(os, "waitid"):
            os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()

    def wait_for_descendants(self, timeout_s: float) -> None:
        """Wait until everything that the process started has ended too, at most so long."""
        if _IS_POSIX:
            with selectors.DefaultSelector() as selector:
                selector.register(self._lifeline, selectors.EVENT_READ)
                selector.select(timeout_s)

    def terminate(self) -> None:
        """Ask every process of the group to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End every process of the group."""
        self._signal(signal.SIGKILL if _IS_POSIX else signal.SIGTERM)

    def close(self) -> int:
        """End what is left of the group and reap the process: its exit code, or minus its signal."""
        self.kill()
        with self._lock:
            if not self._reaped:
                self._reaped = True
                _live.discard(self._process.pid)
                os.close(self._lifeline)
            return self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with self._lock:
            if self._reaped:
                return
            if _IS_POSIX:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, number)
            else:
                self._process.terminate()


def _encoded(env: Mapping[str, str]) -> Mapping[bytes, bytes] | Mapping[str, str]:
    # Variables are UTF-8 whatever the locale of this process is.
    if not _IS_POSIX:
        return env
    return {_bytes(name): _bytes(value) for name, value in env.items()}


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
