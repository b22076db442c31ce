"""From which step a failed run is retried: where to run only what failed again could not help.

An assert does nothing but read. Run again alone it fails on the same values; what can help is to run the step again
that gave them: to ask for another payload, above all.
"""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.engine.plan import Plan, StepRef, declared, plan_of_run
from swamp_core.engine.readiness import all_steps
from swamp_core.engine.retrying import steps_to_reset
from swamp_core.expressions import references
from swamp_core.run.state import RunState
from swamp_core.workflow.definition import Assert


def retry_point(run: RunState) -> StepRef | None:
    """The step to retry from, when all that failed are asserts: the last of those that they read, if one is enough.

    It must be one that all of them depend on: no other has all of them run again.
    """
    plan = plan_of_run(run)
    failed = {
        declared(run, ref)
        for ref in all_steps(plan, run)
        if run.step(*ref).counts_as_failed and run.step(*ref).expansion is None
    }
    if not all(isinstance(plan.steps[ref].task, Assert) for ref in failed):
        return None
    read = {each for ref in failed for each in _read_by(plan, ref)}
    enough = (
        ref
        for ref in reversed(plan.steps)
        if ref in read and failed <= {declared(run, each) for each in steps_to_reset(plan, run, [ref])}
    )
    return next(enough, None)


def _read_by(plan: Plan, ref: StepRef) -> Iterator[StepRef]:
    """The steps that an assert reads."""
    task = plan.steps[ref].task
    for path in references(task.expr) if isinstance(task, Assert) else ():
        match path:
            case ("steps", name, *_):
                yield ref[0], name
            case ("jobs", job, "steps", name, *_):
                yield job, name
            case _:
                pass
