"""A gate of a nested run, asked for by the workflow that its run is nested in: the command that reaches it is named."""

import shlex

import pytest

LEAF = """
jobs:
  - name: hold
    steps: [{ name: soak, task: { type: manual_approval, prompt: Enough? } }]
"""
NESTING = """
jobs:
  - name: out
    steps: [{{ name: nest, task: {{ type: workflow, workflowIdOrName: {} }} }}]
"""


@pytest.fixture
def train(swamp):
    """A run of `train` that waits for a gate two runs below it."""
    for name, text in {
        "leaf": LEAF,
        "middle": NESTING.format("leaf"),
        "train": NESTING.format("middle"),
    }.items():
        (swamp.directory / f"workflows/{name}.yaml").write_text(text)
    return swamp("workflow", "run", "train", "--json").json


def test_who_lists_the_gates_of_a_parent_is_sent_to_all_of_them(swamp, train):
    """Which run is nested in which is not listed; that a nested gate may be meant is said, with the command."""
    told = swamp("workflow", "approvals", "--workflow", "train").out.splitlines()
    assert told[0] == "No gate of train is undecided."
    assert told[1].startswith("A gate of a nested run is undecided")
    assert told[2] == "swamp workflow approvals"
    assert "nested" not in swamp("workflow", "approvals", "--workflow", "release").out
    assert swamp("workflow", "approvals", "--workflow", "train", "--json").json == {
        "waits": [],
        "unreadable": [],
    }


@pytest.mark.parametrize("verb", ["approve", "reject"])
@pytest.mark.parametrize("step", ["soak", "hold/soak", "nest"])
def test_a_gate_that_is_nested_is_named_with_its_command(swamp, train, verb, step):
    """By the name of the gate, or of the step in which it is nested; pasted, the command decides it."""
    refused = swamp("workflow", verb, "train", step)
    assert refused.code == 3
    (wait,) = train["waits"]
    assert refused.err.splitlines()[-1] == wait["nextCommand"]
    words = shlex.split(wait["nextCommand"].replace(" approve ", f" {verb} "))[1:]
    assert swamp(*words).out.splitlines()[0].startswith("hold/soak of leaf is ")


def test_a_gate_that_is_nowhere_is_refused_as_ever(swamp, train):
    """No command is made up."""
    error = swamp("workflow", "approve", "train", "sok", "--json").json["error"]
    assert (error["code"], error["hint"].splitlines()[-1]) == ("unknown_step", "swamp workflow approvals")
