"""A warm interpreter, from which each command is forked: a process of its own, without the second that imports cost.

    with warm_interpreter() as warm:
        code, out, err = warm.run("swamp_core", ["workflow", "waits"], directory, environ, stdin=b"")

A forked process is like one that was started: its own PID, directory, environment and files, and it runs the module as
`python -m` does. It differs in what is imported already, so what a command imports is
tested elsewhere, in interpreters of their own.

`python -m tests.end_to_end.warm SOCKET` is the interpreter itself: one thread, which accepts a call, forks, and tells
the caller the exit code when the child is gone. It ends when its stdin does.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import runpy
import selectors
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

MESSAGE_BYTES_MAX = 1 << 20
PROGRAMS = ("swamp_core.__main__", "swamp_core.testing.cli")
SDKS = {"s3://": "swamp_store_s3.store", "gs://": "swamp_store_gcs.store"}

FORWARD = """
import json, os, socket, sys
_, address, module, *args = sys.argv
call = {"module": module, "args": args, "directory": os.getcwd(), "environ": dict(os.environ)}
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
    connection.connect(address)
    socket.send_fds(connection, [json.dumps(call).encode()], [0, 1, 2])
    connection.recv(32)
    code = int(connection.recv(32))
sys.exit(code if code >= 0 else 128 - code)
"""
"""What a process does that stands for a command in a shell: it hands on what it was given, and imports little."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a forked command has ended (negative: the signal that killed it), and what it wrote."""

    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class Warm:
    """The caller's side of a warm interpreter. Several threads may call at once."""

    address: str

    def command(self, module: str) -> list[str]:
        """What a shell can call as `python -m module`; arguments may follow."""
        return [sys.executable, "-I", "-S", "-c", FORWARD, self.address, module]

    def run(
        self,
        module: str,
        args: Sequence[str | bytes],
        directory: Path,
        environ: Mapping[str, str],
        *,
        stdin: bytes,
        timeout_s: float,
    ) -> Ended:
        """Run `python -m module args` to its end. Raises `TimeoutError` when it takes too long, and kills it."""
        with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
            given.write(stdin)
            given.seek(0)
            call = {
                "module": module,
                "args": [os.fsdecode(arg) for arg in args],
                "directory": str(directory),
                "environ": dict(environ),
            }
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as connection:
                connection.settimeout(timeout_s)
                connection.connect(self.address)
                files = [given.fileno(), out.fileno(), err.fileno()]
                socket.send_fds(connection, [json.dumps(call).encode()], files)
                pid = int(connection.recv(32))
                try:
                    code = int(connection.recv(32))
                except TimeoutError:
                    os.kill(pid, 9)
                    raise
            out.seek(0)
            err.seek(0)
            return Ended(code, out.read(), err.read())


@contextmanager
def warm_interpreter() -> Iterator[Warm]:
    """A warm interpreter that runs within the context."""
    with TemporaryDirectory() as directory:
        address = f"{directory}/socket"
        command = [sys.executable, "-P", "-m", __name__, address]
        root = Path(__file__).parents[2]
        environ = {**os.environ, "PYTHONPATH": str(root)}
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == b"warm\n"
            yield Warm(address)
            process.communicate(timeout=30)


def _serve(address: str) -> dict[str, Any] | None:
    """Fork a child for each call, until stdin ends; in a child, give its call."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening,
        selectors.DefaultSelector() as selector,
    ):
        listening.bind(address)
        listening.listen(64)
        os.write(1, b"warm\n")
        selector.register(0, selectors.EVENT_READ)
        selector.register(listening, selectors.EVENT_READ)
        while True:
            for ready, _ in selector.select():
                if ready.fileobj == 0:
                    return None
                if ready.fileobj is not listening:
                    _tell_end(selector, ready)
                    continue
                connection, _ = listening.accept()
                message, files, _, _ = socket.recv_fds(connection, MESSAGE_BYTES_MAX, 3)
                call = json.loads(message)
                _import_sdk(call["environ"], call["args"])
                gc.freeze()  # A child that collected garbage would look at, and so copy, all that is imported.
                if (pid := os.fork()) == 0:
                    for target, file in enumerate(files):
                        os.dup2(file, target)
                        os.close(file)
                    connection.close()
                    return call
                for file in files:
                    os.close(file)
                connection.send(b"%d" % pid)
                child = os.pidfd_open(pid)
                selector.register(child, selectors.EVENT_READ, (pid, connection))


def _tell_end(selector: selectors.BaseSelector, ready: selectors.SelectorKey) -> None:
    pid, connection = ready.data
    selector.unregister(ready.fileobj)
    os.close(ready.fd)
    _, status = os.waitpid(pid, 0)
    with suppress(OSError):  # The caller has gone away.
        connection.send(b"%d" % os.waitstatus_to_exitcode(status))
    connection.close()


def _import_sdk(environ: Mapping[str, str], args: Sequence[str]) -> None:
    for scheme, module in SDKS.items():
        if any(scheme in text for text in (environ.get("SWAMP_DATASTORE", ""), *args)):
            import_module(module)
            if scheme == "s3://":
                sdks = import_module("tests.servers.sdks")
                sdks.read_once()
                sdks.open_ahead(environ.get("SWAMP_DATASTORE", ""), environ)


def _import_all() -> None:
    """Everything that a command may import, but for what runs when it is imported."""
    metadata = import_module("importlib.metadata")
    metadata.entry_points = cache(
        metadata.entry_points
    )  # The forked see the same distributions: 4 ms a command.
    package = import_module("swamp_core")
    for module in pkgutil.walk_packages(package.__path__, "swamp_core."):
        if module.name not in PROGRAMS:
            import_module(module.name)
    for name in ("swamp_store_local.backend", "jsonschema", "rich.console", "concurrent.futures.thread"):
        import_module(name)
    import_module("swamp_core.store.registry").available_stores()


def _run(call: dict[str, Any]) -> None:
    """Be the process that was called for."""
    os.environ.clear()
    os.environ.update(call["environ"])
    time.tzset()
    os.chdir(call["directory"])
    sys.argv = ["", *call["args"]]
    code: object = 1
    try:
        runpy.run_module(call["module"], run_name="__main__", alter_sys=True)
    except SystemExit as exit_:
        code = exit_.code
    except BaseException:
        traceback.print_exc()
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    sys.stdout.flush()
    os._exit(
        code if isinstance(code, int) else 0
    )  # To take the interpreter apart costs more than the command.


if __name__ == "__main__":
    _import_all()
    if (call := _serve(sys.argv[1])) is not None:
        _run(call)
