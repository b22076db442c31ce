"""A server as a process that cannot outlive the tests.

It keeps no pipe of ours open, so that nobody who waits for our output waits for it; a watcher beside it reads
the one pipe that it must not have, and kills it when that closes, which it does even when the tests are killed.
"""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

HOST = "127.0.0.1"
START_S = 30.0
PORTS_TRIED = 5

_GUARDED = 'exec 3<&0; { read -r over <&3 || kill -9 $$; } & exec "$@" </dev/null 3<&-'


class NotStarted(Exception):
    """A server ended at once, or never answered."""


@contextmanager
def serving(argv_at: Callable[[int], list[str]]) -> Iterator[str]:
    """A server that runs within the context, as `host:port`. `argv_at` makes its command line for a port."""
    for _ in range(PORTS_TRIED):
        port = _free_port()
        process = _start(argv_at(port))
        try:
            if _answers(process, port):
                yield f"{HOST}:{port}"
                return
        finally:
            _stop(process)
    raise NotStarted(f"no answer from {argv_at(0)}")


def _start(argv: list[str]) -> subprocess.Popen[bytes]:
    """The server, and the watcher, which ends it as soon as our end of the pipe is gone."""
    return subprocess.Popen(
        ["/bin/sh", "-c", _GUARDED, "sh", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C is for the tests; they stop the server when they have ended.
    )


def _stop(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    if process.poll() is not None:  # Its ID may be another's by now: the watcher goes without killing it.
        process.stdin.write(b"over\n")
    process.stdin.close()
    process.wait()


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    """Wait until the server takes connections; False when it has ended, as when another took the port first."""
    deadline = time.monotonic() + START_S
    while not is_answered(f"{HOST}:{port}") and time.monotonic() < deadline:
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
            return False
    return process.poll() is None and is_answered(f"{HOST}:{port}")


def is_answered(address: str) -> bool:
    """Whether somebody takes connections there."""
    host, _, port = address.partition(":")
    try:
        socket.create_connection((host, int(port)), timeout=1).close()
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port
