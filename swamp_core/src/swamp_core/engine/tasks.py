"""Carrying out method calls, and whatever else takes long, on worker threads: how it ended comes back as a fact.

A call that raises is a fault of this program or of the store, not of the step: the exception is handed to the
driver's own thread, which stops.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import cast

from swamp_core.models.method import Invocation, MethodCall, MethodResult
from swamp_core.payload.values import compact
from swamp_core.records.base import Instant
from swamp_core.run import events
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import FAN_OUT
from swamp_core.waits.opening import Opening

OUTPUT_BYTES_MAX = 256 * 1024
GRACE_S = 10.0


@dataclass(frozen=True, slots=True)
class NotDriven:
    """A nested run that nothing could be done for from here."""


@dataclass(frozen=True, slots=True)
class Ended:
    """A task of a step ended.

    With what its call gave, with what kept a wait from being registered, if anything, or with the nested run as far
    as it came.
    """

    job: str
    step: str
    result: MethodResult | Opening | RunState | NotDriven


class Tasks:
    """The tasks in flight of one driver. Used by the driver's thread alone, but for `wake`."""

    def __init__(self, workers: int) -> None:
        self._in_flight: dict[tuple[str, str], MethodCall | None] = {}
        self._calling = ThreadPoolExecutor(workers, thread_name_prefix="swamp-call")
        self._nesting = ThreadPoolExecutor(workers, thread_name_prefix="swamp-nested")
        self._registering = ThreadPoolExecutor(FAN_OUT, thread_name_prefix="swamp-register")
        self._done: SimpleQueue[Ended | BaseException | None] = SimpleQueue()
        self._failures: list[BaseException] = []

    def __len__(self) -> int:
        return len(self._in_flight)

    def call(self, call: MethodCall, invocation: Invocation) -> None:
        """Start a method call for the step that the invocation names."""
        self._start(self._calling, invocation.job, invocation.step, call, lambda: call.run(invocation))

    def register(self, job: str, step: str, work: Callable[[], Opening]) -> None:
        """Start to register a step's wait."""
        self._start(self._registering, job, step, None, work)

    def nest(self, job: str, step: str, work: Callable[[], RunState | NotDriven]) -> None:
        """Start to drive a step's nested run."""
        self._start(self._nesting, job, step, None, work)

    def has(self, ref: tuple[str, str]) -> bool:
        """Whether a task of the step is in flight."""
        return ref in self._in_flight

    def in_flight(self) -> frozenset[tuple[str, str]]:
        """The steps with a task in flight."""
        return frozenset(self._in_flight)

    def wait(self, timeout_s: float) -> list[Ended]:
        """The tasks that ended, as soon as there are any, or none after the timeout or a `wake`.

        What a task raised is raised here, once all that others have done was taken.
        """
        ended: list[Ended] = []
        with suppress(Empty):
            self._take(self._done.get(timeout=timeout_s), ended)
            while True:
                self._take(self._done.get_nowait(), ended)
        if self._failures and not ended:
            raise self._failures[0]
        return ended

    def wake(self) -> None:
        """Make `wait` return; may be called from a signal handler."""
        self._done.put(None)

    def stop(self) -> None:
        """Ask every call in flight to end; they still have to be waited for."""
        for call in self._in_flight.values():
            if call is not None:
                call.stop(GRACE_S)

    def close(self) -> None:
        """End every call and wait until no thread of ours is left."""
        self.stop()
        for pool in (self._calling, self._registering, self._nesting):
            pool.shutdown(wait=True, cancel_futures=True)

    def _start(
        self,
        pool: ThreadPoolExecutor,
        job: str,
        step: str,
        call: MethodCall | None,
        work: Callable[[], MethodResult | Opening | RunState | NotDriven],
    ) -> None:
        self._in_flight[job, step] = call

        def carry_out() -> None:
            try:
                self._done.put(Ended(job, step, work()))
            except BaseException as error:
                self._done.put(error)

        pool.submit(carry_out)

    def _take(self, item: Ended | BaseException | None, ended: list[Ended]) -> None:
        if isinstance(item, BaseException):
            self._failures.append(item)
        elif item is not None:
            del self._in_flight[item.job, item.step]
            ended.append(item)


def result_event(
    result: MethodResult, *, at: Instant, job: str, step: str, allowed: bool
) -> events.StepSucceeded | events.StepFailed:
    """What became of a step whose method call gave this result."""
    if result.outputs is not None:
        size = len(compact(result.outputs))
        if size <= OUTPUT_BYTES_MAX:
            return events.StepSucceeded(at=at, job=job, step=step, outputs=result.outputs)
        error = events.StepError(
            code="output_too_large",
            message=f"The step's outputs have {size} bytes; at most {OUTPUT_BYTES_MAX} are kept. Write less.",
        )
        return events.StepFailed(at=at, job=job, step=step, error=error, allowed=allowed)
    assert result.error is not None
    details = cast("events.Json", dict(result.error.details))
    stopped = result.error.code == "stopped"
    error = events.StepError(
        code="cancelled" if stopped else result.error.code,
        message="The run was cancelled while the step ran." if stopped else result.error.message,
        details=details,
    )
    log: events.Json = {"stdout": result.stdout, "stderr": result.stderr}
    return events.StepFailed(at=at, job=job, step=step, error=error, allowed=allowed, outputs=log)
