"""What is known of a run: the fold of its events, as values that a snapshot can hold.

1. A state is never changed; a transition (`swamp_core.run.transitions`) gives another.
2. A step that no event has named is pending, so the state grows with what happened and not with the definition.
3. A wait stays in `waits` as long as the run, applied or not: ending and removing a run go by them.
4. `ended`, `failed` and `skipped` of a job count its steps, so that a job's status is found without reading them all.
5. A step that waits has its wait, not applied yet: a run in which nothing can happen any more would never end.

A snapshot that breaks 4 or 5 is refused when it is read.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from swamp_core.records.base import Instant, Model
from swamp_core.records.families import WaitKind
from swamp_core.records.fields import CapturedSchema, Number, Segment
from swamp_core.run.events import Json, Owner, StepError
from swamp_core.run.statuses import ENDED_RUN, ENDED_STEP, RunStatus, StepStatus


class StepState(Model):
    """Where a step stands."""

    status: StepStatus = "pending"
    started_at: Instant | None = None
    finished_at: Instant | None = None
    outputs: Json | None = None
    error: StepError | None = None
    allowed_failure: bool = False
    skip_reason: str | None = None
    wait_id: str | None = None

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
    deadline: Instant
    planned_at: Instant
    payload_schema: CapturedSchema | None = Field(default=None, alias="schema")
    prompt: str | None = None
    status: Literal["planned", "opened", "applied"] = "planned"


class JobState(Model):
    """Where the steps of a job stand that something has happened to."""

    steps: dict[str, StepState] = Field(default_factory=dict)
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


class Cancellation(Model):
    """Who asked for the end of the run, when and why."""

    by: str
    at: Instant
    reason: str | None = None


class RunState(Model):
    """Where a run stands."""

    run_id: Segment
    workflow: Segment
    mark: Number
    status: RunStatus
    definition: Json
    models: dict[str, Json]
    inputs: Json
    owner: Owner | None = None
    started_by: str
    started_at: Instant
    finished_at: Instant | None = None
    parent_run_id: str | None = None
    jobs: dict[str, JobState] = Field(default_factory=dict)
    waits: dict[Segment, WaitState] = Field(default_factory=dict)
    cancellation: Cancellation | None = None

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        for job, state in self.jobs.items():
            if state.counts() != (state.ended, state.failed, state.skipped):
                raise ValueError(f"the job `{job}` does not count its steps")
            for step, each in state.steps.items():
                wait = self.waits.get(each.wait_id) if each.wait_id else None
                if each.status == "waiting" and (
                    wait is None or wait.status == "applied" or (wait.job, wait.step) != (job, step)
                ):
                    raise ValueError(f"the step `{step}` waits for nothing")
        return self

    @property
    def ended(self) -> bool:
        """Whether the run is over."""
        return self.status in ENDED_RUN

    def step(self, job: str, step: str) -> StepState:
        """Where a step stands; pending when no event has named it."""
        state = self.jobs.get(job)
        return (state.steps.get(step) if state else None) or _PENDING

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

    def running_steps(self) -> list[tuple[str, str]]:
        """The steps, as (job, step), whose task was started and has not ended."""
        return [
            (job, step)
            for job, state in self.jobs.items()
            for step, each in state.steps.items()
            if each.status == "running"
        ]


_PENDING = StepState()
_UNTOUCHED = JobState()
