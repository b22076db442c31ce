"""Runs of thousands: they come to their end, and a step of a long run weighs what one of a short run does.

How long they take is a benchmark; here is counted what does not depend on the machine.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.items import GROWTH_MAX, MODEL, WORKFLOW
from tests.end_to_end.conftest import CommandLine

ROOT = str(Path(__file__).parents[2])
PROGRESS_LINES_MAX = 60
EACH = """
inputs: {{ type: object, properties: {{ items: {{ type: array }} }} }}
jobs:
  - name: job
    steps:
      - {{ name: each, forEach: {{ item: number, in: "${{{{ inputs.items }}}}" }}, task: {task} }}
      - {{ name: last, dependsOn: [each], task: {call} }}
"""
CALL = "{ type: model_method, modelIdOrName: nothing, methodName: nothing, inputs: { number: 0 } }"
CHILD = f"jobs: [{{ name: job, steps: [{{ name: only, task: {CALL} }}] }}]\n"


@pytest.fixture
def scaled(swamp: CommandLine) -> CommandLine:
    """A repo with a model whose method does nothing, and a workflow that calls it for each item."""
    swamp.write("models/nothing.yaml", MODEL)
    swamp.write("workflows/items.yaml", WORKFLOW)
    path = [ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
    return swamp.at(swamp.directory, PYTHONPATH=os.pathsep.join(path))


def left_by(scaled: CommandLine, items: int) -> float:
    """Run the workflow for so many items: the bytes that it adds to the store, for each of them."""
    before = sum(map(len, scaled.stored().values()))
    given = scaled.write("items.json", json.dumps({"items": list(range(items))}))
    ended = scaled("workflow", "run", "items", "--input-file", str(given), "--json")
    run = ended.json["run"]
    steps = run["jobs"][0]["steps"]
    assert run["status"] == "succeeded"
    assert sum(step["status"] == "succeeded" for step in steps) >= items
    assert len(ended.err.splitlines()) < PROGRESS_LINES_MAX, ended.err
    return (sum(map(len, scaled.stored().values())) - before) / items


def test_an_item_of_a_long_run_leaves_no_more_than_one_of_a_short_run(scaled: CommandLine) -> None:
    """Runs of 500, 1,000 and 2,000 items end, say so in few lines, and leave as many bytes for each item."""
    left = {items: left_by(scaled, items) for items in (500, 1000, 2000)}
    assert max(left.values()) <= GROWTH_MAX * min(left.values()), left


def test_hundreds_of_waits_open_together_and_are_applied_together(swamp: CommandLine) -> None:
    """Each item has a wait of its own; to open them, and to apply what was signalled, takes a few entries each."""
    swamp.write("models/nothing.yaml", MODEL)
    swamp.write(
        "workflows/asking.yaml", EACH.format(task="{ type: wait_for_signal, timeout: 3600 }", call=CALL)
    )
    library = swamp.library()
    asked = library.run("asking", {"items": list(range(200))})
    assert (asked.run.status, len(asked.waits)) == ("suspended", 200)
    entries = journal_entries(swamp)
    for number, wait in enumerate(asked.waits):
        library.signal(wait.wait_id, {"number": number})
    resumed = library.resume("asking").run
    assert resumed.status == "succeeded"
    assert entries < 40
    assert journal_entries(swamp) - entries < 10


def test_a_hundred_nested_runs_are_each_a_run_of_its_own(swamp: CommandLine) -> None:
    """Each item starts a child, all of them end, and the step after them runs once they have."""
    swamp.write("models/nothing.yaml", MODEL)
    swamp.write("workflows/child.yaml", CHILD)
    swamp.write(
        "workflows/nesting.yaml",
        EACH.format(task="{ type: workflow, workflowIdOrName: child, inputs: {} }", call=CALL),
    )
    library = swamp.library()
    run = library.run("nesting", {"items": list(range(100))}).run
    assert run.status == "succeeded"
    index = {path.split("/")[2] for path in swamp.stored() if path.startswith("workflow-runs/child/")}
    assert len(index) == 100


def journal_entries(swamp: CommandLine) -> int:
    """How many entries the journals have."""
    return sum(path.startswith("runs/") for path in swamp.stored())
