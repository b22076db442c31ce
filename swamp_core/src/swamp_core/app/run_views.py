"""From a run's state to its view, and to those of its waits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from swamp_core.ambient import Ambient
from swamp_core.app.views import (
    ErrorView,
    JobStatus,
    JobView,
    OwnerView,
    RunView,
    StepView,
    StepViewStatus,
    WaitView,
)
from swamp_core.app.wait_views import wait_view
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.engine.plan import Plan, plan_of_run
from swamp_core.engine.readiness import job_end
from swamp_core.run.state import RunState
from swamp_core.run.statuses import ShownStatus
from swamp_core.waits.opening import registration_of


def run_view(run: RunState, ambient: Ambient) -> RunView:
    """The run as it is shown."""
    plan = plan_of_run(run)
    status = shown_status(run, ambient.clock.now(), ambient.host)
    owner = run.owner
    return RunView(
        id=run.run_id,
        workflow=run.workflow,
        status=status,
        started_at=run.started_at,
        finished_at=run.finished_at,
        inputs=run.inputs,
        parent_run_id=run.parent.run_id if run.parent else None,
        owner=OwnerView(host=owner.host, pid=owner.pid, lease_until=owner.lease_until) if owner else None,
        jobs=[_job_view(plan, run, name, status) for name in plan.jobs],
    )


def run_wait_views(
    run: RunState, workspace: Workspace, wait_ids: tuple[str, ...] | None = None
) -> list[WaitView]:
    """The waits of a suspended run: those named, or all that its steps wait for."""
    waiting = run.waiting()
    return [
        wait_view(registration_of(run, wait_id, wait), workspace)
        for wait_id, wait in waiting.items()
        if wait.status == "opened" and (wait_ids is None or wait_id in wait_ids)
    ]


def status_of_all(statuses: Iterable[StepViewStatus]) -> JobStatus:
    """Where what consists of these unfinished steps stands: a job, or a step with a forEach and its items.

    It waits once nothing of it runs and something waits, though the rest may be pending or over.
    """
    found = set(statuses)
    if found & {"running", "unknown"}:
        return "running"
    if "waiting" in found:
        return "waiting"
    return "pending" if found == {"pending"} else "running"


def _job_view(plan: Plan, run: RunState, name: str, status: ShownStatus) -> JobView:
    steps = [
        _step_view(run, name, each, status)
        for _, step in plan.steps_of(name)
        for each in _shown(run, name, step)
    ]
    return JobView(name=name, status=_job_status(plan, run, name, steps), steps=steps)


def _job_status(plan: Plan, run: RunState, name: str, steps: list[StepView]) -> JobStatus:
    end = job_end(plan, run, name)
    return status_of_all(step.status for step in steps) if end is None else end


def _shown(run: RunState, job: str, step: str) -> list[str]:
    """The step, or its items once it was expanded into any."""
    expansion = run.step(job, step).expansion
    return (expansion.names if expansion else []) or [step]


def _step_view(run: RunState, job: str, name: str, status: ShownStatus) -> StepView:
    step = run.step(job, name)
    lost = status == "interrupted" and step.status == "running"
    shown = cast("StepViewStatus", "unknown" if lost else step.status)
    wait = run.waits.get(step.wait_id) if step.wait_id else None
    return StepView(
        name=name,
        job=job,
        status=shown,
        wait_kind=wait.kind if wait else "nested" if step.child_run_id else None,
        wait_id=step.wait_id,
        key=wait.key if wait else None,
        child_run_id=step.child_run_id,
        error=ErrorView(code=step.error.code, message=step.error.message, details=step.error.details)
        if step.error
        else None,
        skip_reason=step.skip_reason,
        allowed_failure=step.allowed_failure,
        outputs=step.outputs,
        started_at=step.started_at,
        finished_at=step.finished_at,
    )
