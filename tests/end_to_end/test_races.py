"""Processes that act on one run at the same moment. Each is stopped where it matters, and let go on together."""

import signal

import pytest

from tests.end_to_end.releases import SHIP, WORKFLOW, of, statuses, steps_of

AT_ONCE = 6
SIBLING = (
    WORKFLOW
    + """
  - name: notes
    steps: [{ name: notes, task: { type: model_method, modelIdOrName: release, methodName: hold } }]
"""
)
HELD_SHIP = WORKFLOW.replace("methodName: count", "methodName: hold", 1)

# The entries of a run of `release`: 1 it started, 2 the wait was planned, 3 the wait was opened, 4 it was suspended.
SUSPENSION = "put_if_absent:runs/*:4"


def go_on(*processes):
    for process in processes:
        process.send_signal(signal.SIGCONT)


def test_a_signal_while_a_sibling_step_runs_is_applied(release, held):
    """A wait can be signalled while its run is being driven: the driver takes the signal up by itself, once."""
    release.swamp.write("workflows/release.yaml", SIBLING)
    driver = release.swamp.start("workflow", "run", "release", "--json")
    release.swamp.told(driver, "release/review waits for a signal.")
    held.met()
    receipt = release.signal(release.wait()["waitId"])["receipt"]
    held.goes_on()
    run = release.swamp.finished(driver).json["run"]
    assert (run["status"], release.done()) == ("succeeded", {"notes": 1, "ship": 1})
    assert steps_of(run)["review"]["outputs"]["signal"]["id"] == receipt["id"]


def test_a_resume_with_a_signal_while_a_sibling_step_runs_leaves_it_to_the_driver(release, held):
    """`signal --resume` finds the run driven: the receipt counts, exit code 0, and it says who goes on."""
    release.swamp.write("workflows/release.yaml", SIBLING)
    driver = release.swamp.start("workflow", "run", "release", "--json", host="builder", pid=4711)
    release.swamp.told(driver, "release/review waits for a signal.")
    held.met()
    wait_id = release.wait()["waitId"]
    signalled = release.swamp("workflow", "signal", wait_id, "--payload", SHIP, "--resume")
    assert "is being driven by process 4711 on builder. It takes it up by itself." in signalled.err
    held.goes_on()
    assert release.swamp.finished(driver).json["run"]["status"] == "succeeded"
    assert release.done() == {"notes": 1, "ship": 1}


# Where the driver stops, what the run's status is there, and what the driver tells when it has gone on.
MOMENTS = {
    "before it is suspended": (f"{SUSPENSION}:before:pause", "running", "succeeded"),
    "when the suspension is written": (f"{SUSPENSION}:after:pause", "suspended", "succeeded"),
    "when the mark is read": ("get:open-runs/*:4:after:pause", "suspended", "succeeded"),
    "before the last look": ("get:wait-outcomes/*:1:before:pause", "suspended", "succeeded"),
    "after the last look": ("get:wait-outcomes/*:1:after:pause", "suspended", "suspended"),
}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_resume_with_a_signal_at_the_moment_of_the_suspension_is_not_lost(release, moment):
    """Whichever of the two comes first, `signal --resume` and the driver that suspends: one of them goes on, once."""
    stop, found, told = MOMENTS[moment]
    driver = release.swamp.start("workflow", "run", "release", "--json", stop=stop)
    release.swamp.stopped(driver)
    wait = release.wait()
    assert release.history(wait["runId"])["run"]["status"] == found
    signalled = release.signal(wait["waitId"], SHIP, "--resume")
    assert signalled["status"] == "accepted"
    go_on(driver)
    assert release.swamp.finished(driver).json["run"]["status"] == told
    history = release.history(wait["runId"])
    assert (history["run"]["status"], release.done()) == ("succeeded", {"ship": 1})
    counts = of(history["events"])
    assert (counts["wait_applied"], counts["run_finished"]) == (1, 1)
    assert steps_of(history["run"])["review"]["outputs"]["signal"]["id"] == signalled["receipt"]["id"]
    assert release.waits() == []


@pytest.mark.parametrize("moment", ["before it is suspended", "when the suspension is written"])
def test_a_cancel_at_the_moment_of_the_suspension_ends_the_run(release, moment):
    """Whichever comes first, a cancel and the driver that suspends: the run is cancelled and nothing waits.

    A driver that is told in time runs what follows a failed wait, as a clean-up.
    """
    driver = release.swamp.start("workflow", "run", "release", stop=MOMENTS[moment][0])
    release.swamp.stopped(driver)
    wait = release.wait()
    release.swamp("workflow", "cancel", "release")
    go_on(driver)
    release.swamp.finished(driver, code=None)
    run = release.history(wait["runId"])["run"]
    assert (run["status"], release.waits()) == ("cancelled", [])
    assert release.done() == ({"escalate": 1} if moment == "before it is suspended" else {})
    assert release.signal(wait["waitId"], code=3)["code"] == "closed"


def test_six_signals_at_once_give_one_receipt(suspended):
    """Of six senders that all found the wait open, one is accepted; the others are shown its receipt."""
    wait_id = suspended.wait_id
    senders = [
        suspended.swamp.start(
            *(
                "workflow",
                "signal",
                wait_id,
                "--payload",
                f'{{"verdict":"ship","sender":{number}}}',
                "--json",
            ),
            stop="put_if_absent:wait-outcomes/*:1:before:pause",
        )
        for number in range(AT_ONCE)
    ]
    for sender in senders:
        suspended.swamp.stopped(sender)
    go_on(*senders)
    answers = [suspended.swamp.finished(sender, code=None) for sender in senders]
    accepted = [number for number, answer in enumerate(answers) if answer.code == 0]
    assert len(accepted) == 1
    receipt = answers[accepted[0]].json["receipt"]
    errors = [answer.json["error"] for answer in answers if answer.code == 3]
    assert [error["code"] for error in errors] == ["already_settled"] * (AT_ONCE - 1)
    assert all(error["details"]["receipt"] == receipt for error in errors)
    outputs = steps_of(suspended.resume()["run"])["review"]["outputs"]
    assert (outputs["payload"]["sender"], outputs["signal"]["id"]) == (accepted[0], receipt["id"])


def test_six_senders_of_one_signal_get_one_receipt(suspended):
    """Six senders with one idempotency key and one payload, at once, all succeed with the same receipt."""
    wait_id = suspended.wait_id
    senders = [
        suspended.swamp.start(
            *("workflow", "signal", wait_id, "--payload", SHIP, "--idempotency-key", "build-7", "--json"),
            stop="put_if_absent:wait-outcomes/*:1:before:pause",
        )
        for _ in range(AT_ONCE)
    ]
    for sender in senders:
        suspended.swamp.stopped(sender)
    go_on(*senders)
    answers = [suspended.swamp.finished(sender).json for sender in senders]
    assert sorted(answer["status"] for answer in answers) == ["accepted"] + ["repeated"] * (AT_ONCE - 1)
    assert len({answer["receipt"]["id"] for answer in answers}) == 1


@pytest.fixture
def signalled(release, held):
    """A run of `release` whose verdict has come, and whose `ship` is held."""
    release.swamp.write("workflows/release.yaml", HELD_SHIP)
    release.signal(release.run()["waits"][0]["waitId"])
    return release


def resumes_at_once(release, *command):
    """Six processes that have all found the run suspended, and are about to take it up."""
    resumes = [
        release.swamp.start(
            *command, "--json", stop="put_if_absent:runs/*:1:before:pause", host=f"host-{number}"
        )
        for number in range(AT_ONCE)
    ]
    for process in resumes:
        release.swamp.stopped(process)
    return resumes


def test_six_resumes_at_once_deploy_once(signalled, held):
    """Of six resumes that all found the run suspended one deploys; the others are told who, while that goes on."""
    resumes = resumes_at_once(signalled, "workflow", "resume", "release")
    go_on(*resumes)
    held.met()
    owner = signalled.history(signalled.runs()[0]["id"])["run"]["owner"]
    winner = int(owner["host"].removeprefix("host-"))
    for number, process in enumerate(resumes):
        if number != winner:
            error = signalled.swamp.finished(process, code=3).json["error"]
            assert error["code"] == "already_resumed"
            assert error["details"]["owner"] == {"host": owner["host"], "pid": owner["pid"]}
            assert f"process {owner['pid']} on {owner['host']}" in error["message"]
    held.goes_on()
    run = signalled.swamp.finished(resumes[winner]).json["run"]
    assert (run["status"], statuses(run)["ship"]) == ("succeeded", "succeeded")
    assert signalled.done() == {"ship": 1}


def test_a_resume_that_comes_too_late_finds_the_run_over(suspended):
    """A resume that found the run suspended, and goes on when another has driven it to its end, is refused."""
    suspended.signal(suspended.wait_id)
    late = suspended.swamp.start(
        "workflow", "resume", "release", "--json", stop="put_if_absent:runs/*:1:before:pause"
    )
    suspended.swamp.stopped(late)
    suspended.resume()
    before = suspended.swamp.stored()
    go_on(late)
    error = suspended.swamp.finished(late, code=3).json["error"]
    assert (error["code"], error["details"]["status"]) == ("not_resumable", "succeeded")
    assert (suspended.done(), suspended.swamp.stored()) == ({"ship": 1}, before)


def test_a_signal_that_comes_after_the_cancel_is_closed(suspended):
    """A sender that found the wait open, and goes on when the run was cancelled, is refused; nothing is stored."""
    wait_id = suspended.wait_id
    late = suspended.swamp.start(
        *("workflow", "signal", wait_id, "--payload", SHIP, "--json"),
        stop="put_if_absent:wait-outcomes/*:1:before:pause",
    )
    suspended.swamp.stopped(late)
    suspended.swamp("workflow", "cancel", "release")
    before = suspended.swamp.stored()
    go_on(late)
    assert suspended.swamp.finished(late, code=3).json["error"]["code"] == "closed"
    assert suspended.swamp.stored() == before


def test_a_signal_that_is_stored_before_the_cancel_stands(suspended):
    """A sender that is stopped between its signal and the look at the mark still gets its receipt after a cancel."""
    wait_id = suspended.wait_id
    late = suspended.swamp.start(
        *("workflow", "signal", wait_id, "--payload", SHIP, "--idempotency-key", "k", "--json"),
        stop="put_if_absent:wait-outcomes/*:1:after:pause",
    )
    suspended.swamp.stopped(late)
    suspended.swamp("workflow", "cancel", "release")
    go_on(late)
    receipt = suspended.swamp.finished(late).json["receipt"]
    assert suspended.signal(wait_id, SHIP, "--idempotency-key", "k")["receipt"] == receipt


def test_a_signal_at_the_deadline_has_one_outcome(suspended):
    """A sender in time and a resume that times the wait out, at once: who stores first decides, for both."""
    wait_id = suspended.wait_id
    late = suspended.swamp.start(
        *("workflow", "signal", wait_id, "--payload", SHIP, "--json"),
        stop="put_if_absent:wait-outcomes/*:1:before:pause",
    )
    suspended.swamp.stopped(late)
    run = suspended.resume(clock_offset_s=25 * 3600)["run"]
    go_on(late)
    assert suspended.swamp.finished(late, code=3).json["error"]["code"] == "expired"
    assert steps_of(run)["review"]["error"]["code"] == "wait_timeout"
    assert suspended.done() == {"escalate": 1}


def test_a_time_out_that_comes_after_a_signal_gives_way(suspended):
    """A resume that found the wait overdue, and goes on when a signal was stored, applies the signal."""
    wait_id = suspended.wait_id
    late = suspended.swamp.start(
        *("workflow", "resume", "release", "--json"),
        stop="put_if_absent:wait-outcomes/*:1:before:pause",
        clock_offset_s=25 * 3600,
    )
    suspended.swamp.stopped(late)
    receipt = suspended.signal(wait_id)["receipt"]
    go_on(late)
    run = suspended.swamp.finished(late).json["run"]
    assert steps_of(run)["review"]["outputs"]["signal"]["id"] == receipt["id"]
    assert suspended.done() == {"ship": 1}
