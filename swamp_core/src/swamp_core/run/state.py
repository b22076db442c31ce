"""What is known of a run: the fold of its events, as values that a snapshot can hold.

1. A state is never changed; a transition (`swamp_core.run.transitions`) gives another.
2. A step that no event has named is pending, so the state grows with what happened and not with the definition.
3. A wait stays in `waits`, and a nested run in `children`, as long as the run, applied or not: ending and removing a
   run go by them.
4. `ended`, `failed` and `skipped` of a job count its steps, and those of an expansion its items, so that their
   status is found without reading them all.
5. A step that waits has its wait or nested run, not applied yet: a run in which nothing can happen any more would
   never end.

A snapshot that breaks 4 or 5 is refused when it is read.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, Self

from pydantic import Field, JsonValue, model_validator

from swamp_core.records.base import Instant, Model
from swamp_core.records.families import Hold, WaitKind
from swamp_core.records.fields import CapturedSchema, Number, Segment, WaitKey
from swamp_core.run.events import Json, Owner, Parent, StepError
from swamp_core.run.statuses import ENDED_RUN, ENDED_STEP, RunStatus, StepPlace


class Expansion(Model):
    """The items of a step with a forEach, by the names of their steps in order, and how many have ended how.

    `forgiven` are those that failed and were allowed to.
    """

    names: list[str]
    mapping: bool = False
    ended: int = 0
    failed: int = 0
    forgiven: int = 0
    skipped: int = 0

    def end(self) -> Literal["succeeded", "failed", "skipped"] | None:
        """The one status that the step has for those that depend on it; None while an item has not ended."""
        if self.ended < len(self.names):
            return None
        if self.failed:
            return "failed"
        return "skipped" if self.names and self.skipped == len(self.names) else "succeeded"


class StepState(Model):
    """Where a step stands. Of an item, `of` names the step that was expanded, and `item` is the item's value.

    `cut_off`: it ended because its run did, and not for a reason of its own.
    """

    status: StepPlace = "pending"
    started_at: Instant | None = None
    finished_at: Instant | None = None
    outputs: Json | None = None
    error: StepError | None = None
    allowed_failure: bool = False
    skip_reason: str | None = None
    cut_off: bool = False
    wait_id: str | None = None
    child_run_id: str | None = None
    expansion: Expansion | None = None
    of: str | None = None
    item: JsonValue = None

    @property
    def ended(self) -> bool:
        """Whether nothing more happens to the step, unless it is reset."""
        return self.status in ENDED_STEP

    @property
    def counts_as_failed(self) -> bool:
        """Whether the step makes its job fail."""
        return self.status == "failed" and not self.allowed_failure


class WaitState(Model):
    """A wait that the run planned."""

    job: str
    step: str
    kind: WaitKind
    deadline: Instant | None = None
    planned_at: Instant
    payload_schema: CapturedSchema | None = Field(default=None, alias="schema")
    prompt: str | None = None
    key: WaitKey | None = None
    hold: Hold | None = None
    status: Literal["planned", "opened", "applied"] = "planned"

    def is_overdue(self, now: datetime) -> bool:
        """Whether the deadline has passed; at the very deadline it has."""
        return self.deadline is not None and now >= self.deadline


class ChildState(Model):
    """A nested run that the run planned. `inputs` are kept until it is applied."""

    job: str
    step: str
    workflow: Segment
    mark: Number
    inputs: Json = Field(default_factory=dict)
    applied: bool = False


class JobState(Model):
    """Where the steps of a job stand that something has happened to, and the items of those that were expanded."""

    steps: dict[str, StepState] = Field(default_factory=dict)
    items: dict[str, StepState] = Field(default_factory=dict)
    ended: int = 0
    failed: int = 0
    skipped: int = 0

    def counts(self) -> tuple[int, int, int]:
        """How many steps are over, failed without being allowed to, and were skipped, counted anew."""
        steps = self.steps.values()
        return (
            sum(step.ended for step in steps),
            sum(step.counts_as_failed for step in steps),
            sum(step.status == "skipped" for step in steps),
        )

    def recounted(self) -> dict[str, Expansion]:
        """The expansions of the job's steps, counted anew from its items."""
        items: dict[str, list[StepState]] = {}
        for item in self.items.values():
            items.setdefault(item.of or "", []).append(item)
        return {
            name: Expansion(
                names=step.expansion.names,
                mapping=step.expansion.mapping,
                ended=sum(item.ended for item in items.get(name, ())),
                failed=sum(item.status == "failed" for item in items.get(name, ())),
                forgiven=sum(item.allowed_failure for item in items.get(name, ())),
                skipped=sum(item.status == "skipped" for item in items.get(name, ())),
            )
            for name, step in self.steps.items()
            if step.expansion is not None
        }


class Cancellation(Model):
    """Who asked for the end of the run, when and why. `rejected` is the wait ID of the gate that was rejected."""

    by: str
    at: Instant
    reason: str | None = None
    keep_children: bool = False
    rejected: str | None = None


class RunState(Model):
    """Where a run stands. `is_resetting`: it is being retried, and only now a step that has ended may be reset."""

    run_id: Segment
    workflow: Segment
    mark: Number
    status: RunStatus
    definition: Json
    workflows: dict[str, Json] = Field(default_factory=dict)
    models: dict[str, Json]
    inputs: Json
    owner: Owner | None = None
    started_by: str
    started_at: Instant
    finished_at: Instant | None = None
    parent: Parent | None = None
    jobs: dict[str, JobState] = Field(default_factory=dict)
    waits: dict[Segment, WaitState] = Field(default_factory=dict)
    children: dict[Segment, ChildState] = Field(default_factory=dict)
    cancellation: Cancellation | None = None
    is_resetting: bool = False

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for job, state in self.jobs.items():
            if state.counts() != (state.ended, state.failed, state.skipped):
                raise ValueError(f"the job `{job}` does not count its steps")
            recounted = state.recounted()
            for step, each in (*state.steps.items(), *state.items.items()):
                if each.status == "waiting" and not self._is_awaited(job, step, each):
                    raise ValueError(f"the step `{step}` waits for nothing")
                if each.expansion is not None and each.expansion != recounted[step]:
                    raise ValueError(f"the step `{step}` does not count its items")
            names = [name for each in recounted.values() for name in each.names]
            if sorted(names) != sorted(state.items) or any(
                name in state.steps or each.of not in recounted or each.expansion
                for name, each in state.items.items()
            ):
                raise ValueError(f"the job `{job}` has items of no step")
        return self

    @property
    def ended(self) -> bool:
        """Whether the run is over."""
        return self.status in ENDED_RUN

    def step(self, job: str, step: str) -> StepState:
        """Where a step stands; pending when no event has named it."""
        state = self.jobs.get(job)
        if state is None:
            return _PENDING
        return state.steps.get(step) or state.items.get(step) or _PENDING

    def job(self, name: str) -> JobState:
        """Where a job stands."""
        return self.jobs.get(name) or _UNTOUCHED

    def waiting(self) -> dict[str, WaitState]:
        """The waits, by ID, that a step of this run is waiting for."""
        return {
            wait_id: wait
            for wait_id, wait in self.waits.items()
            if wait.status != "applied"
            and self.step(wait.job, wait.step).wait_id == wait_id
            and self.step(wait.job, wait.step).status == "waiting"
        }

    def waiting_children(self) -> dict[str, ChildState]:
        """The nested runs, by ID, that a step of this run is waiting for."""
        return {
            run_id: child
            for run_id, child in self.children.items()
            if not child.applied
            and self.step(child.job, child.step).child_run_id == run_id
            and self.step(child.job, child.step).status == "waiting"
        }

    def running_steps(self) -> list[tuple[str, str]]:
        """The steps, as (job, step), whose task was started and has not ended."""
        return [
            (job, step)
            for job, state in self.jobs.items()
            for step, each in (*state.steps.items(), *state.items.items())
            if each.status == "running"
        ]

    def _is_awaited(self, job: str, step: str, state: StepState) -> bool:
        wait = self.waits.get(state.wait_id) if state.wait_id else None
        child = self.children.get(state.child_run_id) if state.child_run_id else None
        if wait is not None:
            return wait.status != "applied" and (wait.job, wait.step) == (job, step)
        return child is not None and not child.applied and (child.job, child.step) == (job, step)


_PENDING = StepState()
_UNTOUCHED = JobState()
