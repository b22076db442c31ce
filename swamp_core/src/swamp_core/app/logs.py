"""What the steps of a run printed, as it is kept in their outputs, whichever way they ended."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.seeing_views import LogsResult, NestedLogView, StepLogView
from swamp_core.app.step_names import find_step
from swamp_core.app.workspace import Workspace
from swamp_core.engine.plan import StepRef
from swamp_core.models.method import STDERR, STDOUT
from swamp_core.run.state import RunState, StepState
from swamp_core.workflow.definition import ModelMethod, Workflow
from swamp_core.workflow.order import in_order


def run_logs(workspace: Workspace, run: RunState, step: str | None = None) -> LogsResult:
    """What the steps of the run printed, or the one named: by its name, `JOB/STEP`, or the name of an item.

    Nested runs have logs of their own; they are only named. Raises `Refused` (`unknown_step`, `ambiguous_step`).
    """
    workflow = Workflow.from_json(run.definition)
    refs = list(_refs(workflow, run)) if step is None else _named(workspace, run, step)
    calls = {
        (job.name, each.name)
        for job in workflow.jobs
        for each in job.steps
        if isinstance(each.task, ModelMethod)
    }
    logs, nested = [], []
    for job, name in refs:
        state = run.step(job, name)
        outputs = state.outputs or {}
        texts = [text if isinstance(text := outputs.get(stream), str) else "" for stream in (STDOUT, STDERR)]
        texts.append(_traceback(state))
        if any(texts) and (job, state.of or name) in calls:
            stdout, stderr, traceback = texts
            logs.append(StepLogView(job=job, step=name, stdout=stdout, stderr=stderr, traceback=traceback))
        if state.child_run_id is not None:
            nested.append(NestedLogView(job=job, step=name, run_id=state.child_run_id))
    return LogsResult(run_id=run.run_id, workflow=run.workflow, logs=logs, nested=nested)


def _traceback(state: StepState) -> str:
    """Where the Python method was that the step called, if it failed there."""
    text = state.error.details.get("traceback") if state.error else None
    return text if isinstance(text, str) else ""


def _refs(workflow: Workflow, run: RunState) -> Iterator[StepRef]:
    """Every step in the order in which they can run, each followed by its items."""
    for job in in_order(workflow.jobs):
        for step in in_order(job.steps):
            yield job.name, step.name
            yield from _items(run, (job.name, step.name))


def _items(run: RunState, ref: StepRef) -> list[StepRef]:
    expansion = run.step(*ref).expansion
    return [(ref[0], name) for name in expansion.names] if expansion else []


def _named(workspace: Workspace, run: RunState, text: str) -> list[StepRef]:
    """The step that is meant, with its items."""
    again = ("workflow", "history", "logs", run.run_id)
    found = find_step(run, text, lambda name: workspace.command(*again, name))
    return [found, *_items(run, found)]
