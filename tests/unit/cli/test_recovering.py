"""`recover` of a tree that lost its driver, and of runs that have nothing to recover."""

import pytest
from swamp_core.run import events

from tests.unit.cli.stored import NOW
from tests.unit.cli.test_nested_drivers import begun, seen_after


@pytest.fixture
def lost(swamp):
    """A run and its nested run, whose driver was lost while a step of the nested one was running."""
    parent, child = begun(swamp)
    child.happened(events.StepStarted(at=NOW, job="in", step="deep"))
    seen_after(swamp, 100)
    return parent, child


def statuses(swamp):
    return {each["status"] for each in swamp("workflow", "history", "list", "--json").json["runs"]}


def test_one_command_recovers_a_tree(swamp, lost):
    """The refusal names the steps of nested runs, and the command for the whole tree; then it can be resumed."""
    parent, child = lost
    words = ("workflow", "recover", "outer", "--run", parent.run_id)
    refused = swamp(*words)
    assert refused.code == 3
    assert f"`deep` of job `in` in the run {child.run_id}." in refused.err
    assert refused.err.splitlines()[-1] == f"swamp {' '.join(words)} --acknowledge-unknown"
    assert statuses(swamp) == {"interrupted"}
    details = swamp(*words, "--json").json["error"]["details"]
    step = {"runId": child.run_id, "job": "in", "step": "deep"}
    assert details == {"runId": parent.run_id, "steps": [step]}
    recovered = swamp(*words, "--acknowledge-unknown")
    assert (recovered.code, statuses(swamp)) == (0, {"suspended"})
    assert recovered.out.splitlines()[-1] == f"swamp workflow resume {parent.run_id}"
    assert swamp("workflow", "resume", parent.run_id).code == 0
    assert statuses(swamp) == {"succeeded"}


def test_a_tree_of_which_nothing_was_running_is_recovered_at_once(swamp):
    """Nobody has to acknowledge anything, and no run of it is left without a driver."""
    parent, _child = begun(swamp)
    seen_after(swamp, 100)
    assert swamp("workflow", "recover", "outer", "--run", parent.run_id).code == 0
    assert statuses(swamp) == {"suspended"}


def test_a_nested_run_is_recovered_though_the_one_above_is_not(swamp, lost):
    """Who recovers the nested run alone is given the command for that one alone."""
    parent, child = lost
    words = ("workflow", "recover", "inner", "--run", child.run_id)
    assert swamp(*words).err.splitlines()[-1] == f"swamp {' '.join(words)} --acknowledge-unknown"
    assert swamp(*words, "--acknowledge-unknown").code == 0
    assert swamp("workflow", "recover", "outer", "--run", parent.run_id).code == 0


BAD = """
jobs:
  - name: j
    steps: [{ name: s, task: { type: assert, expr: '${{ false }}', message: No. } }]
"""


@pytest.mark.parametrize("ending", ["succeeded", "failed", "cancelled"])
def test_a_run_that_is_over_is_not_recovered(swamp, ending):
    """It is refused with its status, as it would be by `cancel`; a failed one is told how it is retried."""
    (swamp.directory / "workflows/bad.yaml").write_text(BAD)
    name = "bad" if ending == "failed" else "release"
    ran = swamp("workflow", "run", name, "--json").json
    if ending == "cancelled":
        swamp("workflow", "cancel", ran["run"]["id"])
    elif ending == "succeeded":
        wait_id = ran["waits"][0]["waitId"]
        swamp("workflow", "signal", wait_id, "--payload", '{"verdict":"ship"}', "--resume")
    refused = swamp("workflow", "recover", ran["run"]["id"], "--json")
    error = refused.json["error"]
    assert (refused.code, error["code"]) == (3, "already_ended")
    assert error["details"] == {"runId": ran["run"]["id"], "status": ending}
    assert error["message"].endswith(" There is nothing to recover.")
    retry = f"swamp workflow resume {name} --run {ran['run']['id']}"
    assert (retry in error["hint"].splitlines()) == (ending == "failed")


def next_of(swamp, run_id):
    """The sentence and the command at the end of a run's history."""
    return swamp("workflow", "history", "get", run_id).out.splitlines()[-2:]


def test_the_history_of_a_recovered_run_names_its_resume(swamp):
    """It waits for nothing, so no wait is listed anywhere: what goes on with it is the command."""
    parent, _child = begun(swamp)
    seen_after(swamp, 100)
    swamp("workflow", "recover", "outer", "--run", parent.run_id)
    resume = f"swamp workflow resume {parent.run_id}"
    assert next_of(swamp, parent.run_id) == ["It is ready to go on. Resume it with:", resume]


def test_the_history_of_an_expired_run_names_its_resume(swamp, open_wait):
    """An expired wait is no longer listed as one to be signalled: a resume times it out."""
    (run,) = swamp("workflow", "history", "list", "--json").json["runs"]
    assert next_of(swamp, run["id"])[0] == "See what it waits for with:"
    seen_after(swamp, 400 * 24 * 3600)
    assert next_of(swamp, run["id"])[1] == f"swamp workflow resume {run['id']}"
