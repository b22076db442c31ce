"""What the driver does next: pure. A *move* is the events that become durable first, and the effect after them.

Rule 1: every ID and deadline is chosen here, before anything is done, and stands in the events; so a process that
finds the events can do the effect again unchanged.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from pydantic import JsonValue

from swamp_core.ambient import Ambient
from swamp_core.engine.plan import Plan, StepRef
from swamp_core.engine.readiness import NotYet, Ready, Skip, decide_start, follows, pending
from swamp_core.engine.scope import evaluated
from swamp_core.expressions import ExpressionError, truthy
from swamp_core.journal.entry import events_bytes
from swamp_core.payload.schema import schema_problems
from swamp_core.payload.values import compact
from swamp_core.run.events import (
    Event,
    StepError,
    StepFailed,
    StepSkipped,
    StepStarted,
    WaitPlanned,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import apply
from swamp_core.waits.opening import REGISTRATION_BYTES_MAX, registration_of
from swamp_core.workflow.definition import ModelMethod, Step, WaitForSignal


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


Effect = CallMethod | OpenWait

INTENT_BYTES_MAX = 2 * 1024 * 1024
"""The weight of intents after which an entry takes no further one; a wait's is at most 256 KiB."""


@dataclass(frozen=True, slots=True)
class Moves:
    """Events to commit, effects to start once they are durable, and the steps that must be looked at again.

    `more`: some of those could go on at once, but the entry is full.
    """

    events: list[Event]
    effects: list[Effect]
    frontier: list[StepRef]
    more: bool = False


def next_moves(
    plan: Plan, run: RunState, frontier: Iterable[StepRef], *, slots: int, ambient: Ambient
) -> Moves:
    """What can be done at once for the steps of the frontier, with room for `slots` more tasks at a time."""
    queue = deque(dict.fromkeys(frontier))
    moves = Moves([], [], [])
    room_bytes = INTENT_BYTES_MAX
    while queue:
        if room_bytes <= 0:
            return replace(moves, frontier=[*moves.frontier, *queue], more=True)
        ref = queue.popleft()
        if run.step(*ref).status != "pending":
            continue
        match decide_start(plan, run, ref):
            case NotYet():
                continue
            case Skip(reason=reason):
                event: Event = StepSkipped(at=ambient.clock.now(), job=ref[0], step=ref[1], reason=reason)
                effect = None
            case Ready():
                if _takes_a_slot(plan.steps[ref]) and slots <= 0:
                    moves.frontier.append(ref)
                    continue
                event, effect = _begin(plan, run, ref, ambient)
        moves.events.append(event)
        room_bytes -= events_bytes([event])
        run = apply(run, event)
        if effect is not None:
            moves.effects.append(effect)
            slots -= isinstance(effect, CallMethod)
        if run.step(*ref).ended:
            queue.extend(follows(plan, run, [ref]))
    return moves


def cancel_moves(plan: Plan, run: RunState, ambient: Ambient, *, running: bool = False) -> list[Event]:
    """The events that leave no step pending or waiting, nor, when nobody drives the run, `running`."""
    now = ambient.clock.now()
    events: list[Event] = [
        StepSkipped(at=now, job=job, step=step, reason="The run was cancelled.")
        for job, step in pending(plan, run)
    ]
    ended = {"waiting": "The run was cancelled while the step waited."} | (
        {"running": "The run was cancelled; nobody knows how far the step came."} if running else {}
    )
    for ref in plan.steps:
        message = ended.get(run.step(*ref).status)
        if message:
            events.append(_failed(plan, ref, ambient, "cancelled", message))
    return events


def planned_effects(run: RunState) -> list[Effect]:
    """The effects that the journal plans and that nobody is known to have finished."""
    return [OpenWait(wait_id) for wait_id, wait in run.waiting().items() if wait.status == "planned"]


def _takes_a_slot(step: Step) -> bool:
    return isinstance(step.task, ModelMethod)


def _begin(plan: Plan, run: RunState, ref: StepRef, ambient: Ambient) -> tuple[Event, Effect | None]:
    step = plan.steps[ref]
    try:
        if step.guard is not None and truthy(evaluated(plan, run, ref, step.guard)):
            reason = f"Its guard holds: {step.guard}"
            return StepSkipped(at=ambient.clock.now(), job=ref[0], step=ref[1], reason=reason), None
        match step.task:
            case ModelMethod() as task:
                inputs = cast("dict[str, JsonValue]", evaluated(plan, run, ref, task.inputs))
                started = StepStarted(at=ambient.clock.now(), job=ref[0], step=ref[1])
                return started, CallMethod(ref, task.model_id_or_name, task.method_name, inputs)
            case WaitForSignal() as task:
                return _plan_wait(plan, run, ref, task, ambient)
    except ExpressionError as error:
        return _failed(plan, ref, ambient, "expression_error", str(error)), None


def _plan_wait(
    plan: Plan, run: RunState, ref: StepRef, task: WaitForSignal, ambient: Ambient
) -> tuple[Event, Effect | None]:
    now = ambient.clock.now()
    schema = cast("dict[str, JsonValue] | None", evaluated(plan, run, ref, task.payload_schema))
    problems = schema_problems(schema) if schema else []
    if problems:
        message = f"With this run's inputs the schema cannot be used: {problems[0].message}"
        return _failed(plan, ref, ambient, "invalid_schema", message), None
    planned = WaitPlanned(
        at=now,
        job=ref[0],
        step=ref[1],
        wait_id=ambient.ids.random_id(),
        wait_kind="signal",
        deadline=now + timedelta(seconds=task.timeout_s),
        payload_schema=schema,
        prompt=_text(evaluated(plan, run, ref, task.prompt)),
    )
    with_wait = apply(run, planned)
    registration = registration_of(with_wait, planned.wait_id, with_wait.waits[planned.wait_id])
    size = len(registration.encode())
    if size > REGISTRATION_BYTES_MAX:
        message = (
            f"The wait's registration would have {size} bytes; at most {REGISTRATION_BYTES_MAX} are allowed. "
            "Make the schema smaller."
        )
        return _failed(plan, ref, ambient, "registration_too_large", message), None
    return planned, OpenWait(planned.wait_id)


def _text(prompt: JsonValue) -> str | None:
    """A prompt as people read it: an expression may give any value."""
    return prompt if prompt is None or isinstance(prompt, str) else compact(prompt).decode()


def _failed(plan: Plan, ref: StepRef, ambient: Ambient, code: str, message: str) -> StepFailed:
    return StepFailed(
        at=ambient.clock.now(),
        job=ref[0],
        step=ref[1],
        error=StepError(code=code, message=message),
        allowed=plan.steps[ref].allow_failure,
    )
