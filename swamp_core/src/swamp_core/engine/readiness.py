"""Which steps may start, which will never run, and how jobs and the run have ended: pure.

There are no levels: a step starts as soon as what it depends on is done. A condition is judged when what it asks
about has ended, and one that does not hold skips the step at once. An item of a forEach is ready when it is made: its
step was expanded because everything that it depends on was done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from swamp_core.engine.plan import Plan, StepRef, declared
from swamp_core.run.events import RunEnd
from swamp_core.run.state import RunState
from swamp_core.workflow.conditions import EndStatus, described, holds


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything that the step depends on is done."""


@dataclass(frozen=True, slots=True)
class NotYet:
    """Something that the step depends on has not ended."""


@dataclass(frozen=True, slots=True)
class Skip:
    """A condition does not hold; the reason is a sentence."""

    reason: str


def decide_start(plan: Plan, run: RunState, ref: StepRef) -> Ready | NotYet | Skip:
    """What becomes of a pending step."""
    if run.step(*ref).of is not None:
        return Ready()
    job_name = ref[0]
    blocked = False
    for job_dependency in plan.jobs[job_name].depends_on:
        status = job_end(plan, run, job_dependency.name)
        blocked |= status is None
        if status and not holds(job_dependency.condition, status):
            wanted = described(job_dependency.condition)
            return Skip(
                f"Its job runs only if job `{job_dependency.name}` {wanted}, and that {_ended(status)}."
            )
    for dependency in plan.steps[ref].depends_on:
        status = step_end(run, (job_name, dependency.name))
        blocked |= status is None
        if status and not holds(dependency.condition, status):
            wanted = described(dependency.condition)
            return Skip(f"It runs only if step `{dependency.name}` {wanted}, and that {_ended(status)}.")
    return NotYet() if blocked else Ready()


def step_end(run: RunState, ref: StepRef) -> EndStatus | None:
    """How the step ended, or None while it has not."""
    step = run.step(*ref)
    return cast("EndStatus", step.status) if step.ended else None


def job_end(plan: Plan, run: RunState, name: str) -> EndStatus | None:
    """How the job ended, or None while it has not: failed when a step failed that was not allowed to."""
    job = run.job(name)
    steps = len(plan.jobs[name].steps)
    if job.ended < steps:
        return None
    if job.failed:
        return "failed"
    return "skipped" if job.skipped == steps else "succeeded"


def all_ended(plan: Plan, run: RunState) -> bool:
    """Whether every step of the run is over."""
    return all(job_end(plan, run, name) is not None for name in plan.jobs)


def run_end(plan: Plan, run: RunState) -> RunEnd:
    """How a run whose steps are all over ends."""
    if run.cancellation:
        return "failed" if run.cancellation.rejected else "cancelled"
    return "failed" if any(job_end(plan, run, name) == "failed" for name in plan.jobs) else "succeeded"


def pending(plan: Plan, run: RunState) -> list[StepRef]:
    """The steps and items that nothing has happened to yet."""
    return [ref for ref in all_steps(plan, run) if run.step(*ref).status == "pending"]


def all_steps(plan: Plan, run: RunState) -> Iterator[StepRef]:
    """Every step as it is declared, each followed by its items if it was expanded."""
    for ref in plan.steps:
        yield ref
        expansion = run.step(*ref).expansion
        for name in expansion.names if expansion else ():
            yield ref[0], name


def has_ready_step(plan: Plan, run: RunState) -> bool:
    """Whether something could be done at once: a step could start or be skipped, or a planned wait be opened."""
    if any(run.waits[wait_id].status == "planned" for wait_id in run.waiting()):
        return True
    return any(not isinstance(decide_start(plan, run, ref), NotYet) for ref in pending(plan, run))


def follows(plan: Plan, run: RunState, ended: Iterable[StepRef]) -> list[StepRef]:
    """The steps whose readiness may have changed by the end of these."""
    affected: dict[StepRef, None] = {}
    jobs: dict[str, None] = {}
    for each in ended:
        ref = declared(run, each)
        if not run.step(*ref).ended:
            continue
        affected.update(dict.fromkeys(plan.steps_after_step.get(ref, ())))
        if job_end(plan, run, ref[0]) is not None:
            jobs.update(dict.fromkeys(plan.jobs_after_job.get(ref[0], ())))
    for job in jobs:
        affected.update(dict.fromkeys(plan.steps_of(job)))
    return [ref for ref in affected if run.step(*ref).status == "pending"]


def cleans_up(plan: Plan, ref: StepRef) -> bool:
    """Whether the step is there for what goes wrong: a condition of it holds for something that did not succeed."""
    conditions = [each.condition for each in (*plan.jobs[ref[0]].depends_on, *plan.steps[ref].depends_on)]
    return any(holds(condition, status) for condition in conditions for status in _WENT_WRONG)


_WENT_WRONG: tuple[EndStatus, ...] = ("failed", "skipped")


def _ended(status: EndStatus) -> str:
    return "was skipped" if status == "skipped" else status
