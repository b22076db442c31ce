"""Carries out a method of a Python model: in a thread of its own, watched until it returns or is given up.

A thread cannot be ended by force. One that has not returned a while after it was asked to stop is left behind: its
step has failed by then, and nothing that it still does or prints is recorded.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from typing import Any

from swamp_core.models.context import MethodContext
from swamp_core.models.method import STDERR, STDOUT, Invocation, MethodResult, StepError
from swamp_core.models.output import Output
from swamp_core.models.printed import printing_to
from swamp_core.models.python_calling import call_method
from swamp_core.models.python_definition import PythonModel

TIMEOUT_GRACE_S = 5.0
LISTENER_PATIENCE_S = 1.0


class PythonCall:
    """One call of a method; see `MethodCall`."""

    def __init__(self, model: PythonModel, method_name: str) -> None:
        self._model = model
        self._method_name = method_name
        self._stopped = threading.Event()
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._began = False
        self._why: StepError | None = None
        self._result: dict[str, Any] | StepError | None = None
        self._grace: threading.Timer | None = None

    def run(self, invocation: Invocation) -> MethodResult:
        """Call the method and give its result; blocks until it has returned or is given up. Once for a call."""
        with self._lock:
            if self._why is not None:
                return MethodResult(error=self._why)
            self._began = True
        output = Output(invocation.heard)
        work = partial(self._carry_out, invocation, output)
        threading.Thread(target=work, name="swamp-method", daemon=True).start()
        timeout_s = self._model.timeout_s
        if not self._over.wait(timeout_s):
            message = f"The method took longer than its timeout, {timeout_s} s."
            self._end(StepError("timeout", message), TIMEOUT_GRACE_S)
            self._over.wait()
        if self._grace is not None:
            self._grace.cancel()
        output.close(LISTENER_PATIENCE_S)
        out, err = output.stdout.text(), output.stderr.text()
        ended = self._ended()
        if isinstance(ended, StepError):
            return MethodResult(error=ended, stdout=out, stderr=err)
        logged = {name: text for name, text in ((STDOUT, out), (STDERR, err)) if text}
        return MethodResult(outputs=logged | ended, stdout=out, stderr=err)

    def stop(self, grace_s: float) -> None:
        """Ask the method to stop, and give it up after the grace, in seconds; does not wait."""
        self._end(StepError("stopped", "The step was stopped before it had ended."), grace_s)

    def _carry_out(self, invocation: Invocation, output: Output) -> None:
        def write(stream: str, text: str) -> None:
            (output.stderr if stream == STDERR else output.stdout).add(text.encode("utf-8", "replace"))

        context = MethodContext(
            workflow=invocation.workflow,
            run_id=invocation.run_id,
            job=invocation.job,
            step=invocation.step,
            repo_dir=invocation.repo_dir,
            stopped=self._stopped,
            write=partial(write, STDOUT),
        )
        with printing_to(write):
            result = call_method(self._model, self._method_name, invocation.inputs, context)
        with self._lock:
            if not self._over.is_set():
                self._result = result
                self._over.set()

    def _end(self, why: StepError, grace_s: float) -> None:
        with self._lock:
            if self._over.is_set():
                return
            self._why = self._why or why
            self._stopped.set()
            if not self._began:
                return
            if grace_s <= 0:
                self._over.set()
            elif self._grace is None:
                self._grace = threading.Timer(grace_s, self._give_up)
                self._grace.daemon = True
                self._grace.start()

    def _give_up(self) -> None:
        with self._lock:
            self._over.set()

    def _ended(self) -> dict[str, Any] | StepError:
        with self._lock:
            if self._why is None:
                assert self._result is not None
                return self._result
            if self._result is None:
                message = f"{self._why.message} It did not return when it was asked to, and was left behind."
                return replace(self._why, message=message)
            return self._why
