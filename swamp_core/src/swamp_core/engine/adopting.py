"""What an ended nested run means for the step that it is the work of: its outputs, or why it failed. Pure."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from pydantic import JsonValue

from swamp_core.engine.nested_failures import nested_failure
from swamp_core.engine.plan import Plan, StepRef, plan_of_run
from swamp_core.engine.readiness import step_end
from swamp_core.engine.scope import step_scope
from swamp_core.engine.tasks import OUTPUT_BYTES_MAX
from swamp_core.models.method import STDERR, STDOUT
from swamp_core.payload.values import compact
from swamp_core.run.events import ChildApplied, Json, StepError
from swamp_core.run.state import RunState


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
