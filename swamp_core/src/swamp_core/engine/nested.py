"""A nested run, as the driver of its parent sees it: how it begins, is taken up, and what its end means for the step.

It is an ordinary run of its own, which any process may go on with. So its parent's driver starts it or takes it up
like anybody else, and adopts its result whoever drove it.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import cast

from pydantic import JsonValue

from swamp_core.ambient import Ambient
from swamp_core.engine.nested_failures import nested_failure
from swamp_core.engine.plan import Plan, StepRef, plan_of_run
from swamp_core.engine.readiness import step_end
from swamp_core.engine.reading import read_run
from swamp_core.engine.scope import step_scope
from swamp_core.engine.starting_children import start_child
from swamp_core.engine.suspending import NotSuspended, Resumed, resume_run
from swamp_core.engine.tasks import OUTPUT_BYTES_MAX, NotDriven
from swamp_core.journal.appending import Appended
from swamp_core.journal.entry import Journal
from swamp_core.models.method import STDERR, STDOUT
from swamp_core.payload.values import compact
from swamp_core.records.base import Absent
from swamp_core.run.events import ChildApplied, Json, Owner, Parent, RunStarted, StepError
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol
from swamp_core.workflow.definition import ModelMethod, Workflow


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to drive a nested run: the same IDs, however often it is repeated for want of an answer."""

    owner: Owner
    start_id: str
    resume_id: str
    build: str


def take_up_child(
    parent: RunState, child_run_id: str, attempt: Attempt, ambient: Ambient
) -> Protocol[Resumed | RunState | NotDriven]:
    """Start the nested run if nobody has, or resume it if it can go on; its state when it has ended.

    `NotDriven` when another process drives it, or it waits for something that nobody has done.
    """
    journal = yield from read_run(child_run_id)
    if isinstance(journal, Absent):
        started = _started(parent, child_run_id, attempt.owner, ambient)
        begun = yield from start_child(
            started, entry_id=attempt.start_id, build=attempt.build, ambient=ambient
        )
        if isinstance(begun, Appended):
            return Resumed(begun.journal, {})
        journal = yield from read_run(child_run_id)
    if isinstance(journal, Journal) and journal.run.ended:
        return journal.run
    resumed = yield from resume_run(
        child_run_id,
        owner=attempt.owner,
        now=ambient.clock.now(),
        entry_id=attempt.resume_id,
        build=attempt.build,
        by=ambient.user,
    )
    match resumed:
        case Resumed():
            return resumed
        case NotSuspended(run=run) if run.ended:
            return run
        case _:
            return NotDriven()


def adopted(child: RunState, *, at: datetime, job: str, step: str, allowed: bool) -> ChildApplied:
    """What an ended nested run means for the step that it is the work of."""
    outputs = outputs_of(child)
    error = _error(child, len(compact(outputs)))
    return ChildApplied(
        at=at,
        job=job,
        step=step,
        child_run_id=child.run_id,
        outputs=None if error and error.code == "output_too_large" else outputs,
        error=error,
        allowed=allowed and error is not None,
    )


def outputs_of(child: RunState) -> Json:
    """The outputs of a nested run's steps, without what they printed: that is kept with the nested run."""
    plan = plan_of_run(child)
    jobs: Json = {job: {"steps": _steps(plan, child, job)} for job in plan.jobs}
    return {"runId": child.run_id, "jobs": jobs}


def _steps(plan: Plan, child: RunState, job: str) -> Json:
    return {ref[1]: _step(child, ref) for ref in plan.steps_of(job) if step_end(child, ref)}


def _step(child: RunState, ref: StepRef) -> JsonValue:
    scope = step_scope(child, ref)
    outputs = scope.get("outputs")
    if child.step(*ref).expansion is None:
        kept = _without_log(outputs)
    elif isinstance(outputs, dict):
        kept = {key: _without_log(each) for key, each in outputs.items()}
    else:
        kept = [_without_log(each) for each in cast("list[JsonValue]", outputs)]
    return {**scope, "outputs": kept} if "outputs" in scope else scope


def _without_log(outputs: JsonValue) -> JsonValue:
    if not isinstance(outputs, dict):
        return outputs
    return {name: each for name, each in outputs.items() if name not in (STDOUT, STDERR)}


def _error(child: RunState, size: int) -> StepError | None:
    if child.status != "succeeded":
        return nested_failure(child)
    if size <= OUTPUT_BYTES_MAX:
        return None
    message = (
        f"The outputs of the nested run have {size} bytes; at most {OUTPUT_BYTES_MAX} are kept. Write less."
    )
    return StepError(code="output_too_large", message=message)


def _started(parent: RunState, child_run_id: str, owner: Owner, ambient: Ambient) -> RunStarted:
    child = parent.children[child_run_id]
    workflows = _reachable(parent, child.workflow)
    own = workflows.pop(child.workflow)
    called = {
        step.task.model_id_or_name
        for workflow in (own, *workflows.values())
        for job in workflow.jobs
        for step in job.steps
        if isinstance(step.task, ModelMethod)
    }
    return RunStarted(
        at=ambient.clock.now(),
        run_id=child_run_id,
        workflow=child.workflow,
        mark=1,
        definition=parent.workflows[child.workflow],
        workflows={name: parent.workflows[name] for name in workflows},
        models={name: model for name, model in parent.models.items() if name in called},
        inputs=child.inputs,
        owner=owner,
        started_by=ambient.user,
        parent=Parent(
            run_id=parent.run_id,
            workflow=parent.workflow,
            mark=child.mark,
            job=child.job,
            step=child.step,
        ),
    )


def _reachable(parent: RunState, name: str) -> dict[str, Workflow]:
    """The workflow, and all that it runs directly or through others, as the parent has pinned them."""
    found: dict[str, Workflow] = {}
    ahead = [name]
    while ahead:
        each = ahead.pop()
        if each not in found:
            found[each] = Workflow.from_json(parent.workflows[each])
            ahead += found[each].nested_names()
    return found
