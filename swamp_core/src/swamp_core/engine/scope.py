"""What an expression can see: the inputs, the steps of its own job, the steps of every job, the run, and `self`.

Only what the expression names is gathered, so that a step of a run of thousands costs no more than one of a few.
A step's `status` is always there; its `outputs` only once it has them.
"""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from swamp_core.engine.plan import Plan, StepRef
from swamp_core.engine.readiness import job_end
from swamp_core.expressions import evaluate, references
from swamp_core.records.base import instant_text
from swamp_core.run.state import RunState

Scope = dict[str, JsonValue]


def evaluated(plan: Plan, run: RunState, ref: StepRef, value: JsonValue) -> JsonValue:
    """The value with every `${{ }}` in it evaluated for a step. Raises `ExpressionError`."""
    scope = scope_of(plan, run, ref[0], references(value))
    for_each = plan.step(run, ref).for_each
    if for_each is not None and run.step(*ref).of is not None:
        scope["self"] = {for_each.item: run.step(*ref).item}
    return evaluate(value, scope)


def scope_of(plan: Plan, run: RunState, job: str, named: set[tuple[str, ...]]) -> Scope:
    """The variables of an expression in a step of the job; `named` is what it refers to."""
    return {
        "inputs": run.inputs,
        "run": {"id": run.run_id, "workflow": run.workflow, "startedAt": instant_text(run.started_at)},
        "steps": _steps(plan, run, job, _names(named, ("steps",))),
        "jobs": {
            name: {
                "status": job_end(plan, run, name) or "running",
                "steps": _steps(plan, run, name, _names(named, ("jobs", name, "steps"))),
            }
            for name in (plan.jobs if any(path[0] == "jobs" for path in named) else ())
        },
    }


def _names(named: set[tuple[str, ...]], under: tuple[str, ...]) -> set[str] | None:
    """The names that are looked up under a path, or None when it is used as a whole."""
    depth = len(under)
    if any(path == under[: len(path)] for path in named):
        return None
    return {path[depth] for path in named if path[:depth] == under}


def _steps(plan: Plan, run: RunState, job: str, names: set[str] | None) -> Scope:
    if names is None:
        return {name: step_scope(run, (job, name)) for _, name in plan.steps_of(job)}
    return {name: step_scope(run, (job, name)) for name in names if (job, name) in plan.steps}


def step_scope(run: RunState, ref: StepRef) -> Scope:
    """What an expression can read of a step: one for all of its items, if it was expanded."""
    step = run.step(*ref)
    if step.expansion is None:
        return {"status": step.status} | ({} if step.outputs is None else {"outputs": step.outputs})
    items = [run.step(ref[0], name) for name in step.expansion.names]
    outputs: JsonValue = [item.outputs for item in items]
    if step.expansion.mapping:
        outputs = {str(cast("Scope", item.item)["key"]): item.outputs for item in items}
    return {"status": "running" if step.status == "expanded" else step.status, "outputs": outputs}
