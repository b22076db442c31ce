"""Which steps start: against a slow twin that plays a whole run by the words of the design."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.engine.plan import plan_of
from swamp_core.engine.readiness import (
    NotYet,
    Ready,
    Skip,
    all_ended,
    decide_start,
    follows,
    job_end,
    pending,
)
from swamp_core.run.events import StepFailed, StepSkipped, StepStarted, StepSucceeded
from swamp_core.run.transitions import apply
from swamp_core.workflow.conditions import holds
from swamp_core.workflow.definition import Workflow

from tests.histories import NOW, started

CONDITIONS = ["always", "succeeded", "failed", "completed", "skipped"]
TASK = {"type": "model_method", "modelIdOrName": "m", "methodName": "go"}


@st.composite
def workflows(draw: st.DrawFn) -> Workflow:
    """Jobs and steps that depend on earlier ones, under any conditions."""
    jobs = []
    for j in range(draw(st.integers(1, 3))):
        steps = []
        for s in range(draw(st.integers(1, 4))):
            steps.append(
                {
                    "name": f"s{s}",
                    "task": TASK,
                    "allowFailure": draw(st.booleans()),
                    "dependsOn": draw(dependencies("step", [f"s{n}" for n in range(s)])),
                }
            )
        job = {
            "name": f"j{j}",
            "steps": steps,
            "dependsOn": draw(dependencies("job", [f"j{n}" for n in range(j)])),
        }
        jobs.append(job)
    return Workflow.from_json({"name": "w", "jobs": jobs})


def dependencies(kind: str, names: list[str]):
    condition = st.sampled_from(CONDITIONS).map(lambda type_: {"type": type_})
    condition |= condition.map(lambda inner: {"type": "not", "condition": inner})
    each = st.builds(
        lambda name, cond: {kind: name, "condition": cond}, st.sampled_from(names or [""]), condition
    )
    return st.lists(each, max_size=2, unique_by=lambda one: one[kind]) if names else st.just([])


def slow_decision(workflow, run, ref):
    """Judge a step by asking of everything that it depends on, in words."""
    job = next(job for job in workflow.jobs if job.name == ref[0])
    step = next(step for step in job.steps if step.name == ref[1])
    verdicts = []
    for dependency in job.depends_on:
        other = next(each for each in workflow.jobs if each.name == dependency.name)
        statuses = [run.step(other.name, each.name) for each in other.steps]
        if not all(each.ended for each in statuses):
            verdicts.append(None)
            continue
        if any(each.status == "failed" and not each.allowed_failure for each in statuses):
            status = "failed"
        else:
            status = "skipped" if all(each.status == "skipped" for each in statuses) else "succeeded"
        verdicts.append(holds(dependency.condition, status))
    for dependency in step.depends_on:
        other = run.step(job.name, dependency.name)
        verdicts.append(holds(dependency.condition, other.status) if other.ended else None)
    if False in verdicts:
        return Skip
    return NotYet if None in verdicts else Ready


@given(workflows(), st.data())
def test_a_run_goes_the_way_that_the_slow_twin_says(workflow, data):
    """Every step starts, waits or is skipped as its dependencies say, and every run comes to an end."""
    plan, run = plan_of(workflow), apply(None, started())
    frontier = set(pending(plan, run))
    while not all_ended(plan, run):
        decisions = {ref: decide_start(plan, run, ref) for ref in pending(plan, run)}
        assert {ref: type(decision) for ref, decision in decisions.items()} == {
            ref: slow_decision(workflow, run, ref) for ref in decisions
        }
        movable = sorted(ref for ref, decision in decisions.items() if not isinstance(decision, NotYet))
        assert set(movable) <= frontier, "a step that could go on was not looked at again"
        ref = data.draw(st.sampled_from(movable))
        where = {"at": NOW, "job": ref[0], "step": ref[1]}
        if isinstance(decisions[ref], Skip):
            run = apply(run, StepSkipped(**where, reason="no"))
        else:
            run = apply(run, StepStarted(**where))
            allowed = plan.steps[ref].allow_failure
            failed = StepFailed(**where, error={"code": "x", "message": ""}, allowed=allowed)
            run = apply(run, data.draw(st.sampled_from([StepSucceeded(**where, outputs={}), failed])))
        frontier = frontier - {ref} | set(follows(plan, run, [ref]))
    assert all(job_end(plan, run, name) for name in plan.jobs)
