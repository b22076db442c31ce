"""How many steps may run at a time is shown where a workflow is looked at: in its graph, and in a dry run."""

import pytest

BOUNDED = """
concurrency: 5
jobs:
  - name: deploy
    concurrency: 4
    steps:
      - name: each
        forEach: { item: region, in: [eu, us] }
        concurrency: 1
        task: { type: workflow, workflowIdOrName: region }
  - name: after
    dependsOn: [deploy]
    steps:
      - { name: ask, task: { type: manual_approval, prompt: Well? } }
"""
REGION = "concurrency: 3\njobs: [{ name: in, steps: [{ name: look, task: { type: wait_for_signal, timeout: 90s } }] }]"
BARE = "jobs: [{ name: a, steps: [{ name: b, concurrency: 2, task: { type: manual_approval, prompt: Well? } }] }]"


@pytest.fixture
def bounded(swamp):
    files = {"bounded": BOUNDED, "region": REGION, "bare": BARE}
    for name, text in files.items():
        (swamp.directory / f"workflows/{name}.yaml").write_text(text)
    return swamp


@pytest.mark.parametrize("form", ["text", "mermaid"])
def test_a_graph_shows_the_bounds_of_each_job_and_of_items(bounded, form):
    """A job shows those of its steps, with its workflow's, and a forEach that of its items."""
    shown = bounded("workflow", "graph", "bounded", "--format", form).out
    for told in ("4 of the job, 5 of the workflow", "1 of its items", "3 of the workflow"):
        assert shown.count(f"at a time at most {told}") == 1
    assert "at a time at most 5 of the workflow" in shown  # of the job that has no bound of its own
    nodes = bounded("workflow", "graph", "bounded", "--json").json["nodes"]
    bounds = {node["name"]: node["concurrency"] for node in nodes}
    assert bounds["deploy"] == {"items": None, "job": 4, "workflow": 5}
    assert bounds["each"] == {"items": 1, "job": None, "workflow": None}
    assert (bounds["ask"], bounds["look"]) == (None, None)


def test_a_dry_run_shows_the_bounds_of_each_step(bounded):
    """All that hold for the step, in nested workflows too."""
    shown = bounded("workflow", "run", "bounded", "--dry-run").out
    for told in ("1 of its items, 4 of the job, 5 of the workflow", "3 of the workflow", "5 of the workflow"):
        assert f"at a time at most {told}\n" in shown
    each, ask = bounded("workflow", "run", "bounded", "--dry-run", "--json").json["steps"]
    assert each["concurrency"] == {"items": 1, "job": 4, "workflow": 5}
    assert each["steps"][0]["concurrency"] == {"items": None, "job": None, "workflow": 3}
    assert (ask["wave"], ask["concurrency"]) == (2, {"items": None, "job": None, "workflow": 5})


def test_where_nothing_is_bounded_nothing_is_said(bounded):
    """Nor of a concurrency that does nothing, on a step without a forEach."""
    assert "at a time" not in bounded("workflow", "graph", "bare").out
    assert "at a time" not in bounded("workflow", "run", "bare", "--dry-run").out
