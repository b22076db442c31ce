"""How a step that is ready begins: pure. What it will do, with every ID and deadline chosen, becomes events first.

A step that cannot begin (an expression fails, a schema cannot be used) fails by its event, and has no effect.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import cast

from pydantic import JsonValue

from swamp_core.ambient import Ambient
from swamp_core.engine.expanding import NoItems, items_of
from swamp_core.engine.plan import Plan, StepRef
from swamp_core.engine.scope import evaluated
from swamp_core.expressions import ExpressionError, truthy
from swamp_core.payload.schema import schema_problems
from swamp_core.payload.values import compact
from swamp_core.payload.violations import violations
from swamp_core.run.events import (
    ChildPlanned,
    Event,
    Json,
    StepError,
    StepExpanded,
    StepFailed,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitPlanned,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import apply
from swamp_core.waits.opening import REGISTRATION_BYTES_MAX, hold_of, registration_of
from swamp_core.workflow.definition import (
    Assert,
    ManualApproval,
    ModelMethod,
    NestedWorkflow,
    WaitForSignal,
    Workflow,
)
from swamp_core.workflow.inputs import takes_input, with_defaults


@dataclass(frozen=True, slots=True)
class CallMethod:
    """Run a method of a model for a step."""

    ref: StepRef
    model: str
    method: str
    inputs: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class OpenWait:
    """Register a planned wait."""

    wait_id: str


@dataclass(frozen=True, slots=True)
class RunChild:
    """Start a planned nested run, or take it up, and drive it as far as it goes."""

    child_run_id: str


Effect = CallMethod | OpenWait | RunChild
Beginning = tuple[list[Event], Effect | None]


def begin(plan: Plan, run: RunState, ref: StepRef, ambient: Ambient) -> Beginning:
    """The events with which a step or item that is ready begins, or ends at once, and the effect after them."""
    step = plan.step(run, ref)
    try:
        if step.guard is not None and truthy(evaluated(plan, run, ref, step.guard)):
            reason = f"Its guard holds: {step.guard}"
            return [StepSkipped(at=ambient.clock.now(), job=ref[0], step=ref[1], reason=reason)], None
        match step.task:
            case ModelMethod() as task:
                inputs = cast("Json", evaluated(plan, run, ref, task.inputs))
                started = StepStarted(at=ambient.clock.now(), job=ref[0], step=ref[1])
                return [started], CallMethod(ref, task.model_id_or_name, task.method_name, inputs)
            case WaitForSignal() | ManualApproval() as task:
                return _plan_wait(plan, run, ref, task, ambient)
            case NestedWorkflow() as task:
                return _plan_child(plan, run, ref, task, ambient)
            case Assert() as task:
                return _check(plan, run, ref, task, ambient), None
    except ExpressionError as error:
        return [failed(plan, run, ref, ambient, "expression_error", str(error))], None


def expand(plan: Plan, run: RunState, ref: StepRef, ambient: Ambient) -> list[Event]:
    """The event that makes a step with a forEach a step for each item."""
    for_each = plan.steps[ref].for_each
    assert for_each is not None
    job = run.job(ref[0])
    taken = {step.name for step in plan.jobs[ref[0]].steps} | job.items.keys()
    try:
        value = evaluated(plan, run, ref, for_each.source)
        items = items_of(ref[1], value, taken)
    except ExpressionError as error:
        return [failed(plan, run, ref, ambient, "expression_error", str(error))]
    except NoItems as error:
        return [failed(plan, run, ref, ambient, error.code, str(error))]
    return [
        StepExpanded(
            at=ambient.clock.now(), job=ref[0], step=ref[1], items=items, mapping=isinstance(value, dict)
        )
    ]


def failed(
    plan: Plan,
    run: RunState,
    ref: StepRef,
    ambient: Ambient,
    code: str,
    message: str,
    *,
    cut_off: bool = False,
) -> StepFailed:
    """That a step failed, which its definition may allow."""
    return StepFailed(
        at=ambient.clock.now(),
        job=ref[0],
        step=ref[1],
        error=StepError(code=code, message=message),
        allowed=plan.step(run, ref).allow_failure,
        cut_off=cut_off,
    )


def _plan_wait(
    plan: Plan, run: RunState, ref: StepRef, task: WaitForSignal | ManualApproval, ambient: Ambient
) -> Beginning:
    now = ambient.clock.now()
    schema, key, hold = None, None, None
    if isinstance(task, WaitForSignal):
        schema, key = cast("Json | None", evaluated(plan, run, ref, task.payload_schema)), task.key
        hold = hold_of(task)
    problems = schema_problems(schema) if schema else []
    if problems:
        message = f"With this run's inputs the schema cannot be used: {problems[0].message}"
        return [failed(plan, run, ref, ambient, "invalid_schema", message)], None
    planned = WaitPlanned(
        at=now,
        job=ref[0],
        step=ref[1],
        wait_id=ambient.ids.random_id(),
        wait_kind="signal" if isinstance(task, WaitForSignal) else "approval",
        deadline=None if task.timeout_s is None else now + timedelta(seconds=task.timeout_s),
        payload_schema=schema,
        prompt=_text(evaluated(plan, run, ref, task.prompt)),
        key=key,
        hold=hold,
    )
    with_wait = apply(run, planned)
    registration = registration_of(with_wait, planned.wait_id, with_wait.waits[planned.wait_id])
    size = len(registration.encode())
    if size > REGISTRATION_BYTES_MAX:
        message = (
            f"The wait's registration would have {size} bytes; at most {REGISTRATION_BYTES_MAX} are allowed. "
            "Make the schema or the prompt smaller."
        )
        return [failed(plan, run, ref, ambient, "registration_too_large", message)], None
    return [planned], OpenWait(planned.wait_id)


def _plan_child(plan: Plan, run: RunState, ref: StepRef, task: NestedWorkflow, ambient: Ambient) -> Beginning:
    name = task.workflow_id_or_name
    nested = Workflow.from_json(run.workflows[name])
    inputs = with_defaults(nested, cast("Json", evaluated(plan, run, ref, task.inputs)))
    unknown = [f"it declares no input `{each}`" for each in inputs if not takes_input(nested, each)]
    problems = unknown or violations(nested.inputs or {}, inputs)
    if problems:
        message = f"The inputs do not fit the workflow `{name}`: {'; '.join(problems)}."
        return [failed(plan, run, ref, ambient, "invalid_input", message.replace("..", "."))], None
    now = ambient.clock.now()
    planned = ChildPlanned(
        at=now,
        job=ref[0],
        step=ref[1],
        child_run_id=ambient.ids.run_id(now),
        workflow=name,
        inputs=inputs,
    )
    return [planned], RunChild(planned.child_run_id)


def _check(plan: Plan, run: RunState, ref: StepRef, task: Assert, ambient: Ambient) -> list[Event]:
    result = evaluated(plan, run, ref, task.expr)
    if not isinstance(result, bool):
        message = f"`{task.expr}` gives neither true nor false, but {compact(result).decode()[:200]}."
        return [failed(plan, run, ref, ambient, "expression_error", message)]
    if not result:
        message = _text(evaluated(plan, run, ref, task.message)) or ""
        return [failed(plan, run, ref, ambient, "assertion_failed", message)]
    now = ambient.clock.now()
    started = StepStarted(at=now, job=ref[0], step=ref[1])
    return [started, StepSucceeded(at=now, job=ref[0], step=ref[1], outputs={})]


def _text(prompt: JsonValue) -> str | None:
    """A prompt as people read it: an expression may give any value."""
    return prompt if prompt is None or isinstance(prompt, str) else compact(prompt).decode()
