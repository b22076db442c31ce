"""What is told of a tree of runs says whose it is, in whichever way the tree is moved on: three deep, with two leaves.

Each line about a step of a nested run begins with the steps that the run is nested in.
"""

import pytest

SAY = "task: { type: model_method, modelIdOrName: talk, methodName: say }"
ITEMS = "forEach: { item: region, in: [eu, us] }"
LEAVES = {"j/mid > j/leaf[eu] > ", "j/mid > j/leaf[us] > "}


def running(workflow, more=""):
    return f"task: {{ type: workflow, workflowIdOrName: {workflow} }}{more}"


TOP = f"jobs: [{{ name: j, steps: [{{ name: mid, {running('mid')} }}] }}]"
MID = f"jobs: [{{ name: j, steps: [{{ name: leaf, {running('leaf', ', ' + ITEMS)} }}] }}]"
LEAF = f"""
jobs:
  - name: k
    steps:
      - {{ name: ask, task: {{ type: manual_approval, prompt: "Go on?", timeout: 5m }} }}
      - {{ name: last, dependsOn: [ask], {SAY} }}
"""


@pytest.fixture
def swamp(swamp):
    """A repo in which nothing has run."""
    swamp.write("models/talk.yaml", "type: command/shell\nmethods: { say: { run: echo hello } }\n")
    for name, text in {"top": TOP, "mid": MID, "leaf": LEAF}.items():
        swamp.write(f"workflows/{name}.yaml", text)
    return swamp


def settled(swamp, decision="approve"):
    """Settle both gates, and do no more."""
    waits = swamp.here("workflow", "approvals", "--json").json["waits"]
    for wait in waits:
        swamp("workflow", decision, "leaf", "ask", "--run", wait["runId"])
    assert len(waits) == 2


def before(what, err):
    """What stands before each line that has this in it."""
    told = [line.partition(what)[0] for line in err.splitlines() if what in line]
    assert len(told) == 2, err
    return set(told)


def assert_told_apart(err, *told):
    """Of each of these, one line about each leaf; and the leaves themselves are those of the nested run between."""
    assert {what: before(what, err) for what in told} == dict.fromkeys(told, LEAVES)
    assert before("] succeeded after", err) == {"j/mid > j/leaf[eu", "j/mid > j/leaf[us"}


LAST = ("k/ask was approved by", "k/last started.", "k/last | hello", "k/last succeeded")


@pytest.mark.parametrize("what", ["top", "--all-ready"])
def test_a_tree_that_is_resumed_is_told_with_its_places(swamp, what):
    """`resume` of the outermost run, by name or with all that is ready, tells nested runs apart, output included."""
    assert before("k/ask waits for", swamp("workflow", "run", "top").err) == LEAVES
    settled(swamp)
    assert_told_apart(swamp("workflow", "resume", what, "--verbose").err, *LAST)


def test_a_tree_that_was_recovered_is_told_with_its_places(swamp):
    """After its driver was killed, `recover` and `resume` tell it as `run` would have."""
    swamp("workflow", "run", "top", code=-9, stop="put_if_absent:waits/*:2:after:kill")
    swamp("workflow", "recover", "top")
    swamp("workflow", "resume", "top", code=None)  # Refused if both gates had been opened.
    settled(swamp)
    assert_told_apart(swamp("workflow", "resume", "top", "-v").err, *LAST)


def test_a_process_that_stays_tells_a_tree_with_its_places(swamp):
    """`--wait` tells what its nested runs do after their gates as it told what they did before."""
    swamp("workflow", "run", "top")
    settled(swamp)
    assert_told_apart(swamp("workflow", "resume", "top", "--wait", "-v").err, *LAST)


def test_a_rejection_and_a_deadline_are_told_with_their_places(swamp):
    """What a resume finds rejected, or overdue, is told of the run that it is settled in."""
    swamp("workflow", "run", "top")
    settled(swamp, "reject")
    ended = swamp("workflow", "resume", "top", code=1)
    assert before("] failed after", ended.err) == {"j/mid > j/leaf[eu", "j/mid > j/leaf[us"}
    swamp("workflow", "run", "top")
    late = swamp("workflow", "resume", "top", code=1, clock_offset_s=600)
    assert before(" > k/ask failed", late.err) == {"j/mid > j/leaf[eu]", "j/mid > j/leaf[us]"}


def test_who_stays_with_a_tree_is_told_how_to_settle_what_its_nested_runs_wait_for(swamp):
    """The command of each nested gate is there while the process waits, and ends the waiting when it is pasted."""
    staying = swamp.start("workflow", "run", "top", "--wait")
    for _ in range(2):
        swamp.pasted(swamp.told(staying, "swamp workflow approve leaf"))
    swamp.finished(staying)
