"""A new run and somebody who approves an earlier one, at the same moment: one of them has it, and is told so."""

import signal

from tests.end_to_end.releases import Release, statuses

ONE = """
jobs:
  - name: release
    steps:
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?" } }
      - name: ship
        dependsOn: [sign-off]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
TWO = f"""{ONE}
      - {{ name: legal, task: {{ type: manual_approval, prompt: "Is it legal?" }} }}
"""
OUTCOME = "put_if_absent:wait-outcomes/*:1"


def begun(release, workflow):
    """A repo in which a run of the workflow waits for approvals."""
    release.swamp.write("workflows/release.yaml", workflow)
    return Release(release.swamp, release.run())


def stopped_run(earlier, stop):
    """A new run of the workflow that has stopped while it supersedes the earlier one."""
    process = earlier.swamp.start("workflow", "run", "release", "--json", stop=f"{stop}:pause")
    earlier.swamp.stopped(process)
    return process


def gone_on(earlier, process):
    """What that new run says in the end."""
    process.send_signal(signal.SIGCONT)
    return earlier.swamp.finished(process).json


def approve(earlier, step="sign-off", **world):
    return earlier.swamp.json("workflow", "approve", "release", step, "--run", earlier.run_id, **world)


def test_an_approval_in_the_middle_of_a_supersede_keeps_its_run(release):
    """The new run has seen the gate undecided; then it is approved, and the earlier run goes on."""
    earlier = begun(release, ONE)
    process = stopped_run(earlier, f"{OUTCOME}:before")
    approve(earlier)
    ran = gone_on(earlier, process)
    assert (ran["superseded"], [each["runId"] for each in ran["kept"]]) == ([], [earlier.run_id])
    assert "decided" in ran["kept"][0]["reason"]
    resumed = earlier.swamp.json("workflow", "resume", earlier.run_id)
    assert (resumed["run"]["status"], earlier.done()) == ("succeeded", {"ship": 1})


def test_an_approval_that_comes_after_a_supersede_began_is_refused(release):
    """Once the new run has closed the gate nobody is told that they approved it, and the earlier run is cancelled."""
    earlier = begun(release, ONE)
    process = stopped_run(earlier, f"put_if_absent:runs/{earlier.run_id}/*:1:before")
    assert approve(earlier, code=3)["error"]["code"] == "closed"
    assert gone_on(earlier, process)["superseded"] == [earlier.run_id]
    assert earlier.history(earlier.run_id)["run"]["status"] == "cancelled"


def test_a_gate_that_was_closed_beside_one_that_was_approved_is_asked_again(release):
    """Of two gates the new run closes one and loses the other: that approval holds, and the closed gate opens anew."""
    earlier = begun(release, TWO)
    legal = next(wait["waitId"] for wait in earlier.ran["waits"] if wait["step"] == "legal")
    process = stopped_run(earlier, f"put_if_absent:wait-outcomes/{legal}:1:before")
    approve(earlier, "legal")
    ran = gone_on(earlier, process)
    assert (ran["superseded"], [each["runId"] for each in ran["kept"]]) == ([], [earlier.run_id])
    assert approve(earlier, earlier.wait_id, code=3)["error"]["code"] == "closed"
    again = earlier.swamp.json("workflow", "resume", earlier.run_id)
    assert [wait["step"] for wait in again["waits"]] == ["sign-off"]
    assert "the gate is asked again" in earlier.swamp("workflow", "history", "get", earlier.run_id).out
    approve(earlier)
    resumed = earlier.swamp.json("workflow", "resume", earlier.run_id)["run"]
    assert statuses(resumed) == {"sign-off": "succeeded", "ship": "succeeded", "legal": "succeeded"}


def test_a_supersede_that_was_cut_off_is_completed_by_the_next_run(release):
    """The gate is closed and nothing else was done: another new run takes the place of the earlier one after all."""
    earlier = begun(release, ONE)
    earlier.swamp("workflow", "run", "release", stop=f"{OUTCOME}:after:kill", code=-9)
    ran = release.run()
    assert earlier.run_id in ran["superseded"]
