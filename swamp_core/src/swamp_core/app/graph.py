"""The graph of a workflow: its jobs and steps, what each depends on, and, of a run, where each stands.

Of a workflow it is that of the file, with the workflows that its steps run drawn within them. Of a run it is the
definition that the run has pinned, so editing the file changes nothing of it, with the nested runs drawn within their
steps and items: those further up first, and so many in all. Node IDs are made here, never from names: a name may be
any text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from swamp_core.app.finding import find_run
from swamp_core.app.graph_runs import NestedRuns, Standing, shown_of
from swamp_core.app.seeing_views import ConcurrencyView, GraphEdgeView, GraphNodeView, GraphResult
from swamp_core.app.tasks import concurrency_of, target_of, timeout_of
from swamp_core.app.views import StepView
from swamp_core.app.workflows import load_runnable
from swamp_core.app.workspace import Workspace
from swamp_core.payload.values import compact
from swamp_core.workflow.conditions import Condition, Not, described
from swamp_core.workflow.definition import (
    SUCCEEDED,
    Dependency,
    ForEach,
    Job,
    ManualApproval,
    NestedWorkflow,
    Step,
    WaitForSignal,
    Workflow,
)
from swamp_core.workflow.order import in_order


def workflow_graph(workspace: Workspace, name: str) -> GraphResult:
    """The graph of a workflow of the repo. Raises `Refused` (`unknown_workflow`, `invalid_workflow`)."""
    runnable = load_runnable(workspace, name, importing=False)
    drawing = _Drawing(NestedRuns(workspace), runnable.workflows)
    drawing.workflow(runnable.workflow, None, None)
    return GraphResult(workflow=name, nodes=drawing.nodes, edges=drawing.edges)


def run_graph(workspace: Workspace, name: str, run_id: str) -> GraphResult:
    """The graph of a run of the workflow. Raises `Refused` (`unknown_run`, `ambiguous_run`, `unreadable`)."""
    run = find_run(workspace, name, run=run_id)
    drawing = _Drawing(NestedRuns(workspace), {})
    standing = Standing(workspace, run)
    drawing.run(standing, None)
    return GraphResult(
        workflow=run.workflow,
        run_id=run.run_id,
        status=standing.status,
        nodes=drawing.nodes,
        edges=drawing.edges,
    )


@dataclass(slots=True)
class _Drawing:
    """The nodes and edges so far. `workflows` are the definitions of nested workflows by name.

    Each nested run is drawn once, and each nested workflow of which there is no run: drawn in each place, a few
    workflows that run each other many times would be a graph without end. `drawn` are the IDs and names of both.
    """

    children: NestedRuns
    workflows: Mapping[str, Workflow]
    nodes: list[GraphNodeView] = field(default_factory=list)
    edges: list[GraphEdgeView] = field(default_factory=list)
    drawn: set[str] = field(default_factory=set)

    def run(self, standing: Standing, parent: str | None) -> None:
        """Draw a run, with those below it."""
        outer = self.workflows
        self.workflows = {name: Workflow.from_json(each) for name, each in standing.run.workflows.items()}
        self.children.look_at(standing.nested_runs())
        self.workflow(Workflow.from_json(standing.run.definition), parent, standing)
        self.workflows = outer

    def workflow(self, workflow: Workflow, parent: str | None, standing: Standing | None) -> None:
        """Draw the jobs of a workflow."""
        prefix = f"{parent}_" if parent else ""
        ids = {job.name: f"{prefix}j{number}" for number, job in enumerate(workflow.jobs, 1)}
        for job in in_order(workflow.jobs):
            self._job(job, ids[job.name], parent, standing, concurrency_of(workflow=workflow, job=job))
            self._edges(job.depends_on, ids, ids[job.name])

    def _job(
        self,
        job: Job,
        node: str,
        parent: str | None,
        standing: Standing | None,
        bounds: ConcurrencyView | None,
    ) -> None:
        status = standing.jobs.get(job.name) if standing else None
        self.nodes.append(
            GraphNodeView(
                id=node, kind="job", parent=parent, name=job.name, status=status, concurrency=bounds
            )
        )
        ids = {step.name: f"{node}_s{number}" for number, step in enumerate(job.steps, 1)}
        for step in in_order(job.steps):
            self._step(job.name, step, ids[step.name], node, standing)
            self._edges(step.depends_on, ids, ids[step.name])

    def _step(self, job: str, step: Step, node: str, parent: str, standing: Standing | None) -> None:
        task = step.task
        status, planned_run_id = standing.step(job, step.name) if standing else (None, None)
        child_run_id, child_status = self.children.place_of(planned_run_id)
        self.nodes.append(
            GraphNodeView(
                id=node,
                kind="step",
                parent=parent,
                name=step.name,
                task=task.type,
                target=target_of(task),
                timeout=timeout_of(task),
                prompt=task.prompt if isinstance(task, WaitForSignal | ManualApproval) else None,
                for_each=for_each_text(step.for_each),
                guard=step.guard,
                concurrency=concurrency_of(step=step),
                allow_failure=step.allow_failure,
                status=status,
                child_run_id=child_run_id,
                child_status=child_status,
            )
        )
        items = standing.items(job, step.name) if standing else []
        if items:
            self._items(items, node)
        elif isinstance(task, NestedWorkflow):
            self._nested(task, node, child_run_id)

    def _items(self, items: list[StepView], node: str) -> None:
        shown = shown_of(items)
        for number, item in enumerate(shown, 1):
            item_node = f"{node}_i{number}"
            child_run_id, child_status = self.children.place_of(item.child_run_id)
            self.nodes.append(
                GraphNodeView(
                    id=item_node,
                    kind="item",
                    parent=node,
                    name=item.name,
                    status=item.status,
                    child_run_id=child_run_id,
                    child_status=child_status,
                )
            )
            if child_run_id:
                self._child(child_run_id, item_node)
        if left_out := items[len(shown) :]:
            counts = Counter(item.status for item in left_out)
            told = ", ".join(f"{count} {status}" for status, count in counts.items())
            name = f"and {len(left_out)} more: {told}"
            self.nodes.append(
                GraphNodeView(id=f"{node}_more", kind="more", parent=node, name=name, count=len(left_out))
            )

    def _nested(self, task: NestedWorkflow, node: str, child_run_id: str | None) -> None:
        """Draw what a step runs: its nested run, or the workflow where none was begun."""
        nested = self.workflows.get(task.workflow_id_or_name)
        if child_run_id:
            self._child(child_run_id, node)
        elif nested and nested.name not in self.drawn:
            self.drawn.add(nested.name)
            self.workflow(nested, node, None)

    def _child(self, run_id: str, node: str) -> None:
        """Draw a nested run, if it was looked at and can be read."""
        child = self.children.get(run_id)
        if child and run_id not in self.drawn:
            self.drawn.add(run_id)
            self.run(child, node)

    def _edges(self, depends_on: tuple[Dependency, ...], ids: Mapping[str, str], node: str) -> None:
        for each in depends_on:
            label = condition_text(each.condition)
            self.edges.append(
                GraphEdgeView(source=ids[each.name], to=node, condition=each.condition.to_json(), label=label)
            )


def condition_text(condition: Condition) -> str | None:
    """The condition after the name of what is depended on: `if it failed`; None where success is enough."""
    if condition == SUCCEEDED:
        return None
    if isinstance(condition, Not):
        return f"unless it {described(condition.condition)}"
    return f"if it {described(condition)}"


def for_each_text(for_each: ForEach | None) -> str | None:
    """What a forEach goes through, as text: `region in ${{ inputs.regions }}`."""
    if for_each is None:
        return None
    source = for_each.source
    return f"{for_each.item} in {source.strip() if isinstance(source, str) else compact(source).decode()}"
