"""`history logs`: what steps printed can be read afterwards, of each step and of all, whichever way they ended."""

import pytest
from swamp_core.run import events
from swamp_core.run.events import Item

from tests.unit.cli.stored import NOW, StoredRun, calling, workflow

ERROR = events.StepError(code="command_failed", message="It failed.")
CHILD = "019fa372-3a00-7000-8000-000000090002"


def started(job, step):
    return events.StepStarted(at=NOW, job=job, step=step)


@pytest.fixture
def printed(swamp):
    """A run of which a step succeeded, one failed, one has items, one is a nested run, and one printed nothing."""
    nested = {"name": "nest", "task": {"type": "workflow", "workflowIdOrName": "inner"}}
    steps = [
        calling("one"),
        calling("two", dependsOn=["one"]),
        calling("each", forEach={"item": "n", "in": [1, 2]}),
        calling("still"),
        nested,
    ]
    inner = workflow("inner", {"name": "a", "steps": [calling("b")]})
    run = StoredRun(
        swamp,
        workflow("w", {"name": "a", "steps": steps}, {"name": "b", "steps": [calling("one")]}),
        workflows={"inner": inner},
    )
    return run.happened(
        events.StepExpanded(
            at=NOW, job="a", step="each", items=[Item(name=f"each[{n}]", value=n) for n in (1, 2)]
        ),
        started("a", "one"),
        events.StepSucceeded(
            at=NOW, job="a", step="one", outputs={"stdout": "hello\n\tworld\n", "stderr": ""}
        ),
        started("a", "two"),
        events.StepFailed(
            at=NOW, job="a", step="two", error=ERROR, outputs={"stdout": "so far\n", "stderr": "\x1b[2Jbad"}
        ),
        started("a", "each[2]"),
        events.StepSucceeded(at=NOW, job="a", step="each[2]", outputs={"stdout": "item\n", "stderr": ""}),
        started("a", "still"),
        events.StepSucceeded(at=NOW, job="a", step="still", outputs={"stdout": "", "stderr": ""}),
        events.ChildPlanned(at=NOW, job="a", step="nest", child_run_id=CHILD, workflow="inner", inputs={}),
    )


ALL = """\
a/one, stdout:
hello
        world

a/two, stdout:
so far

a/two, stderr:
\\x1b[2Jbad

a/each[2], stdout:
item

a/nest is a run of its own. See what that printed with:
swamp workflow history logs {child}
"""


def test_all_logs_stand_in_order_under_headings(swamp, printed):
    """Each step that printed something is told, failed or not; a nested run is named with the command for it."""
    assert swamp("workflow", "history", "logs", printed.run_id).out == ALL.format(child=CHILD)


def test_the_log_of_one_step_stands_alone(swamp, printed):
    """With one log there is no heading: what is printed is what the step printed."""
    assert swamp("workflow", "history", "logs", printed.run_id, "a/one").out == "hello\n        world\n"
    assert swamp("workflow", "history", "logs", printed.run_id, "each[2]").out == "item\n"
    assert swamp("workflow", "history", "logs", printed.run_id, "each").out == "item\n"
    assert swamp("workflow", "history", "logs", printed.run_id, "still").out == "Nothing was printed.\n"


def test_json_has_the_logs_of_this_run(swamp, printed):
    """`--json` gives both streams of each step, whole, and the IDs of the nested runs."""
    shown = swamp("workflow", "history", "logs", printed.run_id, "--json").json
    assert [(log["job"], log["step"]) for log in shown["logs"]] == [
        ("a", "one"),
        ("a", "two"),
        ("a", "each[2]"),
    ]
    assert shown["logs"][1] == {
        "job": "a",
        "step": "two",
        "stdout": "so far\n",
        "stderr": "\x1b[2Jbad",
        "traceback": "",
    }
    assert shown["nested"] == [{"job": "a", "step": "nest", "runId": CHILD}]


@pytest.mark.parametrize(("step", "code"), [("on", "unknown_step"), ("one", "ambiguous_step")])
def test_a_step_that_is_not_clear_is_refused(swamp, printed, step, code):
    """A name that no step has, or that steps of several jobs have, is refused with what to type instead."""
    answer = swamp("workflow", "history", "logs", printed.run_id, step, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (3, code)
    if code == "ambiguous_step":
        assert f"swamp workflow history logs {printed.run_id} a/one" in answer.json["error"]["hint"]
    else:
        assert "did you mean `one`" in answer.json["error"]["message"]
