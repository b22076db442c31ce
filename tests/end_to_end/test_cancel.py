"""A cancel ends a run from any process: no step is left waiting, no signal is taken after it, and none is lost."""

import os
import signal
from datetime import datetime

import pytest

from tests.end_to_end.releases import FIX, SHIP, WORKFLOW, of, statuses, steps_of

KEY = ("--idempotency-key", "build-7")
HOLDING = (
    WORKFLOW
    + """
  - name: notes
    steps: [{ name: notes, task: { type: model_method, modelIdOrName: release, methodName: hold } }]
"""
)


def test_a_cancel_leaves_no_step_waiting(suspended):
    """`cancel` of a suspended run ends it at once: nothing waits, nothing is done, and a later signal is `closed`."""
    result = suspended.swamp.json(
        "workflow", "cancel", "release", "--reason", "superseded by 2.1", user="mara"
    )
    run = result["run"]
    assert (run["status"], result["waits"], suspended.waits()) == ("cancelled", [], [])
    assert statuses(run) == {"review": "failed", "ship": "skipped", "escalate": "skipped"}
    assert steps_of(run)["review"]["error"]["code"] == "cancelled"
    history = suspended.history(run["id"])
    (request,) = [event for event in history["events"] if event["event"] == "cancel_requested"]
    assert (request["by"], request["reason"]) == ("mara", "superseded by 2.1")
    refused = suspended.signal(suspended.wait_id, code=3)
    assert (refused["code"], suspended.done()) == ("closed", {})


def test_a_signal_that_came_first_keeps_its_receipt(suspended):
    """A signal that was accepted before the cancel is taken up, nothing more is run, and repeats get its receipt."""
    receipt = suspended.signal(suspended.wait_id, SHIP, *KEY)["receipt"]
    run = suspended.swamp.json("workflow", "cancel", "release")["run"]
    assert (run["status"], statuses(run)["review"], suspended.done()) == ("cancelled", "succeeded", {})
    repeated = suspended.signal(suspended.wait_id, SHIP, *KEY)
    assert (repeated["status"], repeated["receipt"]) == ("repeated", receipt)
    refused = suspended.signal(suspended.wait_id, FIX, code=3)
    assert (refused["code"], refused["details"]["receipt"]) == ("already_settled", receipt)


def test_a_cancel_can_be_repeated_and_a_cancelled_run_not_resumed(suspended):
    """Cancelling again changes nothing and is no error; `resume` is refused with the status."""
    first = suspended.swamp.json("workflow", "cancel", "release")
    before = suspended.swamp.stored()
    assert suspended.swamp.json("workflow", "cancel", "release") == first
    refused = suspended.resume(code=3)
    assert (refused["code"], refused["details"]["status"]) == ("not_resumable", "cancelled")
    assert suspended.swamp.stored() == before


def test_a_run_that_succeeded_is_not_cancelled(suspended):
    """`cancel` after the end is refused, naming the status, and the run stays as it ended."""
    suspended.signal(suspended.wait_id, SHIP, "--resume")
    refused = suspended.swamp.json("workflow", "cancel", "release", code=3)["error"]
    assert (refused["code"], refused["details"]["status"]) == ("already_ended", "succeeded")


def test_a_cancel_reaches_a_driver_in_the_middle_of_a_step(release, held):
    """Another process's cancel is recorded at once, and ends a running step, cleans up, and ends the run in seconds."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    release.swamp.told(driver, "release/review waits for a signal.")
    step, wait_id = held.met(), release.wait()["waitId"]
    cancelled = release.swamp.json("workflow", "cancel", "release")
    assert cancelled["run"]["status"] == "running"
    driven = release.swamp.finished(driver, code=1)
    assert "The run of release was cancelled." in driven.out
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    history = release.history(cancelled["run"]["id"])
    assert statuses(history["run"]) == {
        "review": "failed",
        "ship": "skipped",
        "escalate": "succeeded",
        "notes": "failed",
    }
    requested, finished = (
        next(event["at"] for event in history["events"] if event["event"] == name)
        for name in ("cancel_requested", "run_finished")
    )
    assert (datetime.fromisoformat(finished) - datetime.fromisoformat(requested)).total_seconds() < 10
    assert (release.waits(), release.done()) == ([], {"escalate": 1})
    assert release.signal(wait_id, code=3)["code"] == "closed"


def test_a_signal_keeps_its_receipt_when_a_driver_is_cancelled(release, held):
    """A driver that is cancelled takes up the signal that came while it ran; `cancel --wait` tells of the end."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    release.swamp.told(driver, "release/review waits for a signal.")
    held.met()
    wait_id = release.wait()["waitId"]
    receipt = release.signal(wait_id, SHIP, *KEY)["receipt"]
    assert release.swamp.json("workflow", "cancel", "release", "--wait")["run"]["status"] == "cancelled"
    release.swamp.finished(driver, code=1)
    assert release.signal(wait_id, SHIP, *KEY)["receipt"] == receipt
    (run,) = [release.history(run["id"])["run"] for run in release.runs()]
    assert statuses(run)["review"] == "succeeded"
    assert release.done() == {}  # Nothing failed that somebody would have to be told of.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_cancels_the_run_that_a_process_drives(release, held, number):
    """An interrupted `run` ends its steps and the run, and exits with 130; no step is left waiting."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release", "--json")
    release.swamp.told(driver, "release/review waits for a signal.")
    step, wait_id = held.met(), release.wait()["waitId"]
    driver.send_signal(number)
    run = release.swamp.finished(driver, code=130).json["run"]
    assert (run["status"], statuses(run)["notes"]) == ("cancelled", "failed")
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    assert release.signal(wait_id, code=3)["code"] == "closed"


def test_a_run_whose_driver_is_gone_is_ended_by_who_cancels_it(release, held):
    """Nobody has to recover a run only to cancel it; the step that was running is not left open."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    release.swamp.told(driver, "release/review waits for a signal.")
    held.met()
    driver.kill()
    driver.wait()
    run = release.swamp.json("workflow", "cancel", "release")["run"]
    assert run["status"] == "cancelled"
    assert not {"waiting", "running", "pending", "unknown"} & set(statuses(run).values())
    assert of(release.history(run["id"])["events"])["run_finished"] == 1
