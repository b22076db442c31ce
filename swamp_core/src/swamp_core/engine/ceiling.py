"""How many steps may run at a time: in one process, in one run, in each of its jobs, and of each forEach.

A step that waits does not run. A nested run is run by a driver of its own in the same process, whose steps count for
the process, so the step that it is the work of counts for its own run, job and forEach alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from threading import Lock

from swamp_core.engine.plan import Plan, StepRef
from swamp_core.workflow.definition import ModelMethod

CONCURRENT_STEPS_MAX = 32
"""The ceiling of a process, if `SWAMP_MAX_CONCURRENT_STEPS` does not set another."""


class Ceiling:
    """The most steps that run at a time in this process, shared by the drivers of a run and of its nested runs."""

    def __init__(self, steps_max: int = CONCURRENT_STEPS_MAX) -> None:
        self.steps_max = steps_max
        self._free = steps_max
        self._lock = Lock()
        self._refused: set[Callable[[], None]] = set()

    def take(self, wake: Callable[[], None]) -> bool:
        """Take a place if one is free; if none is, `wake` is called once one may be."""
        with self._lock:
            if self._free > 0:
                self._free -= 1
                return True
            self._refused.add(wake)
            return False

    def has_place(self, wake: Callable[[], None]) -> bool:
        """Whether a place is free; if none is, `wake` is called once one may be."""
        with self._lock:
            if self._free <= 0:
                self._refused.add(wake)
            return self._free > 0

    def give(self) -> None:
        """Give a place back."""
        with self._lock:
            self._free += 1
            woken, self._refused = self._refused, set()
        for wake in woken:
            wake()


class Room:
    """What one run has in use of the ceiling and of its own limits. Used by the driver's thread alone.

    `wake` is called, on any thread, when there may be room again that another driver has taken.
    """

    def __init__(self, plan: Plan, ceiling: Ceiling, wake: Callable[[], None]) -> None:
        self._plan = plan
        self._ceiling = ceiling
        self._wake = wake
        self._running: Counter[StepRef | str | None] = Counter()

    @property
    def is_full(self) -> bool:
        """Whether the process, or the run as a whole, has as many steps running as it may."""
        return self._is_full(None, self._plan.workflow.concurrency) or not self._ceiling.has_place(self._wake)

    def job_is_full(self, job: str) -> bool:
        """Whether the job has."""
        return self._is_full(job, self._plan.jobs[job].concurrency)

    def take(self, declared: StepRef) -> bool:
        """Take a place for the step, or for an item of it, if there is one."""
        full = (
            self._is_full(None, self._plan.workflow.concurrency)
            or self.job_is_full(declared[0])
            or self._is_full(declared, self._plan.steps[declared].concurrency)
        )
        if full or (self._calls(declared) and not self._ceiling.take(self._wake)):
            return False
        self._running.update((None, declared[0], declared))
        return True

    def give(self, declared: StepRef) -> None:
        """Give the place back."""
        self._running.subtract((None, declared[0], declared))
        if self._calls(declared):
            self._ceiling.give()

    def _is_full(self, whose: StepRef | str | None, limit: int | None) -> bool:
        return self._running[whose] >= (self._ceiling.steps_max if limit is None else limit)

    def _calls(self, declared: StepRef) -> bool:
        return isinstance(self._plan.steps[declared].task, ModelMethod)
