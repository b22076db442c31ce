"""A graph as text for Mermaid: a flowchart with a box for each job, and for each step that holds others.

Names, prompts and expressions may be any text. Within a label all that Mermaid, its Markdown or HTML could take for
more than a letter is written as the number of its character (`#35;`), so that no name can end its label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from swamp_core.app.seeing_views import GraphNodeView, GraphResult
from swamp_core.cli.escaping import printable, shortened
from swamp_core.cli.rendering.tasks import concurrency_text, nested_run_text, task_text

LABEL_CHARACTERS_MAX = 160

COLOURS = {
    "succeeded": "fill:#d3f9d8,stroke:#2b8a3e,color:#0b3d17",
    "failed": "fill:#ffe3e3,stroke:#c92a2a,color:#5c0f0f",
    "unknown": "fill:#ffe3e3,stroke:#c92a2a,color:#5c0f0f,stroke-dasharray:4",
    "waiting": "fill:#fff3bf,stroke:#e67700,color:#5c3a00",
    "running": "fill:#d0ebff,stroke:#1971c2,color:#0b3558",
    "skipped": "fill:#f1f3f5,stroke:#868e96,color:#495057,stroke-dasharray:4",
    "pending": "fill:#ffffff,stroke:#868e96,color:#212529",
}


def mermaid(graph: GraphResult) -> str:
    """The graph as the text of a flowchart."""
    return "".join(f"{line}\n" for line in _lines(graph))


def _lines(graph: GraphResult) -> Iterator[str]:
    inner: defaultdict[str | None, list[GraphNodeView]] = defaultdict(list)
    for node in graph.nodes:
        inner[node.parent].append(node)
    yield "flowchart TD"
    yield from _nodes(inner, None, "  ")
    for edge in graph.edges:
        label = f'|"{escaped(edge.label)}"| ' if edge.label else " "
        yield f"  {edge.source} -->{label}{edge.to}"
    by_status: defaultdict[str, list[str]] = defaultdict(list)
    for node in graph.nodes:
        if node.status:
            by_status[node.status].append(node.id)
    for status, ids in by_status.items():
        yield f"  classDef {status} {COLOURS[status]}"
        yield f"  class {','.join(ids)} {status}"


def _nodes(inner: dict[str | None, list[GraphNodeView]], parent: str | None, margin: str) -> Iterator[str]:
    for node in inner[parent]:
        label = "<br/>".join(map(escaped, _label(node)))
        if node.kind == "job" or inner[node.id]:
            yield f'{margin}subgraph {node.id}["{label}"]'
            yield from _nodes(inner, node.id, f"{margin}  ")
            yield f"{margin}end"
        elif node.task in ("wait_for_signal", "manual_approval"):
            yield f'{margin}{node.id}(["{label}"])'
        else:
            yield f'{margin}{node.id}["{label}"]'


def _label(node: GraphNodeView) -> Iterator[str]:
    yield node.name
    if node.task:
        yield task_text(node.task, node.target, node.timeout)
    if node.child_run_id:
        yield nested_run_text(node.child_run_id, node.child_status)
    if node.for_each:
        yield f"for each {node.for_each}"
    if node.concurrency:
        yield concurrency_text(node.concurrency)
    if node.guard:
        yield f"skipped if {node.guard.strip()}"


def escaped(text: str) -> str:
    """The text as it stands within the quotes of a label."""
    shown = shortened(printable(text), LABEL_CHARACTERS_MAX)
    around = f" {shown} "
    return "".join(
        char if _is_harmless(char, around[number], around[number + 2]) else f"#{ord(char)};"
        for number, char in enumerate(shown)
    )


def _is_harmless(char: str, before: str, after: str) -> bool:
    """Letters and digits, spaces, a little punctuation; and between letters or digits what joins them."""
    return char.isalnum() or char in " ,:…" or (char in "._-" and before.isalnum() and after.isalnum())
