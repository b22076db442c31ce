"""A nested run that is over while a sibling is not: what is printed and answered is what makes their parent go on."""

import pytest

from tests.end_to_end.releases import Release
from tests.end_to_end.test_nested import COUNT, GATE, MODEL, WAIT, nesting, run_of

LEFT = f"""
jobs:
  - name: left
    steps:
      - {{ name: sign-off, {GATE} }}
      - {{ name: first, dependsOn: [sign-off], {COUNT} }}
"""
RIGHT = f"""
jobs:
  - name: right
    steps: [{{ name: ask, {WAIT} }}, {{ name: second, dependsOn: [ask], {COUNT} }}]
"""
SIBLINGS = {
    "release": f"""
jobs:
  - name: release
    steps:
      - {nesting("left")}
      - {nesting("right")}
""",
    "left": LEFT,
    "right": RIGHT,
}
GATED = {
    "release": f"""
jobs:
  - name: release
    steps:
      - {{ name: ship, {GATE} }}
      - {nesting("right")}
""",
    "right": RIGHT,
}


def begun(swamp, workflows):
    """A repo in which a run of `release` has been left as it waits."""
    swamp.write("models/release.yaml", MODEL)
    for name, text in workflows.items():
        swamp.write(f"workflows/{name}.yaml", text)
    return Release(swamp, swamp.json("workflow", "run", "release"))


@pytest.fixture
def siblings(swamp):
    """A run that waits for a nested run with a gate, and for another with a wait."""
    return begun(swamp, SIBLINGS)


def pasted(release, ended):
    """Paste each command that was printed, in order; none is refused."""
    return [release.swamp.pasted(command, code=0) for command in ended.commands]


def signal_of(release):
    """The command that settles the only open wait, as a process in the repo prints it."""
    return release.swamp.json("workflow", "waits")["waits"][0]["nextCommand"]


def settled_left(release):
    release.swamp("workflow", "approve", "left", "sign-off")


@pytest.mark.parametrize(
    "words",
    [
        ("workflow", "approve", "left", "sign-off", "--resume"),
        ("workflow", "approve", "left", "sign-off"),
        ("workflow", "reject", "left", "sign-off"),
        ("workflow", "cancel", "left"),
    ],
)
def test_what_is_printed_of_a_nested_run_goes_round_its_sibling_that_waits(siblings, words):
    """The sibling's signal comes before the parent's resume, so all that is printed can be pasted in order."""
    told = siblings.swamp(*words, code=None)
    printed = told.commands
    parent = f"swamp workflow resume {siblings.run_id}"
    (signal,) = [command for command in printed if " signal " in command]
    assert printed.index(signal) < printed.index(parent), told.out
    for command in printed:
        siblings.swamp.pasted(command, code=None if command == parent else 0)
    assert run_of(siblings, "release")["status"] in ("succeeded", "failed")


def test_a_resume_of_a_nested_run_tells_what_else_holds_its_parent_up(siblings):
    """In the answer and as text; a resume of the parent would be refused, so it is not the next thing to do."""
    settled_left(siblings)
    answer = siblings.swamp.json("workflow", "resume", "left")
    parent = answer["parent"]
    assert (answer["run"]["status"], parent["runId"], parent["status"]) == (
        "succeeded",
        siblings.run_id,
        "suspended",
    )
    assert not parent["awaitingResume"]
    assert parent["nextCommands"] == [signal_of(siblings)]


def test_a_parent_that_nothing_else_holds_up_is_named_as_ready(siblings):
    """When the sibling is over too, the parent's resume is all that is left."""
    siblings.signal(siblings.wait()["waitId"], "{}")
    siblings.swamp.json("workflow", "resume", "right")
    settled_left(siblings)
    parent = siblings.swamp.json("workflow", "resume", "left")["parent"]
    assert parent["awaitingResume"]
    assert parent["nextCommands"] == [f"swamp workflow resume {siblings.run_id}"]
    siblings.swamp.pasted(parent["nextCommands"][0])
    assert run_of(siblings, "release")["status"] == "succeeded"


def test_a_signal_that_resumes_says_what_else_holds_the_parent_up(siblings):
    """`signal --resume` stops below a parent that cannot go on, tries nothing in vain, and tells why."""
    wait_id = siblings.wait()["waitId"]
    told = siblings.swamp("workflow", "signal", wait_id, "--payload", "{}", "--resume")
    assert "was not resumed" not in told.err
    approve = [command for command in told.commands if " approve " in command]
    assert len(approve) == 1, told.out
    pasted(siblings, told)
    assert run_of(siblings, "release")["status"] == "succeeded"


def test_a_signal_that_resumes_answers_with_the_parent_as_it_stands(siblings):
    """As JSON: the run that was resumed, and the run that it is nested in."""
    answer = siblings.signal(siblings.wait()["waitId"], "{}", "--resume")
    assert (answer["run"]["workflow"], answer["parent"]["runId"]) == ("right", siblings.run_id)
    assert not answer["parent"]["awaitingResume"]


def test_an_approval_tells_what_the_nested_runs_wait_for(swamp):
    """The run of the gate waits for a signal below it, so it is not told that nothing is waited for."""
    release = begun(swamp, GATED)
    told = swamp("workflow", "approve", "release", "ship")
    assert "Nothing is waited for" not in told.out
    pasted(release, told)
    assert run_of(release, "release")["status"] == "succeeded"


def test_a_refused_retry_below_a_parent_that_is_held_up_names_what_holds_it_up(siblings):
    """The outermost run cannot be resumed yet: what is printed is the sibling's signal."""
    siblings.swamp("workflow", "reject", "left", "sign-off", code=None)
    refused = siblings.swamp("workflow", "resume", run_of(siblings, "left")["id"], code=3)
    assert refused.commands == [signal_of(siblings)], refused.err
    pasted(siblings, refused)


def test_a_refused_delete_below_a_parent_that_is_not_over_can_be_pasted(siblings):
    """A nested run goes with its root, which is cancelled first while it is not over."""
    siblings.swamp("workflow", "cancel", "left")
    refused = siblings.swamp("run", "delete", run_of(siblings, "left")["id"], code=3)
    assert refused.commands == [f"swamp run delete {siblings.run_id} --force"]
    pasted(siblings, refused)
    assert siblings.runs() == []


def test_a_nested_run_whose_parent_is_ready_is_resumed_with_it(siblings):
    """The history names one command for both: after that of the parent, one for the nested run would be refused."""
    settled_left(siblings)
    told = siblings.swamp("workflow", "history", "list")
    assert told.commands == [f"swamp workflow resume {siblings.run_id}"], told.out
    pasted(siblings, told)


def test_a_watcher_is_told_what_the_nested_runs_wait_for(siblings):
    """Who watches a run that waits for nested runs is shown what is to be done in these, and it can be pasted."""
    watcher = siblings.swamp.start("workflow", "watch", "release")
    for words in (" approve ", " signal ", " resume "):
        siblings.swamp.pasted(siblings.swamp.told(watcher, f"swamp workflow{words}"))
    assert "The run of release succeeded." in siblings.swamp.finished(watcher).out


def test_a_watched_run_shows_no_wait_that_has_its_signal(siblings):
    """A wait that was signalled since the run was suspended is not told as open: its command would be refused."""
    siblings.signal(siblings.wait()["waitId"], "{}")
    told = siblings.swamp("workflow", "watch", "release", "--until", "suspended")
    assert not [command for command in told.commands if " signal " in command], told.out
    pasted(siblings, told)
