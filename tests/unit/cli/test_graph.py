"""`workflow graph`: every workflow and every run can be drawn, whatever its parts are called."""

import re
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.graph_runs import CHILDREN_READ_MAX
from swamp_core.cli.rendering.mermaid import escaped
from swamp_core.cli.rendering.wrapping import WIDTH
from swamp_core.run import events
from swamp_core.run.events import Item

from tests.unit.cli.stored import NOW, StoredRun, calling, workflow

ALL = """
inputs: { type: object, properties: { regions: { type: array, default: [eu, us] } } }
jobs:
  - name: roll out
    dependsOn: [{ job: check, condition: { type: not, condition: { type: skipped } } }]
    steps:
      - name: ask
        task: { type: manual_approval, timeout: 2d, prompt: "Roll out to ${{ inputs.regions.size() }} regions?" }
      - name: deploy
        dependsOn: [ask]
        forEach: { item: region, in: "${{ inputs.regions }}" }
        guard: ${{ self.region == "moon" }}
        task: { type: workflow, workflowIdOrName: inner }
  - name: check
    steps:
      - name: sane
        allowFailure: true
        task: { type: assert, expr: "${{ inputs.regions.size() < 10 }}", message: Too many. }
"""
INNER = "jobs: [{ name: in, steps: [{ name: look, task: { type: wait_for_signal, timeout: 90s } }] }]"
TREE = """\
outer
├─ check
│  └─ sane · asserts ${{ inputs.regions.size() < 10 }}
│       may fail
└─ roll out
   │ after check unless it was skipped
   ├─ ask · waits for an approval, at most 2 days
   │    asks: Roll out to ${{ inputs.regions.size() }} regions?
   └─ deploy · runs the workflow inner
      │ after ask
      │ for each region in ${{ inputs.regions }}
      │ skipped if ${{ self.region == "moon" }}
      └─ in
         └─ look · waits for a signal, at most 90 seconds
"""


GATE = {"type": "manual_approval", "prompt": "Go on?"}


@pytest.fixture
def nested(swamp):
    (swamp.directory / "workflows/outer.yaml").write_text(ALL)
    (swamp.directory / "workflows/inner.yaml").write_text(INNER)
    return swamp


def test_a_tree_shows_what_runs_when(nested):
    """Jobs and steps stand in the order in which they can run, with their tasks, dependencies and conditions."""
    assert nested("workflow", "graph", "outer").out == TREE


def test_mermaid_draws_the_same_in_boxes(nested):
    """Each job is a box, each dependency an arrow, and a condition that is not plain success its label."""
    lines = nested("workflow", "graph", "outer", "--format", "mermaid").out.splitlines()
    assert lines[0] == "flowchart TD"
    assert '  subgraph j2["check"]' in lines
    assert '      j1_s2_j1_s1(["look<br/>waits for a signal, at most 90 seconds"])' not in lines
    assert any('j1_s2_j1_s1(["look<br/>' in line for line in lines)
    assert '  j2 -->|"unless it was skipped"| j1' in lines
    assert "  j1_s1 --> j1_s2" in lines
    assert sum(" subgraph " in line for line in lines) == sum(line.strip() == "end" for line in lines)


def test_json_has_nodes_edges_and_the_text_that_was_asked_for(nested):
    """`--json` gives the graph itself; with `--format mermaid` its text as well."""
    drawn = nested("workflow", "graph", "outer", "--format", "mermaid", "--json").json
    assert drawn["mermaid"].startswith("flowchart TD\n")
    ids = {node["id"] for node in drawn["nodes"]}
    assert {edge[end] for edge in drawn["edges"] for end in ("from", "to")} <= ids
    (edge,) = (edge for edge in drawn["edges"] if edge["from"] == "j2")
    assert edge["condition"] == {"type": "not", "condition": {"type": "skipped"}}
    assert edge["label"] == "unless it was skipped"
    assert nested("workflow", "graph", "outer", "--json").json["mermaid"] is None


def test_a_run_is_drawn_as_it_has_pinned_its_workflow(swamp):
    """The file may have changed, or be gone: the run's own definition is drawn, each step with its status."""
    definition = workflow(
        "release", {"name": "pinned", "steps": [calling("one"), calling("two", dependsOn=["one"])]}
    )
    run = StoredRun(swamp, definition)
    run.happened(events.StepStarted(at=NOW, job="pinned", step="one"))
    run.happened(events.StepSucceeded(at=NOW, job="pinned", step="one", outputs={}))
    (swamp.directory / "workflows/release.yaml").unlink()
    shown = swamp("workflow", "graph", "release", "--run", run.run_id[:30]).out
    assert "one · succeeded · calls release.build" in shown
    assert "two · pending · calls release.build" in shown
    drawn = swamp("workflow", "graph", "release", "--run", run.run_id, "--format", "mermaid").out
    assert "  class j1_s1 succeeded\n" in drawn


def test_of_many_items_the_first_are_shown_and_the_rest_counted(swamp):
    """A run with a thousand items is a graph that fits on a screen."""
    definition = workflow(
        "many", {"name": "j", "steps": [calling("each", forEach={"item": "n", "in": list(range(1000))})]}
    )
    run = StoredRun(swamp, definition)
    names = [f"each[{number}]" for number in range(1000)]
    run.happened(
        events.StepExpanded(at=NOW, job="j", step="each", items=[Item(name=name, value=1) for name in names]),
        *(events.StepStarted(at=NOW, job="j", step=name) for name in names[:7]),
    )
    shown = swamp("workflow", "graph", "many", "--run", run.run_id).out
    assert len(shown.splitlines()) < 15
    assert "each · running · calls release.build" in shown
    assert "and 995 more: 2 running, 993 pending" in shown


def test_a_nested_run_is_drawn_within_its_step(swamp):
    """The statuses within a step that runs a workflow are those of the nested run."""
    inner = workflow("inner", {"name": "in", "steps": [calling("deep")]})
    outer = workflow(
        "outer",
        {
            "name": "out",
            "steps": [{"name": "nest", "task": {"type": "workflow", "workflowIdOrName": "inner"}}],
        },
    )
    parent = StoredRun(swamp, outer, workflows={"inner": inner})
    child = StoredRun(
        swamp,
        inner,
        parent=events.Parent(run_id=parent.run_id, workflow="outer", mark=1, job="out", step="nest"),
        seed=2,
    )
    child.happened(events.StepStarted(at=NOW, job="in", step="deep"))
    parent.happened(
        events.ChildPlanned(
            at=NOW, job="out", step="nest", child_run_id=child.run_id, workflow="inner", inputs={}
        )
    )
    shown = swamp("workflow", "graph", "outer", "--run", parent.run_id).out
    assert "nest · waiting · runs the workflow inner" in shown
    assert f"nested run {child.run_id}: running" in shown
    assert "deep · running · calls release.build" in shown
    drawn = swamp("workflow", "graph", "outer", "--run", parent.run_id, "--format", "mermaid").out
    assert f"nested run {child.run_id}: running" in drawn


OUTER = workflow(
    "outer",
    {
        "name": "out",
        "steps": [
            {
                "name": "nest",
                "forEach": {"item": "n", "in": "${{ inputs.ns }}"},
                "task": {"type": "workflow", "workflowIdOrName": "inner"},
            }
        ],
    },
)
INNER_RUN = workflow("inner", {"name": "in", "steps": [calling("deep")]})


def wait_id(run):
    """The ID of a run's wait."""
    return str(UUID(int=UUID(run.run_id).int ^ 1, version=4))


def with_nested_items(swamp, count, steps=1):
    """A suspended run whose items each wait for a nested run, which waits for a gate; and the nested runs."""
    waiting = workflow("inner", {"name": "in", "steps": [{"name": "ask", "task": GATE}]})
    jobs = [{**OUTER["jobs"][0], "name": f"out{number}"} for number in range(steps)]
    parent = StoredRun(swamp, workflow("outer", *jobs), workflows={"inner": waiting})
    children = []
    for place, job in enumerate(jobs):
        names = [f"nest[{number}]" for number in range(count)]
        parent.happened(
            events.StepExpanded(
                at=NOW, job=job["name"], step="nest", items=[Item(name=each, value=1) for each in names]
            )
        )
        for number, name in enumerate(names):
            above = events.Parent(run_id=parent.run_id, workflow="outer", mark=1, job=job["name"], step=name)
            child = StoredRun(swamp, waiting, parent=above, seed=2 + number + count * place)
            child.happened(
                events.WaitPlanned(
                    at=NOW, job="in", step="ask", wait_id=wait_id(child), wait_kind="approval"
                ),
                events.WaitOpened(at=NOW, job="in", step="ask", wait_id=wait_id(child)),
                events.RunSuspended(at=NOW),
            )
            parent.happened(
                events.ChildPlanned(
                    at=NOW, job=job["name"], step=name, child_run_id=child.run_id, workflow="inner", inputs={}
                )
            )
            children.append(child)
    parent.happened(events.RunSuspended(at=NOW))
    return parent, children


def test_a_step_whose_items_all_wait_is_waiting_as_its_job_is(swamp):
    """Of a suspended run nothing is shown as running: not in the tree, the flowchart, the JSON, or the history."""
    parent, _ = with_nested_items(swamp, 2)
    graph = ("workflow", "graph", "outer", "--run", parent.run_id)
    assert "nest · waiting · runs the workflow inner" in swamp(*graph).out
    assert "running" not in swamp(*graph).out
    assert "running" not in swamp(*graph, "--format", "mermaid").out
    nodes = swamp(*graph, "--json").json["nodes"]
    assert {node["status"] for node in nodes} == {"waiting"}
    (job,) = swamp("workflow", "history", "get", parent.run_id, "--json").json["run"]["jobs"]
    assert job["status"] == "waiting"


def test_nested_runs_of_items_are_drawn_within_them(swamp):
    """Each item shows its nested run: its ID, where it stands, and its own steps."""
    parent, children = with_nested_items(swamp, 2)
    shown = swamp("workflow", "graph", "outer", "--run", parent.run_id).out
    for child in children:
        assert f"nested run {child.run_id}: suspended" in shown
    assert shown.count("ask · waiting · waits for an approval") == 2
    drawn = swamp("workflow", "graph", "outer", "--run", parent.run_id, "--format", "mermaid").out
    assert '(["ask<br/>' in drawn
    assert sum(" subgraph " in line for line in drawn.splitlines()) == drawn.count(" end\n")


def test_of_many_nested_runs_so_many_are_looked_at(swamp):
    """A graph of a run makes no more than so many reads; those beyond have their IDs, and a command that works."""
    parent, children = with_nested_items(swamp, 6, steps=5)
    shown = swamp("workflow", "graph", "outer", "--run", parent.run_id)
    assert shown.out.count("ask · waiting") == CHILDREN_READ_MAX
    assert all(child.run_id in shown.out for child in children)
    assert "7 more nested runs are not drawn; see them likewise." in shown.out
    left = [line for line in shown.out.splitlines() if line.startswith("swamp workflow graph inner --run ")]
    assert len(left) == 3
    assert "ask · waiting" in swamp(*left[0].split()[1:]).out


def nesting(swamp, child_run_id=None):
    """A run whose only step has planned that nested run, or, as it claims, the run itself."""
    step = {"name": "nest", "task": {"type": "workflow", "workflowIdOrName": "inner"}}
    parent = StoredRun(
        swamp, workflow("outer", {"name": "out", "steps": [step]}), workflows={"inner": INNER_RUN}
    )
    return parent.happened(
        events.ChildPlanned(
            at=NOW,
            job="out",
            step="nest",
            child_run_id=child_run_id or parent.run_id,
            workflow="inner",
            inputs={},
        )
    )


def test_of_a_nested_run_that_is_not_begun_its_workflow_is_drawn(swamp):
    """Its ID would lead nowhere yet; what it will do is known."""
    parent = nesting(swamp, "01234567-89ab-7def-8123-456789abcdef")
    shown = swamp("workflow", "graph", "outer", "--run", parent.run_id).out
    assert "nested run" not in shown
    assert "deep · calls release.build" in shown


def test_a_nested_run_that_cannot_be_read_has_its_id(swamp):
    """The rest of the graph is drawn; what the matter is, the command for the nested run tells."""
    child = StoredRun(swamp, INNER_RUN, seed=2)
    parent = nesting(swamp, child.run_id)
    for entry in swamp.directory.glob(f".swamp/store/**/{child.run_id}/*"):
        entry.write_text("{")
    shown = swamp("workflow", "graph", "outer", "--run", parent.run_id)
    assert shown.code == 0
    assert f"nested run {child.run_id}\n" in shown.out
    assert "deep" not in shown.out
    command = shown.out.splitlines()[-1].split()[1:]
    assert swamp(*command, "--json").json["error"]["code"] == "unreadable"


def test_a_run_that_claims_to_be_nested_in_itself_is_drawn_once(swamp):
    """Records that others wrote may name a run as its own nested run: the graph still ends."""
    parent = nesting(swamp)
    answer = swamp("workflow", "graph", "outer", "--run", parent.run_id)
    assert answer.code == 0
    assert answer.out.count("nest ·") == 2


@pytest.mark.parametrize("command", [("missing",), ("release", "--run", "0192f0c1")])
def test_what_is_not_there_cannot_be_drawn(swamp, command):
    """An unknown workflow and an unknown run are refused, each with its code."""
    answer = swamp("workflow", "graph", *command, "--json")
    assert answer.code == 3
    assert answer.json["error"]["code"] in ("unknown_workflow", "unknown_run")


def test_a_drawing_is_no_wider_than_a_terminal(nested):
    """Long guards and prompts go on below, where they began."""
    long = ALL.replace("regions?", "regions? " + "Think well about it. " * 10)
    (nested.directory / "workflows/outer.yaml").write_text(long)
    assert max(map(len, nested("workflow", "graph", "outer").out.splitlines())) <= WIDTH


def test_workflows_that_run_each_other_often_are_drawn_once_each(swamp):
    """Ten levels of ten runs each would be a graph of ten thousand million nodes; each workflow is drawn once."""
    for level in range(10):
        task = (
            f"{{ type: workflow, workflowIdOrName: w{level + 1} }}"
            if level < 9
            else "{ type: assert, expr: '${{ true }}', message: m }"
        )
        steps = ", ".join(f"{{ name: s{number}, task: {task} }}" for number in range(10))
        (swamp.directory / f"workflows/w{level}.yaml").write_text(f"jobs: [{{ name: j, steps: [{steps}] }}]")
    assert len(swamp("workflow", "graph", "w0", "--json").json["nodes"]) == 10 * 11


@given(st.text())
def test_no_name_can_end_its_label(text):
    """Whatever a step is called, its label holds nothing that Mermaid, Markdown or HTML would act on."""
    assert re.fullmatch(r"(?:\w|[ ,:….-]|#\d+;)*", escaped(text))
    assert not re.search(r"(^|\s)[-.]|[-.](\s|$)", escaped(text))
