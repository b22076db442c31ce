"""A run that failed because of one nested in it says where and why that began, and how to look there."""

import pytest

from tests.end_to_end.releases import new_release, steps_of

RUNS = "task: { type: workflow, workflowIdOrName: "
GATE = 'task: { type: manual_approval, prompt: "Is it good?" }'
TOP = f"jobs: [{{ name: t, steps: [{{ name: mid, {RUNS}middle }} }}] }}]\n"
MIDDLE = f"jobs: [{{ name: m, steps: [{{ name: go, {RUNS}region }} }}] }}]\n"
REGION = f"jobs: [{{ name: go, steps: [{{ name: soak, {GATE} }}, {{ name: ship, dependsOn: [soak], {GATE} }}] }}]\n"


@pytest.fixture
def tree(swamp):
    """A run three levels deep, whose innermost run waits for an approval."""
    swamp.write("workflows/middle.yaml", MIDDLE)
    swamp.write("workflows/region.yaml", REGION)
    release = new_release(swamp, TOP)
    return swamp, release.run()


def run_id_of(swamp, workflow):
    return swamp.json("workflow", "history", "list", "--workflow", workflow)["runs"][0]["id"]


def test_every_run_above_says_which_step_failed_and_why(tree):
    """A rejection two levels below is named with its step, code and reason, and pasting the command shows it."""
    swamp, begun = tree
    swamp("workflow", "reject", "region", "soak", "--reason", "us is bad", user="mara")
    inner = run_id_of(swamp, "region")
    ended = swamp("workflow", "resume", "release", code=1)
    run = swamp.json("workflow", "history", "get", begun["run"]["id"])["run"]
    error = steps_of(run)["mid"]["error"]
    middle = run_id_of(swamp, "middle")
    assert error["message"] == (
        f"The nested run {middle} of `middle` failed: go/soak of the run {inner} of `region` below it failed "
        "(approval_rejected): mara rejected it: us is bad"
    )
    assert error["details"] == {
        "runId": middle,
        "status": "failed",
        "cause": {
            "runId": inner,
            "workflow": "region",
            "job": "go",
            "step": "soak",
            "code": "approval_rejected",
            "message": "mara rejected it: us is bad",
        },
    }
    below = steps_of(swamp.json("workflow", "history", "get", middle)["run"])["go"]["error"]
    assert below["message"] == (
        f"The nested run {inner} of `region` failed: go/soak failed (approval_rejected): "
        "mara rejected it: us is bad"
    )
    for told in (ended, swamp("workflow", "history", "get", "release")):
        (command,) = [line for line in told.commands if f"history get {inner}" in line]
        assert "mara rejected go/soak: us is bad" in swamp.pasted(command).out


def test_a_cancel_below_is_told_with_who_and_why(tree):
    """A nested run that somebody cancelled by itself is no riddle for the run above."""
    swamp, begun = tree
    swamp("workflow", "cancel", "region", "--reason", "too late", user="mara", code=None)
    swamp("workflow", "resume", "release", code=1)
    (error,) = [
        step["error"]
        for step in steps_of(swamp.json("workflow", "history", "get", begun["run"]["id"])["run"]).values()
    ]
    inner = run_id_of(swamp, "region")
    assert f"The nested run {inner} of `region` was cancelled by mara: too late" in error["message"]


def test_a_gate_below_names_the_run_that_it_is_nested_in(tree):
    """`approvals` tells equal gates of equal runs apart by the run above, in JSON and in text."""
    swamp, _ = tree
    (gate,) = swamp.json("workflow", "approvals")["waits"]
    assert gate["parentRunId"] == run_id_of(swamp, "middle")
    assert f"  nested in  {gate['parentRunId']}\n" in swamp("workflow", "approvals").out
