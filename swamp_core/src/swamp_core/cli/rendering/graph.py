"""A graph as a tree of text, at most 80 columns wide wherever that breaks no word.

A step's first line says what it is; the lines below say when it runs. Steps stand in the order in which they can run.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from swamp_core.app.seeing_views import GraphEdgeView, GraphNodeView, GraphResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Copy, Part, Say, Style
from swamp_core.cli.rendering.runs import STATUS_STYLES
from swamp_core.cli.rendering.tasks import concurrency_text, nested_run_text, task_text
from swamp_core.cli.rendering.wrapping import wrapped

TEXT_CHARACTERS_MAX = 300
HINTS_MAX = 3
"""Of many nested runs that are not drawn, for how many the command that draws them is told."""

NODE_STYLES: dict[str | None, Style] = {
    "succeeded": "good",
    "failed": "bad",
    "unknown": "bad",
    "waiting": "warn",
    "running": "warn",
    "skipped": "dim",
}


def graph_parts(graph: GraphResult, workspace: Workspace) -> Iterator[Part]:
    """The graph as a tree."""
    if graph.run_id is None:
        yield Say(graph.workflow)
    else:
        status = graph.status or "unknown"
        yield Say(f"The run of {graph.workflow}: {status}.", STATUS_STYLES.get(status, "plain"))
        yield Copy(graph.run_id)
    tree = _Tree.of(graph)
    yield from tree.below(None, "")
    yield from tree.not_drawn(workspace)


@dataclass(frozen=True, slots=True)
class _Tree:
    """The nodes by their parent, and the edges by where they lead to."""

    inner: dict[str | None, list[GraphNodeView]]
    nodes: dict[str, GraphNodeView]
    after: dict[str, list[GraphEdgeView]] = field(default_factory=dict)

    @classmethod
    def of(cls, graph: GraphResult) -> _Tree:
        tree = cls(defaultdict(list), {node.id: node for node in graph.nodes}, defaultdict(list))
        for node in graph.nodes:
            tree.inner[node.parent].append(node)
        for edge in graph.edges:
            tree.after[edge.to].append(edge)
        return tree

    def below(self, parent: str | None, margin: str) -> Iterator[Part]:
        """The lines of what stands in a node; `margin` stands before each of them."""
        nodes = self.inner[parent]
        for node in nodes:
            is_last = node is nodes[-1]
            branch, under = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
            style = NODE_STYLES.get(node.status, "plain")
            yield from wrapped(self._head(node), margin + branch, f"{margin}{under}  ", style)
            for fact in self._facts(node):
                before = f"{margin}{under}{'│ ' if self.inner[node.id] else '  '}"
                yield from wrapped(fact, before, f"{before}  ", "dim")
            yield from self.below(node.id, margin + under)

    def not_drawn(self, workspace: Workspace) -> Iterator[Part]:
        """The commands that draw the nested runs of which only the ID is shown."""
        left_out = [node for node in self.nodes.values() if node.child_run_id and not self.inner[node.id]]
        for node in left_out[:HINTS_MAX]:
            target = node.target or self.nodes[node.parent or ""].target or ""
            yield Say(f"See the nested run of {node.name} with:")
            yield Copy(workspace.command("workflow", "graph", target, "--run", node.child_run_id or ""))
        if len(left_out) > HINTS_MAX:
            yield Say(f"{len(left_out) - HINTS_MAX} more nested runs are not drawn; see them likewise.")

    def _head(self, node: GraphNodeView) -> str:
        task = shortened(task_text(node.task, node.target, node.timeout), TEXT_CHARACTERS_MAX)
        return " · ".join(filter(None, (node.name, node.status, task)))

    def _facts(self, node: GraphNodeView) -> Iterator[str]:
        if node.child_run_id:
            yield nested_run_text(node.child_run_id, node.child_status)
        if edges := self.after[node.id]:
            yield f"after {', '.join(self._after(edge) for edge in edges)}"
        if node.for_each:
            yield shortened(f"for each {node.for_each}", TEXT_CHARACTERS_MAX)
        if node.concurrency:
            yield concurrency_text(node.concurrency)
        if node.guard:
            yield shortened(f"skipped if {node.guard.strip()}", TEXT_CHARACTERS_MAX)
        if node.allow_failure:
            yield "may fail"
        if node.prompt:
            yield shortened(f"asks: {' '.join(node.prompt.split())}", TEXT_CHARACTERS_MAX)

    def _after(self, edge: GraphEdgeView) -> str:
        return f"{self.nodes[edge.source].name}{f' {edge.label}' if edge.label else ''}"
