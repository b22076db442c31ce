"""`--wait`: a process stays with its run, tells what to do meanwhile, and goes on by itself."""

import signal

import pytest

from tests.end_to_end.releases import SHIP, WORKFLOW

TWICE = """
jobs:
  - name: release
    steps:
      - { name: first, task: { type: wait_for_signal, timeout: 24h } }
      - { name: second, dependsOn: [first], task: { type: wait_for_signal, timeout: 24h } }
      - name: ship
        dependsOn: [second]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""


@pytest.mark.parametrize("command", ["run", "resume"])
def test_a_process_that_stays_goes_on_by_itself(release, command):
    """With `--wait` the run goes on as soon as its signal is there, through as many waits as it has."""
    release.swamp.write("workflows/release.yaml", TWICE)
    if command == "resume":
        release.run()
    staying = release.swamp.start("workflow", command, "release", "--wait", "--json", ids=7)
    for step in ("first", "second"):
        told = release.swamp.told(staying, "swamp workflow signal ")
        assert release.wait()["step"] == step
        release.swamp.pasted(told)
    assert release.swamp.finished(staying).json["run"]["status"] == "succeeded"
    assert release.done() == {"ship": 1}


def test_a_process_that_stays_leaves_a_run_to_who_resumes_it_first(release):
    """A process that stays holds nothing: another one may resume the run, and what became of it is told."""
    staying = release.swamp.start(
        "workflow", "run", "release", "--wait", "--json", stop="put_if_absent:runs/*:5:before:pause"
    )
    wait_command = release.swamp.told(staying, "swamp workflow signal ")
    release.swamp.pasted(wait_command)
    release.swamp.stopped(staying)  # It has seen the signal and is about to resume.
    assert release.resume()["run"]["status"] == "succeeded"
    staying.send_signal(signal.SIGCONT)
    assert release.swamp.finished(staying).json["run"]["status"] == "succeeded"
    assert release.done() == {"ship": 1}


def test_a_process_that_stays_sees_its_run_cancelled(release):
    """A cancel from elsewhere ends the stay, with the exit code of a run that was cancelled."""
    staying = release.swamp.start("workflow", "run", "release", "--wait", "--json")
    release.swamp.told(staying, "swamp workflow signal ")
    release.swamp("workflow", "cancel", "release")
    assert release.swamp.finished(staying, code=1).json["run"]["status"] == "cancelled"


def test_an_interrupt_ends_the_stay_and_not_the_run(release):
    """Who leaves a suspended run that it stayed with leaves it suspended: it is signalled and resumed as any other."""
    staying = release.swamp.start("workflow", "run", "release", "--wait", "--json")
    release.swamp.told(staying, "swamp workflow signal ")
    staying.send_signal(signal.SIGINT)
    run = release.swamp.finished(staying, code=130).json["run"]
    assert (run["status"], release.history(run["id"])["run"]["status"]) == ("suspended", "suspended")
    release.signal(release.wait()["waitId"], SHIP, "--resume")
    assert release.done() == {"ship": 1}


def test_a_failure_that_is_not_allowed_is_the_exit_code_of_the_stay(release):
    """`--wait` ends with 1 when the run failed."""
    release.swamp.write(
        "workflows/release.yaml",
        WORKFLOW.replace("24h", "1s").replace("allowFailure: true", "allowFailure: false"),
    )
    assert release.run("--wait", code=1)["run"]["status"] == "failed"
