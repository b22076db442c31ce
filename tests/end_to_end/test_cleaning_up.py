"""A run that is cancelled while a step runs still cleans up after it; one that is rejected runs nothing more."""

import os
import signal

import pytest

from tests.end_to_end.releases import of, statuses, steps_of

COUNT = "task: { type: model_method, modelIdOrName: release, methodName: count }"
STEPS = ("always", "failed", "completed", "succeeded", "unless", "plain")
WORKFLOW = f"""
jobs:
  - name: release
    steps:
      - {{ name: work, task: {{ type: model_method, modelIdOrName: release, methodName: hold }} }}
      - {{ name: always, dependsOn: [{{ step: work, condition: {{ type: always }} }}], {COUNT} }}
      - {{ name: failed, dependsOn: [{{ step: work, condition: {{ type: failed }} }}], {COUNT} }}
      - {{ name: completed, dependsOn: [{{ step: work, condition: {{ type: completed }} }}], {COUNT} }}
      - {{ name: succeeded, dependsOn: [{{ step: work, condition: {{ type: succeeded }} }}], {COUNT} }}
      - name: unless
        dependsOn: [{{ step: work, condition: {{ type: not, condition: {{ type: succeeded }} }} }}]
        {COUNT}
      - {{ name: plain, dependsOn: [work], {COUNT} }}
      - {{ name: last, dependsOn: [{{ step: failed, condition: {{ type: always }} }}], {COUNT} }}
  - name: tidy
    dependsOn: [{{ job: release, condition: {{ type: always }} }}]
    steps: [{{ name: tidy, {COUNT} }}]
  - name: publish
    dependsOn: [release]
    steps: [{{ name: publish, {COUNT} }}]
"""
WAIT = "type: wait_for_signal, timeout: 1h"
CLEANED = dict.fromkeys(("always", "failed", "completed", "unless", "last"), 1)


def begun(release, held, workflow=WORKFLOW):
    """A driver whose step `work` runs."""
    release.swamp.write("workflows/release.yaml", workflow)
    driver = release.swamp.start("workflow", "run", "release", "--json")
    return driver, held.met()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_runs_what_cleans_up_and_nothing_else(release, held, number):
    """What is there for a failure runs once, what needs a success is skipped, and the run is cancelled."""
    driver, step = begun(release, held)
    driver.send_signal(number)
    run = release.swamp.finished(driver, code=130).json["run"]
    assert (run["status"], steps_of(run)["work"]["error"]["code"]) == ("cancelled", "cancelled")
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    done = release.done()
    assert {name: done.get(name) for name in CLEANED} == CLEANED
    assert not {"work", "succeeded", "plain", "publish"} & set(done)
    skipped = {name for name, status in statuses(run).items() if status == "skipped"}
    assert {"succeeded", "plain", "publish"} <= skipped
    assert done["tidy"] == 1
    assert of(release.history(run["id"])["events"])["run_finished"] == 1


def test_a_cancel_from_elsewhere_runs_what_cleans_up(release, held):
    """A cancel by another process is no different from an interrupt."""
    driver, _ = begun(release, held)
    cancelled = release.swamp.json("workflow", "cancel", "release", "--wait")["run"]
    release.swamp.finished(driver, code=1)
    assert (cancelled["status"], release.done()) == ("cancelled", {**CLEANED, "tidy": 1})


def test_a_cancel_of_a_run_without_a_driver_names_what_it_left_out(release):
    """A suspended run is ended by whoever cancels, who runs none of its steps, but says which would have cleaned up."""
    waiting = WORKFLOW.replace("type: model_method, modelIdOrName: release, methodName: hold", WAIT)
    release.swamp.write("workflows/release.yaml", waiting)
    release.swamp("workflow", "run", "release")
    told = release.swamp("workflow", "cancel", "release").out
    assert told.rpartition("cleaned up was skipped: ")[2] == (
        "release/always, release/failed, release/completed, release/unless, release/last, tidy/tidy.\n"
    )
    assert release.done() == {}
    assert "skipped:" not in release.swamp("workflow", "cancel", "release").out


def test_a_cancel_of_a_run_with_no_clean_up_says_nothing_of_it(release):
    """Steps that only follow a success are not missed."""
    plain = f"""
jobs:
  - name: release
    steps:
      - {{ name: work, task: {{ {WAIT} }} }}
      - {{ name: plain, dependsOn: [work], {COUNT} }}
"""
    release.swamp.write("workflows/release.yaml", plain)
    release.swamp("workflow", "run", "release")
    assert "cleaned up" not in release.swamp("workflow", "cancel", "release").out


def test_what_a_wait_leaves_is_cleaned_up_as_well(release, held):
    """The wait that a cancel gives up has failed: what is there for its failure runs, and no other wait is opened."""
    waiting = """
  - name: ask
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 1h } }
      - name: excuse
        dependsOn: [{ step: review, condition: { type: failed } }]
        task: { type: model_method, modelIdOrName: release, methodName: count }
      - name: once-more
        dependsOn: [{ step: review, condition: { type: failed } }]
        task: { type: wait_for_signal, timeout: 1h }
"""
    driver, _ = begun(release, held, WORKFLOW + waiting)
    release.swamp.told(driver, "ask/review waits for a signal.")
    wait_id = release.wait()["waitId"]
    driver.send_signal(signal.SIGINT)
    run = release.swamp.finished(driver, code=130).json["run"]
    assert steps_of(run)["review"]["error"]["code"] == "cancelled"
    assert (release.done()["excuse"], statuses(run)["once-more"]) == (1, "skipped")
    assert (release.waits(), release.signal(wait_id, code=3)["code"]) == ([], "closed")


def test_an_interrupt_ends_a_nested_run_and_lets_both_clean_up(release, held):
    """The nested run that works is cancelled and cleans up, and so does the one that it is nested in."""
    release.swamp.write("workflows/below.yaml", WORKFLOW)
    nested = f"""
jobs:
  - name: above
    steps:
      - {{ name: below, task: {{ type: workflow, workflowIdOrName: below }} }}
      - {{ name: excuse, dependsOn: [{{ step: below, condition: {{ type: failed }} }}], {COUNT} }}
      - {{ name: go-on, dependsOn: [below], {COUNT} }}
"""
    driver, _ = begun(release, held, nested)
    driver.send_signal(signal.SIGINT)
    run = release.swamp.finished(driver, code=130).json["run"]
    assert {each["status"] for each in release.runs()} == {"cancelled"}
    assert steps_of(run)["below"]["error"]["code"] == "nested_run_failed"
    assert release.done() == {**CLEANED, "tidy": 1, "excuse": 1}


def test_a_rejection_runs_nothing_more(release, held):
    """A rejection beside a running step ends it, and not even what is there for a failure runs."""
    gated = """
  - name: gate
    steps:
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?" } }
      - name: excuse
        dependsOn: [{ step: sign-off, condition: { type: failed } }]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
    driver, step = begun(release, held, WORKFLOW + gated)
    release.swamp.told(driver, "gate/sign-off waits for an approval.")
    release.swamp.json("workflow", "reject", "release", "sign-off")
    run = release.swamp.finished(driver, code=1).json["run"]
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    assert (run["status"], release.done()) == ("failed", {})
    assert not {"waiting", "running", "pending"} & set(statuses(run).values())
