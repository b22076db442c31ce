"""A process is killed at each record that it makes or removes, and the run is brought to its end all the same.

The commands that only write to the store are abandoned inside this process, at the same points: they have no
children that could outlive them. Those that drive steps are killed as processes.
"""

import os
import signal
from collections import Counter
from contextlib import suppress
from fnmatch import fnmatchcase

import pytest

from tests.end_to_end.killed_runs import ENDS, KEY, PAYLOAD, copied, in_a_new_repo

RUN = [
    "put_if_absent:format:1",
    "put_if_absent:workflow-runs/*:1",
    "put_if_absent:open-runs/*:1",
    "put_if_absent:runs/*:1",  # run_started
    "put_if_absent:runs/*:2",  # compile started
    "put_if_absent:runs/*:3",  # compile succeeded, review planned, notes started
    "put_if_absent:waits/*:1",
    "put_if_absent:runs/*:4",  # review opened
    "put_if_absent:runs/*:5",  # notes succeeded, check started
    "put_if_absent:runs/*:6",  # check failed
    "put_if_absent:runs/*:7",  # run_suspended
]
SIGNAL = ["put_if_absent:wait-outcomes/*:1"]
RESUME = [
    "put_if_absent:runs/*:1",  # run_resumed
    "put_if_absent:runs/*:2",  # signal applied, deploy started
    "put_if_absent:runs/*:3",  # deploy succeeded
    "put_if_absent:runs/*:4",  # run_finished
    "delete:open-runs/*:1",
    "delete:waits/*:1",
]
CANCEL = [
    "put_if_absent:runs/*:1",  # cancel_requested, deploy skipped, review failed
    "put_if_absent:wait-outcomes/*:1",
    "put_if_absent:runs/*:2",  # run_finished
    "delete:open-runs/*:1",
    "delete:waits/*:1",
]
RECOVER = ["put_if_absent:runs/*:1"]  # the steps that were running reset, run_suspended
RECOVER_CANCELLED = CANCEL
RECOVER_ENDED = ["delete:open-runs/*:1", "delete:waits/*:1"]


def both_sides(points):
    """Each point, before the operation is sent and after it took effect."""
    return pytest.mark.parametrize(
        "stop", [f"{point}:{side}:kill" for point in points for side in ("before", "after")]
    )


def finished_steps(repo):
    """How often each step was carried out that the journal says is over."""
    run = repo.library.get_run(repo.run_id()).run
    over = {step.name for job in run.jobs for step in job.steps if step.status in ("succeeded", "failed")}
    return {name: count for name, count in repo.counts().items() if name in over}


def assert_ended_well(repo, before, receipt=None):
    """The promise of every point: the end is the usual one, and nothing was lost or done twice on the way."""
    history = repo.library.get_run(repo.run_id())
    steps = {step.name: step for job in history.run.jobs for step in job.steps}
    assert (history.run.status, {name: step.status for name, step in steps.items()}) == ("succeeded", ENDS)
    counts = repo.counts()
    assert before == {name: counts[name] for name in before}, "a finished step ran again"
    resets = Counter(event["step"] for event in history.events if event["event"] == "step_reset")
    for name in ("compile", "notes", "check", "deploy"):
        assert 1 <= counts[name] <= 1 + resets[name], f"{name}: {counts[name]} times, {resets[name]} resets"
    (applied,) = [event for event in history.events if event["event"] == "wait_applied"]
    assert receipt in (None, applied["application"]["receipt"]["id"]), "an accepted signal was lost"
    assert steps["review"].outputs["payload"] == {"verdict": "ship"}
    repo.leaves_no_trace_of_work()


@pytest.fixture
def fresh(swamp, tmp_path):
    """A repo in which nothing has run."""
    return in_a_new_repo(swamp.at(tmp_path / "fresh"))


@pytest.fixture(scope="module")
def suspended_once(command_line, tmp_path_factory):
    repo = in_a_new_repo(command_line(tmp_path_factory.mktemp("kills") / "suspended"))
    repo.swamp("workflow", "run", "ship")
    return repo


@pytest.fixture
def suspended(suspended_once, tmp_path):
    """A run that waits."""
    return copied(suspended_once, tmp_path / "suspended")


@pytest.fixture(scope="module")
def signalled_once(suspended_once, tmp_path_factory):
    repo = copied(suspended_once, tmp_path_factory.mktemp("kills") / "signalled")
    return repo, repo.signal()


@pytest.fixture
def signalled(signalled_once, tmp_path):
    """A run whose wait has a signal, and the receipt."""
    repo, receipt = signalled_once
    return copied(repo, tmp_path / "signalled"), receipt


@pytest.fixture(scope="module")
def interrupted_once(command_line, tmp_path_factory):
    repo = in_a_new_repo(command_line(tmp_path_factory.mktemp("kills") / "interrupted"))
    repo.killed("run", "ship", stop="put_if_absent:runs/*:5:before:kill")
    return repo


@pytest.fixture
def interrupted(interrupted_once, tmp_path):
    """A run whose driver was killed when `notes` had done its work and nobody knew yet."""
    return copied(interrupted_once, tmp_path / "interrupted")


@pytest.fixture
def cancelling(interrupted):
    """An interrupted run that was to be cancelled, by a process that was killed once that was recorded."""
    repo = interrupted
    repo.abandoned("cancel", "ship", stop="put_if_absent:runs/*:1:after:kill")
    return repo


@pytest.fixture
def half_ended(signalled):
    """A run whose driver was killed when it had written the end and cleared nothing."""
    repo, receipt = signalled
    repo.killed("resume", "ship", stop="put_if_absent:runs/*:4:after:kill")
    return repo, receipt


def passed(points, lines):
    """The points that the operations pass, in order, each by its number among those that match it."""
    globs = list(dict.fromkeys(tuple(point.split(":")[:2]) for point in points))
    seen, found = Counter(), []
    for line in lines:
        verb, key = line.split(" ", 1)
        glob = next((each for each in globs if each[0] == verb and fnmatchcase(key, each[1])), (verb, key))
        seen[glob] += 1
        found.append(f"{verb}:{glob[1]}:{seen[glob]}")
    return found


def test_the_points_are_all_that_a_run_creates_and_deletes(fresh):
    """No record that a command makes or removes, from the start of the run to its end, is left out of this file."""
    assert passed(RUN, fresh.mutations("run", "ship")) == RUN
    signal_it = ("signal", fresh.wait_id(), "--payload", PAYLOAD, "--idempotency-key", KEY)
    assert passed(SIGNAL, fresh.mutations(*signal_it)) == SIGNAL
    assert passed(RESUME, fresh.mutations("resume", "ship")) == RESUME
    assert fresh.status() == "succeeded"


def test_the_points_are_all_that_a_cancel_creates_and_deletes(suspended):
    """No record that a cancel makes or removes is left out of this file."""
    assert passed(CANCEL, suspended.mutations("cancel", "ship")) == CANCEL


def test_the_points_are_all_that_a_recover_creates_and_deletes(interrupted, half_ended):
    """No record that a recover makes or removes is left out of this file, whatever there is to recover."""
    recover = ("recover", "ship", "--run", interrupted.run_id(), "--acknowledge-unknown")
    assert passed(RECOVER, interrupted.mutations(*recover)) == RECOVER
    ended, _ = half_ended
    assert passed(RECOVER_ENDED, ended.mutations("recover", "ship", "--run", ended.run_id())) == RECOVER_ENDED


@both_sides(RUN)
def test_a_run_that_is_killed_comes_to_its_end(fresh, stop):
    """Wherever `run` is killed, the run goes on with what was done, or there is none and nothing is in the way."""
    fresh.killed("run", "ship", stop=stop)
    if not fresh.run_ids():
        assert fresh.counts() == {}
        again = fresh.swamp.json("workflow", "run", "ship")
        assert (again["run"]["status"], again["kept"]) == ("suspended", [])
        receipt = None
    else:
        receipt = fresh.signal() if fresh.library.waits().waits else None
    before = finished_steps(fresh)
    fresh.brought_to_its_end()
    assert_ended_well(fresh, before, receipt)


@both_sides(SIGNAL)
def test_a_signal_that_is_killed_can_be_repeated(suspended, stop):
    """Wherever `signal` is killed, repeating it under its key stores it once, and it is applied."""
    wait_id = suspended.wait_id()
    command = ("signal", wait_id, "--payload", PAYLOAD, "--idempotency-key", KEY)
    suspended.killed(*command, stop=stop)
    repeated = suspended.swamp.json("workflow", *command)
    assert repeated["status"] == ("accepted" if ":before:" in stop else "repeated")
    before = finished_steps(suspended)
    suspended.brought_to_its_end()
    assert_ended_well(suspended, before, repeated["receipt"]["id"])


@both_sides(RESUME)
def test_a_resume_that_is_killed_comes_to_its_end(signalled, stop):
    """Wherever `resume` is killed, the signal that was accepted is applied once, and the deploy is not done twice."""
    repo, receipt = signalled
    repo.killed("resume", "ship", stop=stop)
    before = finished_steps(repo)
    repo.brought_to_its_end()
    assert_ended_well(repo, before, receipt)


@both_sides(RECOVER)
def test_a_recover_that_is_cut_off_can_be_repeated(interrupted, stop):
    """Wherever `recover` is cut off, the run is either still interrupted or ready to be resumed."""
    before = finished_steps(interrupted)
    interrupted.abandoned(
        "recover", "ship", "--run", interrupted.run_id(), "--acknowledge-unknown", stop=stop
    )
    interrupted.brought_to_its_end()
    assert_ended_well(interrupted, before)


@both_sides(RECOVER_ENDED)
def test_a_recover_of_an_end_that_is_cut_off_can_be_repeated(half_ended, stop):
    """Wherever the completion of a run's end is cut off, the next one completes it."""
    repo, receipt = half_ended
    before = finished_steps(repo)
    repo.abandoned("recover", "ship", "--run", repo.run_id(), stop=stop)
    assert_ended_well(repo, before, receipt)


def assert_cancelled(repo, before):
    run = repo.library.get_run(repo.run_id()).run
    assert run.status == "cancelled"
    assert {step.status for job in run.jobs for step in job.steps} <= {"succeeded", "failed", "skipped"}
    assert before == {name: repo.counts()[name] for name in before}
    repo.leaves_no_trace_of_work()


@both_sides(CANCEL)
def test_a_cancel_that_is_cut_off_can_be_repeated(suspended, stop):
    """Wherever `cancel` is cut off, repeating it ends the run; from the moment it is recorded no signal is taken."""
    wait_id, before = suspended.wait_id(), finished_steps(suspended)
    suspended.abandoned("cancel", "ship", stop=stop)
    closed = stop not in (f"{CANCEL[0]}:before:kill", f"{CANCEL[0]}:after:kill", f"{CANCEL[1]}:before:kill")
    signalled = suspended.swamp("workflow", "signal", wait_id, "--payload", PAYLOAD, "--json", code=None)
    if closed:
        assert (signalled.code, signalled.json["error"]["code"]) == (3, "closed")
    else:
        assert signalled.code == 0
    suspended.swamp("workflow", "cancel", suspended.run_id(), code=None)
    assert_cancelled(suspended, before)
    if not closed:
        repeated = suspended.swamp.json("workflow", "signal", wait_id, "--payload", PAYLOAD, code=3)
        receipt = repeated["error"]["details"]["receipt"]["id"]
        assert receipt == signalled.json["receipt"]["id"], "an acknowledged signal keeps its receipt"


@both_sides(RECOVER_CANCELLED[1:])
def test_a_recover_of_a_cancelled_run_that_is_cut_off_can_be_repeated(cancelling, stop):
    """Wherever a recover ends a cancelled run and is cut off, the next one ends it."""
    before = finished_steps(cancelling)
    stop = stop.replace("runs/*:2", "runs/*:1").replace("open-runs/*:2", "open-runs/*:1")
    cancelling.abandoned("recover", "ship", "--run", cancelling.run_id(), stop=stop)
    again = cancelling.swamp("workflow", "recover", "ship", "--run", cancelling.run_id(), code=None)
    assert again.code in (1, 3)  # 3: the first one had done all of it.
    assert_cancelled(cancelling, before)


@pytest.fixture
def outliving():
    """The process groups of steps that outlive their driver, ended when the test is over."""
    groups = []
    yield groups
    for group in groups:
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def held(repo, outliving, guard=None):
    """A run that was killed while its one step, with that guard if any, was blocked on the fifo `gate`."""
    guarded = f"guard: '{guard}', " if guard else ""
    task = "task: { type: model_method, modelIdOrName: ship, methodName: hold }"
    repo.swamp.write(
        "workflows/ship.yaml", f"jobs: [{{ name: j, steps: [{{ name: hold, {guarded}{task} }}] }}]"
    )
    for name in ("started", "gate"):
        os.mkfifo(repo.directory / name)
    process = repo.swamp.start("workflow", "run", "ship")
    outliving.append(int((repo.directory / "started").read_text()))  # once the step has written to it
    process.kill()
    assert process.wait() == -signal.SIGKILL


def test_a_kill_in_the_middle_of_a_step_asks_before_it_runs_again(fresh, outliving):
    """Nobody knows how far an unguarded step came: it is shown as unknown, and runs again only when that is said."""
    held(fresh, outliving)
    run_id = fresh.run_id()
    shown = fresh.swamp.json("workflow", "history", "get", run_id)["run"]
    assert (shown["status"], shown["jobs"][0]["steps"][0]["status"]) == ("interrupted", "unknown")
    refused = fresh.swamp.json("workflow", "resume", "ship", code=3)["error"]
    assert (refused["code"], f"workflow recover ship --run {run_id}" in refused["hint"]) == (
        "not_resumable",
        True,
    )
    refused = fresh.swamp.json("workflow", "recover", "ship", "--run", run_id, code=3)["error"]
    assert refused["code"] == "unknown_step_outcome"
    assert refused["details"]["steps"] == [{"runId": run_id, "job": "j", "step": "hold"}]
    assert fresh.status() == "interrupted"
    fresh.swamp("workflow", "recover", "ship", "--run", run_id, "--acknowledge-unknown")
    fresh.swamp.write("go_on", "")
    fresh.swamp("workflow", "resume", "ship")
    assert (fresh.status(), fresh.counts()["hold"]) == ("succeeded", 2)


def test_a_kill_in_the_middle_of_a_guarded_step_needs_no_word(fresh, outliving):
    """A guard says whether a step is done, so a guarded step is judged by it again, without asking."""
    held(fresh, outliving, guard="${{ false }}")
    fresh.swamp("workflow", "recover", "ship", "--run", fresh.run_id())
    fresh.swamp.write("go_on", "")
    fresh.swamp("workflow", "resume", "ship")
    assert (fresh.status(), fresh.counts()["hold"]) == ("succeeded", 2)
