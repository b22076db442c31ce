"""However a run ends, all that can be asked agrees: the run, its jobs and steps, waits, approvals and the history."""

import pytest

from tests.end_to_end.releases import SHIP, Release, new_release, of, statuses, steps_of

NOON, AFTER = "2026-07-27T12:00:00Z", "2026-07-27T14:00:00Z"
ASKING = """
jobs:
  - name: ask
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 1h } }
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?", timeout: 1h } }
  - name: ship
    dependsOn: [ask]
    steps: [{ name: ship, task: { type: model_method, modelIdOrName: release, methodName: count } }]
  - name: excuse
    dependsOn: [{ job: ask, condition: { type: failed } }]
    steps: [{ name: excuse, task: { type: model_method, modelIdOrName: release, methodName: count } }]
"""
MODEL = r"""
type: command/shell
methods:
  count: { run: 'echo x >> "done-$SWAMP_STEP"; test ! -e "$SWAMP_STEP-fails"' }
"""
OVER = {"succeeded", "failed", "skipped"}


def settled(release, **world):
    """Signal the wait and approve the gate."""
    release.signal(wait_of(release, "signal"), SHIP, **world)
    release.swamp.json("workflow", "approve", "release", "sign-off", **world)


def wait_of(release, kind):
    return next(wait["waitId"] for wait in release.ran["waits"] if wait["kind"] == kind)


def succeeded(release):
    settled(release, now=NOON)
    release.resume(now=AFTER)


def failed(release):
    release.swamp.write("ship-fails", "")
    settled(release, now=NOON)
    release.resume(now=AFTER, code=1)


def rejected(release):
    release.swamp.json("workflow", "reject", "release", "sign-off", now=NOON)


def cancelled(release):
    release.swamp.json("workflow", "cancel", "release", now=NOON)


def timed_out(release):
    release.resume(now=AFTER, code=1)


def signalled_and_timed_out(release):
    release.signal(wait_of(release, "signal"), SHIP, now=NOON)
    release.resume(now=AFTER, code=1)


ENDINGS = {
    succeeded: (
        "succeeded",
        {"ask": "succeeded", "ship": "succeeded", "excuse": "skipped"},
        {"review": None, "sign-off": None},
        {"ship": 1},
    ),
    failed: (
        "failed",
        {"ask": "succeeded", "ship": "failed", "excuse": "skipped"},
        {"review": None, "sign-off": None, "ship": "command_failed"},
        {"ship": 1},
    ),
    rejected: (
        "failed",
        {"ask": "failed", "ship": "skipped", "excuse": "skipped"},
        {"review": "cancelled", "sign-off": "approval_rejected"},
        {},
    ),
    cancelled: (
        "cancelled",
        {"ask": "failed", "ship": "skipped", "excuse": "skipped"},
        {"review": "cancelled", "sign-off": "cancelled"},
        {},
    ),
    timed_out: (
        "failed",
        {"ask": "failed", "ship": "skipped", "excuse": "succeeded"},
        {"review": "wait_timeout", "sign-off": "approval_timeout"},
        {"excuse": 1},
    ),
    signalled_and_timed_out: (
        "failed",
        {"ask": "failed", "ship": "skipped", "excuse": "succeeded"},
        {"review": None, "sign-off": "approval_timeout"},
        {"excuse": 1},
    ),
}


@pytest.fixture(scope="module")
def asking_once(command_line, tmp_path_factory):
    release = new_release(command_line(tmp_path_factory.mktemp("agreement") / "repo"), ASKING)
    release.swamp.write("models/release.yaml", MODEL)
    return Release(release.swamp, release.run(now=NOON))


@pytest.fixture
def asking(asking_once, tmp_path):
    """A run that waits for a signal and for an approval, each for an hour."""
    return asking_once.copied(tmp_path / "asking")


def test_a_run_that_waits_is_told_alike_everywhere(asking):
    """`run`, `waits`, `approvals`, `history list` and `history get` know the same wait and the same gate."""
    world = {"now": NOON}
    run = asking.history(asking.run_id, **world)["run"]
    assert run == asking.ran["run"]
    waits = asking.waits(**world)
    gates = asking.swamp.json("workflow", "approvals", **world)["waits"]
    told = {wait["step"]: wait["waitId"] for wait in [*waits, *gates]}
    assert told == {name: steps_of(run)[name]["waitId"] for name in ("review", "sign-off")}
    assert [wait for wait in asking.ran["waits"] if wait["kind"] == "approval"] == gates
    (summary,) = asking.swamp.json("workflow", "history", "list", **world)["runs"]
    assert (summary["id"], summary["status"], summary["awaitingResume"]) == (run["id"], "suspended", False)
    assert {job["name"]: job["status"] for job in run["jobs"]} == {
        "ask": "waiting",
        "ship": "pending",
        "excuse": "pending",
    }


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_everything_agrees_after_the_end(asking, ending):
    """The run, its jobs and steps have ended as they should; nothing is listed as open, and nothing can be settled."""
    ending(asking)
    status, jobs, codes, done = ENDINGS[ending]
    history = asking.history(asking.run_id)
    run, events = history["run"], of(history["events"])
    assert (run["status"], {job["name"]: job["status"] for job in run["jobs"]}) == (status, jobs)
    told = {name: step["error"] and step["error"]["code"] for name, step in steps_of(run).items()}
    assert {name: told[name] for name in codes} == codes
    assert set(statuses(run).values()) <= OVER
    assert {name for name, each in statuses(run).items() if each == "failed"} == {
        name for name, code in told.items() if code
    }
    assert run["finishedAt"] is not None
    assert (asking.done(), events["run_finished"]) == (done, 1)

    (summary,) = asking.runs()
    assert {name: summary[name] for name in ("id", "status", "finishedAt", "awaitingResume")} == {
        "id": run["id"],
        "status": status,
        "finishedAt": run["finishedAt"],
        "awaitingResume": False,
    }
    assert asking.waits() == []
    assert asking.swamp.here("workflow", "approvals", "--json").json == {"waits": [], "unreadable": []}
    assert not [path for path in asking.swamp.stored() if path.startswith(("waits/", "open-runs/"))]


@pytest.mark.parametrize("ending", ENDINGS, ids=lambda ending: ending.__name__)
def test_nothing_that_comes_after_the_end_changes_it(asking, ending):
    """A signal, a decision, a resume and a cancel are each answered from what is stored, which stays as it is."""
    ending(asking)
    before = asking.swamp.stored()
    signalled = asking.signal(wait_of(asking, "signal"), '{"verdict":"no"}', code=3, now=NOON)
    assert signalled["code"] in ("already_settled", "closed", "expired")
    for verb in ("approve", "reject"):
        assert asking.swamp.json("workflow", verb, "release", "sign-off", code=3, now=NOON)["error"]["code"]
    assert asking.resume(code=3)["code"] == "not_resumable"
    asking.swamp.json("workflow", "cancel", "release", code=0 if ending is cancelled else 3)
    assert asking.swamp.stored() == before
