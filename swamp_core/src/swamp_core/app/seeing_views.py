"""What the use cases that show a workflow answer with: its graph, what its runs printed, what a run of it would do.

They are views as those of `swamp_core.app.views`, and as much a contract.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from swamp_core.app.views import JobStatus, StepViewStatus, View
from swamp_core.run.statuses import ShownStatus

TaskType = Literal["model_method", "wait_for_signal", "manual_approval", "workflow", "assert"]
GraphStatus = JobStatus | StepViewStatus


class ConcurrencyView(View):
    """How many may run at a time, where a bound is given: of items, of the steps of the job, and of the workflow."""

    items: int | None = None
    job: int | None = None
    workflow: int | None = None


class GraphNodeView(View):
    """A job, a step, an item of a step with a forEach, or the items that are left out (`more`), of a graph.

    `parent` is the ID of the node that it stands in; of a job of a nested workflow it is the step or item that runs it.
    `target` is what the task is about: `MODEL.METHOD`, a workflow's name, or the expression of an assert. `timeout` is
    in seconds. `status` and `child_run_id` are those in the run, and `child_status` is where the nested run stands:
    null where it was not looked at, being one of many, or cannot be read. `count` is how many items are left out.
    `concurrency` is, of a job, what bounds its steps, and of a step what bounds its items; null if nothing does.
    """

    id: str
    kind: Literal["job", "step", "item", "more"]
    parent: str | None = None
    name: str
    task: TaskType | None = None
    target: str | None = None
    timeout: int | float | None = None
    prompt: str | None = None
    for_each: str | None = None
    guard: str | None = None
    concurrency: ConcurrencyView | None = None
    allow_failure: bool = False
    status: GraphStatus | None = None
    child_run_id: str | None = None
    child_status: ShownStatus | None = None
    count: int | None = None


class GraphEdgeView(View):
    """A dependency: the node `to` goes on after the node `source` (as JSON, `from`), if that ended as `condition`.

    The condition is that of the definition; `label` says it in words, and is null where success is enough.
    """

    source: str = Field(alias="from")
    to: str
    condition: dict[str, JsonValue]
    label: str | None


class GraphResult(View):
    """A workflow as a graph, or a run of it. Nodes come in the order in which they run, each after its parent.

    `mermaid` is the graph as text for Mermaid, where that was asked for.
    """

    workflow: str
    run_id: str | None = None
    status: ShownStatus | None = None
    nodes: list[GraphNodeView]
    edges: list[GraphEdgeView]
    mermaid: str | None = None


class StepLogView(View):
    """What a step, or an item of one, printed; cut in the middle, with a mark there, if it was much.

    `traceback` is where a Python method that failed was, the end of it if it was long.
    """

    job: str
    step: str
    stdout: str
    stderr: str
    traceback: str


class NestedLogView(View):
    """A step that is a run of its own, which has what was printed there."""

    job: str
    step: str
    run_id: str


class LogsResult(View):
    """What the steps of a run printed, in the order in which they can run; only those that printed something.

    `nested` are the nested runs, whose logs are not among these.
    """

    run_id: str
    workflow: str
    logs: list[StepLogView]
    nested: list[NestedLogView]


PlannedDecision = Literal["runs", "skipped", "fails", "depends"]


class PlannedAfterView(View):
    """What a planned step comes after, if that ended as `condition`: a step of its job, or a job (`step` is null).

    The condition is that of the definition; `label` says it in words, and is null where success is enough.
    """

    job: str
    step: str | None
    condition: dict[str, JsonValue]
    label: str | None


class PlannedItemView(View):
    """An item of a forEach, as far as the inputs say."""

    name: str
    decision: PlannedDecision
    reason: str | None
    inputs: dict[str, JsonValue] | None


class PlannedStepView(View):
    """What a run would make of a step. Steps of one `wave` can run side by side, after those of the waves before.

    `decision`: it runs if all before it goes well, is surely skipped, surely fails, or it depends on what happens
    first; `reason` is a sentence about that. `inputs` are evaluated as far as they are known. `items` is null where
    the items are known only in the run. `steps` are those of a nested workflow. `concurrency` are the bounds that hold
    for the step, and is null if there are none.
    """

    job: str
    step: str
    wave: int
    task: TaskType
    target: str | None
    after: list[PlannedAfterView]
    guard: str | None
    decision: PlannedDecision
    reason: str | None
    timeout: int | float | None
    prompt: str | None
    for_each: str | None
    concurrency: ConcurrencyView | None
    items: list[PlannedItemView] | None
    inputs: dict[str, JsonValue] | None
    steps: list[PlannedStepView] | None


class DryRunResult(View):
    """What a run of a workflow with these inputs would do, as far as the inputs say. Nothing was started or stored."""

    workflow: str
    inputs: dict[str, JsonValue]
    steps: list[PlannedStepView]
