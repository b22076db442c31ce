"""Carries out a method of a `command/shell` model: one script, run as a process, watched to its end.

The script is handed to `/bin/sh -c` exactly as its author wrote it. It reads from nothing, what it prints is
kept within a bound, and when it ends, however it ends, nothing that it started is left in its process group.
A process that moved to a session of its own is left alone, and not waited for.
"""

from __future__ import annotations

import errno
import os
import signal
import tempfile
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

from swamp_core.models.capture import Capture
from swamp_core.models.definition import ShellMethod
from swamp_core.models.environment import InputNotPassed, environment
from swamp_core.models.method import EXIT_CODE, STDERR, STDOUT, Heard, Invocation, MethodResult, StepError
from swamp_core.models.output import Output
from swamp_core.models.processes import ProcessGroup, shell_command
from swamp_core.models.script_outputs import InvalidOutput, read_outputs

TIMEOUT_GRACE_S = 5.0
DRAIN_S = 1.0
"""How long the rest of what was printed is waited for while something that was left behind holds it."""
STDERR_CHARACTERS_IN_ERROR = 2000


class ShellCall:
    """One call of a method; see `MethodCall`. The script's environment is based on the `inherited` one."""

    def __init__(self, method: ShellMethod, inherited: Mapping[str, str] | None = None) -> None:
        self._method = method
        self._inherited = os.environ if inherited is None else inherited
        self._lock = threading.Lock()
        self._group: ProcessGroup | None = None
        self._ended = False
        self._why: StepError | None = None
        self._grace_s = 0.0
        self._timers: list[threading.Timer] = []

    def run(self, invocation: Invocation) -> MethodResult:
        """Run the script and give its result; blocks until it has ended. Once for a call."""
        try:
            directory = tempfile.TemporaryDirectory(prefix="swamp-step-", ignore_cleanup_errors=True)
        except OSError as error:
            return MethodResult(error=_not_started(error))
        with directory as scratch:
            output_file = Path(scratch) / "output"
            started = self._start(invocation, output_file)
            if isinstance(started, StepError):
                return MethodResult(error=started)
            return self._watch(started, output_file, invocation.heard)

    def stop(self, grace_s: float) -> None:
        """End the script: SIGTERM to its process group, SIGKILL after the grace, in seconds; does not wait."""
        self._end(StepError("stopped", "The step was stopped before it had ended."), grace_s)

    def _start(self, invocation: Invocation, output_file: Path) -> ProcessGroup | StepError:
        working_dir = invocation.repo_dir / (self._method.working_dir or "")
        if not working_dir.is_dir():
            return StepError(
                "working_dir_missing", f"There is no directory {working_dir} to run the step in."
            )
        try:
            env = environment(self._method, invocation, output_file, self._inherited)
        except InputNotPassed as error:
            return StepError("input_not_passed", str(error))
        with self._lock:
            if self._why is not None:
                return self._why
            try:
                output_file.touch()
                command = shell_command(self._method.run)
                self._group = ProcessGroup(command, env=env, working_dir=working_dir)
            except OSError as error:
                return _not_started(error)
            return self._group

    def _watch(self, group: ProcessGroup, output_file: Path, heard: Heard) -> MethodResult:
        try:
            output = Output(heard)
            captures = Capture(group.stdout, output.stdout), Capture(group.stderr, output.stderr)
            if (timeout_s := self._method.timeout_s) is not None:
                too_long = StepError("timeout", f"The command took longer than its timeout, {timeout_s} s.")
                self._later(timeout_s, lambda: self._end(too_long, TIMEOUT_GRACE_S))
            group.wait()
            with self._lock:
                self._ended = True
                ended_by, grace_s = self._why, self._grace_s
            if ended_by is not None:
                group.wait_for_descendants(grace_s)
            _drained(captures)
        finally:
            code = group.close()
            self._cancel_timers()
        _drained(captures)
        output.close(DRAIN_S)
        out, err = output.stdout.text(), output.stderr.text()
        error = ended_by or _failure(code)
        if error is not None:
            details = {
                **error.details,
                EXIT_CODE: _exit_code(code),
                STDERR: err[-STDERR_CHARACTERS_IN_ERROR:],
            }
            return MethodResult(error=StepError(error.code, error.message, details), stdout=out, stderr=err)
        return _success(output_file, out, err)

    def _end(self, why: StepError, grace_s: float) -> None:
        with self._lock:
            if self._ended:
                return
            self._why = self._why or why
            self._grace_s = max(self._grace_s, grace_s)
            group = self._group
        if group is None:
            return
        if grace_s > 0:
            group.terminate()
            self._later(grace_s, group.kill)
        else:
            group.kill()

    def _later(self, delay_s: float, action: Callable[[], None]) -> None:
        timer = threading.Timer(delay_s, action)
        timer.daemon = True
        with self._lock:
            self._timers.append(timer)
        timer.start()

    def _cancel_timers(self) -> None:
        with self._lock:
            timers = tuple(self._timers)
        for timer in timers:
            timer.cancel()


def _drained(captures: tuple[Capture, ...]) -> bool:
    return all(capture.wait(DRAIN_S) for capture in captures)


def _success(output_file: Path, out: str, err: str) -> MethodResult:
    try:
        given = read_outputs(output_file)
    except InvalidOutput as error:
        failure = StepError(error.code, str(error), {EXIT_CODE: 0})
        return MethodResult(error=failure, stdout=out, stderr=err)
    outputs = {EXIT_CODE: 0, STDOUT: out, STDERR: err, **given}
    return MethodResult(outputs=outputs, stdout=out, stderr=err)


def _failure(code: int) -> StepError | None:
    if code == 0:
        return None
    if code < 0:
        name = signal.strsignal(-code) or "unknown"
        return StepError("command_failed", f"The command was ended by signal {-code} ({name}).")
    return StepError("command_failed", f"The command ended with exit code {code}.")


def _exit_code(code: int) -> int:
    """As a shell tells it: 128 and the number of the signal, for a command that a signal ended."""
    return 128 - code if code < 0 else code


def _not_started(error: OSError) -> StepError:
    if error.errno == errno.E2BIG:
        message = (
            "The step's inputs do not fit into environment variables; pass a path or an address instead."
        )
        return StepError("inputs_too_large", message)
    return StepError("command_not_started", f"The script could not be started: {error.strerror or error}.")
