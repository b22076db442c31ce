"""How many steps of a run are running, waiting, over and still to come, kept up from one commit to the next.

A commit costs what its events cost, however many steps the run has: they are all walked only when the run is first
seen, and when it changes without events (it was suspended, taken up, or ended).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from swamp_core.run.events import Event, StepExpanded, StepReset
from swamp_core.run.state import RunState
from swamp_core.run.statuses import StepPlace

StepName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Going:
    """A step that is running, since an instant, or waiting, until one if it has a deadline."""

    job: str
    step: str
    instant: datetime | None
    waiting: bool = False


class Tally:
    """Where the steps of a run stand; the items of one that was expanded count in its place."""

    def __init__(self) -> None:
        self.total = 0
        self.counts: Counter[StepPlace] = Counter()
        self.running: dict[StepName, Going] = {}
        self.waiting: dict[StepName, Going] = {}
        self._places: dict[StepName, StepPlace] = {}
        self._items: dict[StepName, list[str]] = {}
        self._run_id: str | None = None

    @property
    def to_go(self) -> int:
        """How many steps nothing has happened to yet."""
        return self.total - len(self._places)

    def observe(self, run: RunState, events: Sequence[Event]) -> None:
        """Take the run as it is after a commit of these events."""
        if run.run_id != self._run_id or not events:
            self._recount(run)
            return
        for event in events:
            job, step = getattr(event, "job", None), getattr(event, "step", None)
            if isinstance(event, StepExpanded | StepReset):
                self._take_with_items(run, event.job, event.step)
            elif job is not None and step is not None:
                self._take(run, (job, step))

    def _recount(self, run: RunState) -> None:
        self._run_id = run.run_id
        self.counts.clear()
        for each in (self.running, self.waiting, self._places, self._items):
            each.clear()
        jobs = cast("list[dict[str, list[object]]]", run.definition.get("jobs", []))
        self.total = sum(len(job["steps"]) for job in jobs)
        for job, state in run.jobs.items():
            for step in state.steps:
                self._take_with_items(run, job, step)

    def _take_with_items(self, run: RunState, job: str, step: str) -> None:
        """Take a step that may have got items, or lost them."""
        for item in self._items.get((job, step), ()):
            self._forget((job, item))
        before = self._items.pop((job, step), [step])
        expansion = run.step(job, step).expansion
        after = (expansion.names if expansion else []) or [step]
        self.total += len(after) - len(before)
        self._forget((job, step))
        if after != [step]:
            self._items[job, step] = after
        for name in after:
            self._take(run, (job, name))

    def _take(self, run: RunState, name: StepName) -> None:
        self._forget(name)
        step = run.step(*name)
        if step.status in ("pending", "expanded"):
            return
        self._places[name] = step.status
        self.counts[step.status] += 1
        if step.status == "running":
            self.running[name] = Going(*name, step.started_at)
        elif step.status == "waiting":
            wait = run.waits.get(step.wait_id) if step.wait_id else None
            self.waiting[name] = Going(*name, wait.deadline if wait else None, waiting=True)

    def _forget(self, name: StepName) -> None:
        before = self._places.pop(name, None)
        if before is not None:
            self.counts[before] -= 1
            self.running.pop(name, None)
            self.waiting.pop(name, None)
