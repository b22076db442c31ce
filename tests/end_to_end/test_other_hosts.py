"""A run belongs to no host: it goes on from another working copy, and a driver that was given up does no more harm."""

import os
import shutil
import signal

import pytest

from tests.end_to_end.releases import SHIP, Release, of, statuses, steps_of

COMPILED = """
jobs:
  - name: build
    steps: [{ name: compile, task: { type: model_method, modelIdOrName: release, methodName: count } }]
"""
HELD = COMPILED.replace("methodName: count", "methodName: hold")
# The entries of a run of `COMPILED`: 1 it started, 2 the step started, 3 it succeeded, 4 the run ended.
AN_HOUR_S = 3600  # Much longer than the lease of a driver.
BUILDER = {"host": "builder", "pid": 4711}


@pytest.fixture
def shared(command_line, tmp_path):
    """The options that name a datastore of its own, outside any working copy."""
    return ("--datastore", command_line(tmp_path / "shared").place.url)


def working_copy(swamp, directory):
    """A working copy in which there is neither a workflow nor a model, of a user with another home."""
    (directory / "home").mkdir(parents=True)
    return Release(swamp.at(directory, HOME=str(directory / "home"), SWAMP_DATASTORE=None))


def test_a_run_goes_on_from_a_working_copy_without_its_workflow(release, shared, tmp_path):
    """Signal, resume and all else need the datastore and nothing more: the definition is pinned in the run."""
    ran = release.run(*shared, host="builder")
    shutil.rmtree(release.directory)
    other = working_copy(release.swamp, tmp_path / "elsewhere" / "copy")
    wait = other.swamp.json("workflow", "waits", *shared, host="laptop")["waits"][0]
    assert {name: wait[name] for name in wait if name != "nextCommand"} == {
        name: value for name, value in ran["waits"][0].items() if name != "nextCommand"
    }
    other.signal(wait["waitId"], SHIP, *shared, host="laptop")
    run = other.resume(*shared, host="laptop")["run"]
    assert (run["id"], run["status"]) == (ran["run"]["id"], "succeeded")
    assert statuses(run) == {"review": "succeeded", "ship": "succeeded", "escalate": "skipped"}
    assert other.done() == {"ship": 1}


def test_the_whole_loop_by_pasting_works_from_elsewhere(release, shared, tmp_path):
    """The commands that are printed carry the datastore, so whoever pastes them elsewhere reaches the same run."""
    ran = release.swamp("workflow", "run", "release", *shared)
    other = working_copy(release.swamp, tmp_path / "elsewhere")
    for command in ran.commands:
        other.swamp.pasted(command)
    assert other.done() == {"ship": 1}


def test_a_changed_workflow_changes_new_runs_only(suspended):
    """Editing, or breaking, the files of a workflow does not reach a run that has started."""
    suspended.swamp.write("workflows/release.yaml", "jobs: 7\n")
    suspended.swamp.write("models/release.yaml", "methods: []\n")
    suspended.signal(suspended.wait_id)
    assert suspended.resume()["run"]["status"] == "succeeded"
    assert suspended.done() == {"ship": 1}


def test_a_step_runs_in_the_directory_of_who_drives(release, shared, tmp_path):
    """The steps of a resumed run see the working copy of the process that resumed it."""
    seen = '"$PWD" "$SWAMP_REPO_DIR"'
    release.swamp.write(
        "models/release.yaml",
        f'type: command/shell\nmethods: {{ count: {{ run: \'printf "%s\\n" {seen} > "$SWAMP_STEP"\' }} }}\n',
    )
    wait_id = release.run(*shared)["waits"][0]["waitId"]
    other = working_copy(release.swamp, tmp_path / "elsewhere")
    other.signal(wait_id, SHIP, "--resume", *shared)
    assert (other.directory / "ship").read_text().splitlines() == [str(other.directory)] * 2


def test_a_run_that_another_host_drives_is_left_to_it(release, held):
    """While another host's driver shows itself, nobody resumes or recovers its run; both say who drives."""
    release.swamp.write("workflows/release.yaml", HELD)
    driver = release.swamp.start("workflow", "run", "release", "--json", **BUILDER)
    held.met()
    (run,) = release.runs()
    assert run["status"] == "running"
    errors = [
        release.resume(code=3),
        release.swamp.json("workflow", "recover", "release", "--run", run["id"], code=3)["error"],
    ]
    assert [error["code"] for error in errors] == ["already_resumed", "run_active"]
    assert all("process 4711 on builder" in error["message"] for error in errors)
    assert errors[0]["details"]["owner"] == BUILDER
    held.goes_on()
    assert release.swamp.finished(driver).json["run"]["status"] == "succeeded"
    assert release.done() == {"compile": 1}


def test_a_driver_that_was_stopped_before_its_step_does_not_run_it(release):
    """A driver is stopped before it starts a step, and the run ends elsewhere: it starts nothing and says why."""
    release.swamp.write("workflows/release.yaml", COMPILED)
    driver = release.swamp.start(
        "workflow", "run", "release", "--json", stop="put_if_absent:runs/*:2:before:pause", **BUILDER
    )
    release.swamp.stopped(driver)
    run_id = release.runs()[0]["id"]
    later = {"host": "laptop", "clock_offset_s": AN_HOUR_S}
    assert release.history(run_id, **later)["run"]["status"] == "interrupted"
    assert release.resume(code=3, **later)["code"] == "not_resumable"
    release.swamp("workflow", "recover", "release", "--run", run_id, **later)
    assert release.resume(**later)["run"]["status"] == "succeeded"
    before = release.swamp.stored()
    driver.send_signal(signal.SIGCONT)
    error = release.swamp.finished(driver, code=1).json["error"]
    assert (error["code"], error["details"]) == ("driver_replaced", {"runId": run_id})
    assert "Another process has gone on with the run" in error["message"]
    assert error["hint"].splitlines()[-1] == f"swamp workflow history get {run_id}"
    assert (release.done(), release.swamp.stored()) == ({"compile": 1}, before)


@pytest.mark.parametrize("number", [3, 4])
def test_a_driver_that_was_stopped_with_a_fact_in_hand_adds_nothing(release, number):
    """A driver is stopped when it is about to write what a step did, or the end; the run ends elsewhere, once."""
    release.swamp.write("workflows/release.yaml", COMPILED)
    driver = release.swamp.start(
        "workflow",
        "run",
        "release",
        "--json",
        stop=f"put_if_absent:runs/*:{number}:before:pause",
        **BUILDER,
    )
    release.swamp.stopped(driver)
    run_id = release.runs()[0]["id"]
    later = {"host": "laptop", "clock_offset_s": AN_HOUR_S}
    asked = release.swamp("workflow", "recover", "release", "--run", run_id, code=None, **later)
    unknown = (
        number == 3
    )  # Nobody knows of the step that it has ended; it is run again on somebody's word only.
    assert asked.code == (3 if unknown else 0)
    if unknown:
        assert release.done() == {"compile": 1}
        asked = release.swamp.pasted(asked.commands[-1], **later)
    release.swamp.pasted(asked.commands[-1], **later)
    driver.send_signal(signal.SIGCONT)
    assert release.swamp.finished(driver, code=1).json["error"]["code"] == "driver_replaced"
    history = release.history(run_id)
    assert (history["run"]["status"], of(history["events"])["run_finished"]) == ("succeeded", 1)
    assert of(history["events"])["step_succeeded"] == 1
    assert release.done() == {"compile": 2 if unknown else 1}


def test_a_driver_that_comes_back_ends_its_steps(release, held):
    """A driver is stopped in the middle of a step, and its run is ended elsewhere: it kills the step and says why."""
    release.swamp.write("workflows/release.yaml", HELD)
    driver = release.swamp.start("workflow", "run", "release", "--json", **BUILDER)
    step = held.met()
    run_id = release.runs()[0]["id"]
    driver.send_signal(signal.SIGSTOP)
    release.swamp.stopped(driver)
    later = {"host": "laptop", "clock_offset_s": AN_HOUR_S}
    ended = release.swamp.json("workflow", "cancel", "release", **later)["run"]
    assert (ended["status"], statuses(ended)) == ("cancelled", {"compile": "failed"})
    driver.send_signal(signal.SIGCONT)
    assert release.swamp.finished(driver, code=1).json["error"]["code"] == "driver_replaced"
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    assert (release.history(run_id)["run"], release.done()) == (ended, {})


def test_a_wait_that_a_stopped_driver_opens_late_is_no_wait(release):
    """A driver is stopped before it registers its wait, and the run is cancelled elsewhere: no wait is left open."""
    driver = release.swamp.start(
        "workflow", "run", "release", "--json", stop="put_if_absent:waits/*:1:before:pause", **BUILDER
    )
    release.swamp.stopped(driver)
    run_id = release.runs()[0]["id"]
    run = release.swamp.json("workflow", "cancel", "release", host="laptop", clock_offset_s=AN_HOUR_S)["run"]
    wait_id = steps_of(run)["review"]["waitId"]
    driver.send_signal(signal.SIGCONT)
    assert release.swamp.finished(driver, code=1).json["error"]["details"] == {"runId": run_id}
    assert release.waits() == []
    assert release.signal(wait_id, code=3)["code"] == "closed"
