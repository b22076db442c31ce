"""A wait ends at its deadline, for whoever may settle it: a resume or the driver, and nobody who only looks.

The run starts at noon and waits five minutes; every process of a test says what time it is there.
"""

import pytest

from tests.end_to_end.releases import FIX, SHIP, WORKFLOW, Release, new_release, statuses, steps_of

NOON, BEFORE = "2026-07-27T12:00:00Z", "2026-07-27T12:04:59.999Z"
DEADLINE, AFTER = "2026-07-27T12:05:00Z", "2026-07-27T12:10:00Z"
KEY = ("--idempotency-key", "build-7")
FIVE_MINUTES = WORKFLOW.replace("24h", "5m")


def overdue_release(command_line, directory, workflow):
    release = new_release(command_line(directory), workflow)
    return Release(release.swamp, release.run(now=NOON))


@pytest.fixture(scope="module")
def allowed_once(command_line, tmp_path_factory):
    return overdue_release(command_line, tmp_path_factory.mktemp("deadline") / "repo", FIVE_MINUTES)


@pytest.fixture
def waiting(allowed_once, tmp_path):
    """A run that waits until five past twelve, in a step that is allowed to fail."""
    return allowed_once.copied(tmp_path / "waiting")


@pytest.fixture
def wait_id(waiting):
    return waiting.wait_id


def test_a_fast_clock_says_expired_and_destroys_nothing(waiting, wait_id):
    """A host that is ten minutes fast shows `expired` and refuses a signal; a right clock still accepts it."""
    before = waiting.swamp.stored()
    fast = {"now": NOON, "clock_offset_s": 600}
    listed = waiting.wait(**fast)
    assert (listed["waitId"], listed["expired"]) == (wait_id, True)
    assert listed["nextCommand"] == f"swamp workflow resume {listed['runId']}"
    text = waiting.swamp("workflow", "waits", **fast)
    assert "It has expired. Let it time out with:" in text.out
    assert text.commands == [listed["nextCommand"]]
    assert waiting.signal(wait_id, SHIP, *KEY, code=3, **fast)["code"] == "expired"
    assert waiting.run(**fast)["kept"][0]["waitIds"] == [wait_id]
    stored = waiting.swamp.stored()
    assert before.items() <= stored.items()
    assert not [path for path in stored if path.startswith("wait-outcomes")]
    assert [wait["expired"] for wait in waiting.waits(now=NOON) if wait["waitId"] == wait_id] == [False]
    assert waiting.signal(wait_id, SHIP, *KEY, now=BEFORE)["status"] == "accepted"


def test_a_signal_is_refused_from_the_very_deadline_on(waiting, wait_id):
    """The last millisecond before the deadline is in time, and the deadline itself is not."""
    refused = waiting.signal(wait_id, now=DEADLINE, code=3)
    assert (refused["code"], "2026-07-27T12:05:00.000Z" in refused["message"]) == ("expired", True)
    assert waiting.signal(wait_id, now=BEFORE)["status"] == "accepted"


def test_a_signal_before_the_deadline_holds_after_it(waiting, wait_id):
    """What was accepted in time is applied however late the resume comes, and a repeat gets its receipt."""
    receipt = waiting.signal(wait_id, SHIP, *KEY, now=BEFORE)["receipt"]
    repeated = waiting.signal(wait_id, SHIP, *KEY, now=AFTER)
    assert (repeated["status"], repeated["receipt"]) == ("repeated", receipt)
    assert waiting.signal(wait_id, FIX, now=AFTER, code=3)["code"] == "already_settled"
    run = waiting.resume(now=AFTER)["run"]
    assert (run["status"], waiting.done()) == ("succeeded", {"ship": 1})
    assert steps_of(run)["review"]["outputs"]["signal"]["receivedAt"] == BEFORE


def test_a_resume_before_the_deadline_times_nothing_out(waiting, wait_id):
    """`resume` in time is refused, and the wait stays open."""
    assert waiting.resume(now=BEFORE, code=3)["code"] == "wait_open"
    assert waiting.signal(wait_id, now=BEFORE)["status"] == "accepted"


def test_a_resume_after_the_deadline_fails_the_step_and_runs_its_handler(waiting, wait_id):
    """After the deadline a resume fails the step with `wait_timeout`; what waits for its failure runs, once."""
    run = waiting.resume(now=AFTER)["run"]
    review = steps_of(run)["review"]
    assert (review["error"]["code"], review["allowedFailure"]) == ("wait_timeout", True)
    assert statuses(run) == {"review": "failed", "ship": "skipped", "escalate": "succeeded"}
    assert waiting.done() == {"escalate": 1}
    assert (run["jobs"][0]["status"], run["status"]) == ("succeeded", "succeeded")
    assert waiting.waits(now=AFTER) == []
    # A sender whose clock is right, or slow, learns that it was too late for this wait.
    assert {waiting.signal(wait_id, now=now, code=3)["code"] for now in (NOON, AFTER)} == {"expired"}


def test_a_timeout_that_is_not_allowed_fails_the_job_and_the_run(command_line, tmp_path):
    """Without `allowFailure` the timeout fails job and run, exit code 1, and the handler still runs."""
    workflow = FIVE_MINUTES.replace("allowFailure: true", "allowFailure: false")
    waiting = overdue_release(command_line, tmp_path / "repo", workflow)
    run = waiting.resume(now=AFTER, code=1)["run"]
    assert statuses(run) == {"review": "failed", "ship": "skipped", "escalate": "succeeded"}
    assert (run["jobs"][0]["status"], run["status"]) == ("failed", "failed")
    assert steps_of(run)["review"]["allowedFailure"] is False
    assert waiting.done() == {"escalate": 1}


def test_a_timeout_is_told_to_people(command_line, tmp_path):
    """The failed run says in text which step failed, and with which code."""
    waiting = overdue_release(
        command_line, tmp_path / "repo", FIVE_MINUTES.replace("allowFailure: true", "allowFailure: false")
    )
    told = waiting.swamp("workflow", "resume", "release", now=AFTER, code=1)
    assert "release/review failed (wait_timeout): " in told.out
    assert "The run of release failed." in told.out


def test_a_slow_clock_does_not_reopen_a_wait_that_timed_out(waiting, wait_id):
    """Once a resume has timed the wait out, a sender whose clock is slow is refused, and nothing is done again."""
    waiting.resume(now=AFTER)
    before = waiting.swamp.stored()
    assert waiting.signal(wait_id, now=NOON, code=3)["code"] == "expired"
    assert waiting.resume(now=NOON, code=3)["code"] == "not_resumable"
    assert (waiting.swamp.stored(), waiting.done()) == (before, {"escalate": 1})


def test_a_process_that_waits_times_the_wait_out_by_itself(release):
    """`run --wait` sees the deadline pass, fails the step, runs the handler and ends."""
    release.swamp.write("workflows/release.yaml", WORKFLOW.replace("24h", "1s"))
    run = release.run("--wait")["run"]
    assert (run["status"], steps_of(run)["review"]["error"]["code"]) == ("succeeded", "wait_timeout")
    assert release.done() == {"escalate": 1}
