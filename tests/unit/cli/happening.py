"""A run, and events that happen to it, for those who look on."""

from datetime import UTC, datetime, timedelta

from swamp_core.run import events
from swamp_core.run.state import JobState, RunState, StepState

NOON = datetime(2026, 7, 27, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=90)
ERROR = events.StepError(code="command_failed", message="The command ended with exit code 2.")
RUN = RunState(
    run_id="019fa372-3a00-7000-8000-000000010002",
    workflow="release",
    mark=1,
    status="running",
    definition={},
    models={},
    inputs={},
    owner=None,
    started_by="ada",
    started_at=NOON,
    jobs={"build": JobState(steps={"compile": StepState(status="running", started_at=NOON)})},
)


def many(count):
    """A run of so many steps, and the events that start them all."""
    steps = [{"name": f"step {number}"} for number in range(count)]
    run = RUN.model_copy(update={"jobs": {}, "definition": {"jobs": [{"name": "job", "steps": steps}]}})
    return run, [
        events.StepStarted(at=NOON + timedelta(seconds=number), job="job", step=f"step {number}")
        for number in range(count)
    ]


def items(count, kind=None, **fields):
    """The expansion of the step `each` into so many items, and an event of a kind for each of them."""
    names = [f"each[{number}]" for number in range(count)]
    expanded = events.StepExpanded(
        at=NOON, job="job", step="each", items=[events.Item(name=name, value=1) for name in names]
    )
    return expanded, [kind(at=LATER, job="job", step=name, **fields) for name in names] if kind else []


def expanding():
    definition = {"jobs": [{"name": "job", "steps": [{"name": "each"}, {"name": "other"}]}]}
    return RUN.model_copy(update={"jobs": {}, "definition": definition})


def nested_in(parent, step, *, job="job", run_id="b" * 36):
    above = events.Parent(run_id=parent.run_id, workflow="w", mark=1, job=job, step=step)
    return RUN.model_copy(update={"jobs": {}, "run_id": run_id, "parent": above})
