"""A suspended run whose nested run is driven, or has lost its driver: what comes before its resume is named."""

from dataclasses import replace
from datetime import timedelta

import pytest
from swamp_core.run import events
from swamp_core.testing.clock import FixedClock

from tests.unit.cli.stored import NOW, StoredRun, calling, workflow

INNER = workflow("inner", {"name": "in", "steps": [calling("deep")]})
NEST = {"name": "nest", "task": {"type": "workflow", "workflowIdOrName": "inner"}}


def begun(swamp):
    """A run, and one that is the work of its step."""
    parent = StoredRun(swamp, workflow("outer", {"name": "out", "steps": [NEST]}), workflows={"inner": INNER})
    above = events.Parent(run_id=parent.run_id, workflow="outer", mark=1, job="out", step="nest")
    child = StoredRun(swamp, INNER, parent=above, seed=2)
    planned = {"child_run_id": child.run_id, "workflow": "inner", "inputs": {}}
    parent.happened(events.ChildPlanned(at=NOW, job="out", step="nest", **planned))
    return parent, child


def seen_after(swamp, seconds):
    """Look from another host, so much later."""
    clock = FixedClock(NOW + timedelta(seconds=seconds))
    swamp.ambient = replace(swamp.ambient, host="build-2", clock=clock)


@pytest.mark.parametrize(
    ("after_s", "status", "command"),
    [(0, "running", "watch {}"), (100, "interrupted", "recover inner --run {}")],
)
def test_what_comes_before_the_resume_is_named_first(swamp, after_s, status, command):
    """A run is not told to wait for nothing while its nested run is driven, or is to be recovered."""
    parent, child = begun(swamp)
    child.happened(events.StepStarted(at=NOW, job="in", step="deep"))
    parent.happened(events.RunSuspended(at=NOW))
    seen_after(swamp, after_s)
    words = ("workflow", "watch", parent.run_id, "--until", "suspended")
    told = [line for line in swamp(*words).out.splitlines() if line.startswith("swamp ")]
    first = f"swamp workflow {command.format(child.run_id)}"
    assert told == [first, f"swamp workflow resume {parent.run_id}"]
    (nested,) = swamp(*words, "--json").json["nested"]
    assert (nested["runId"], nested["status"], nested["nextCommands"]) == (child.run_id, status, [first])
    assert not nested["awaitingResume"]


@pytest.mark.parametrize(
    ("after_s", "status", "said"),
    [(0, "running", "takes this up by itself"), (100, "interrupted", "has lost its driver")],
)
def test_a_parent_that_is_driven_or_lost_is_not_to_be_resumed(swamp, after_s, status, said):
    """After a nested run is over, a parent that is not suspended is followed or recovered: a resume is refused."""
    parent, child = begun(swamp)
    child.happened(events.RunSuspended(at=NOW))
    seen_after(swamp, after_s)
    told = swamp("workflow", "cancel", child.run_id)
    assert said in told.out
    assert f"swamp workflow resume {parent.run_id}" not in told.out
    again = swamp("workflow", "cancel", child.run_id, "--json").json["parent"]
    assert (again["runId"], again["status"], again["awaitingResume"]) == (parent.run_id, status, False)
