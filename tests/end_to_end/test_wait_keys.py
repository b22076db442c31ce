"""A key of a wait: one open wait holds it at a time, and whoever comes second is told who that is."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.end_to_end.releases import SHIP, WORKFLOW, steps_of

KEYED = WORKFLOW.replace("timeout: 24h", "timeout: 24h\n          key: verdict")
CLAIMANTS = 32


def keyed(release):
    release.swamp.write("workflows/release.yaml", KEYED)
    return release


def held(run):
    """What the step says that did not get the key."""
    error = steps_of(run)["review"]["error"]
    assert error["code"] == "wait_key_held"
    return error["details"]


def test_the_second_run_fails_its_step_and_names_the_holder(release):
    """The holder is unaffected and can be signalled; what is to run when the step failed, runs."""
    first = keyed(release).run()
    (wait,) = first["waits"]
    second = release.run()["run"]
    assert second["status"] == "succeeded"
    details = held(second)
    told = ("waitId", "runId", "job", "step", "deadline", "key")
    assert {name: details[name] for name in told} == {name: wait[name] for name in told}
    assert release.done() == {"escalate": 1}
    assert release.wait()["key"] == "verdict"
    assert release.signal(wait["waitId"], SHIP, "--resume")["run"]["status"] == "succeeded"


def test_a_run_that_is_refused_says_who_holds_the_key(release):
    """People read the holder's wait, run, step and deadline in the log of the run."""
    first = keyed(release).run()
    told = release.swamp("workflow", "run", "release").err
    assert first["waits"][0]["waitId"] in told
    assert first["run"]["id"] in told


def test_a_key_is_free_once_its_holder_is_settled(release):
    """Signalled and not resumed, resumed, cancelled, or overdue with nobody noticing: the next wait claims it."""
    keyed(release)
    signalled = release.run()["waits"][0]["waitId"]
    release.signal(signalled)
    resumed = release.run()["waits"][0]["waitId"]
    release.signal(resumed, SHIP, "--resume")
    cancelled = release.run()
    release.swamp("workflow", "cancel", cancelled["run"]["id"])
    overdue = release.run()
    later = 25 * 60 * 60
    last = release.run(clock_offset_s=later)
    assert len(last["waits"]) == 1
    assert release.history(overdue["run"]["id"])["run"]["status"] == "suspended"
    late = release.signal(overdue["waits"][0]["waitId"], code=3)
    assert late["code"] == "expired"


def test_of_many_runs_at_once_one_opens_its_wait(release):
    """However many processes claim a free key at the same moment, one wait is open, and the others name it."""
    keyed(release)
    with ThreadPoolExecutor(CLAIMANTS) as pool:
        runs = list(pool.map(lambda _: release.run(code=None), range(CLAIMANTS)))
    (wait,) = release.waits()
    refused = [run["run"] for run in runs if not run["waits"]]
    assert len(refused) == CLAIMANTS - 1
    assert {held(run)["waitId"] for run in refused} == {wait["waitId"]}


def test_a_run_that_is_removed_leaves_one_release_of_its_key(release):
    """After all runs are deleted there is the store's format, and what keeps the numbers of the key from returning."""
    keyed(release)
    for _ in range(3):
        release.swamp("run", "delete", release.run()["run"]["id"], "--force")
    keys = [key for key in release.swamp.stored() if key != "format"]
    assert [key.rsplit("/", 1)[0] for key in keys] == ["wait-keys/release/verdict"]
    assert release.run()["waits"]


def keys_of(release, *options, **world):
    return release.swamp.json("workflow", "keys", "release", *options, **world)


def test_the_keys_of_a_workflow_are_listed_with_their_holders(release):
    """Also on a host without the file, as far as some wait has claimed them."""
    keyed(release)
    free = {
        "key": "verdict",
        "step": "release/review",
        "holder": None,
        "held": 0,
        "claimedBy": None,
        "unreadable": None,
    }
    assert keys_of(release) == {"workflow": "release", "keys": [free]}
    ran = release.run()
    held = {**free, "holder": ran["waits"][0], "claimedBy": ran["run"]["id"]}
    assert keys_of(release)["keys"] == [held]
    (release.directory / "workflows/release.yaml").unlink()
    assert keys_of(release)["keys"] == [{**held, "step": None}]


def test_the_keys_of_no_workflow(release):
    """A name that neither a file nor the store knows is refused."""
    assert release.swamp.json("workflow", "keys", "other", code=3)["error"]["code"] == "unknown_workflow"


@pytest.mark.parametrize("name", ["999999999000", "aaa", "000000000000"])
def test_what_cannot_be_read_keeps_everybody_from_a_key_until_it_is_cleared(release, name):
    """Neither a foreign record nor a damaged claim frees a key; a run names it, and the command that clears it."""
    keyed(release)
    release.swamp.place.write(f"wait-keys/release/verdict/{name}", b"what is this?")
    error = steps_of(release.run()["run"])["review"]["error"]
    assert error["code"] == "wait_unreadable"
    assert f"wait-keys/release/verdict/{name}" in error["message"]
    command = "swamp workflow keys release --release verdict"
    assert command in error["message"]
    assert keys_of(release)["keys"][0]["unreadable"]
    assert "The key verdict is free." in release.swamp.pasted(command).out
    assert release.run()["waits"]


def test_a_key_that_a_wait_holds_is_not_cleared(release):
    """Neither one in order, nor one whose claim cannot be read while its wait is open: it says how to end that."""
    ran = keyed(release).run()
    refused = keys_of(release, "--release", "verdict", code=3)["error"]
    assert refused["code"] == "wait_key_held"
    release.swamp.place.write("wait-keys/release/verdict/999999999000", b"what is this?")
    spoiled = keys_of(release, "--release", "verdict", code=3)["error"]
    assert (spoiled["code"], spoiled["details"]["runId"]) == ("wait_key_held", ran["run"]["id"])
    release.swamp.pasted(next(line for line in spoiled["hint"].splitlines() if line.startswith("swamp ")))
    assert keys_of(release, "--release", "verdict")["released"]
    assert not keys_of(release, "--release", "verdict")["released"]
    assert release.run()["waits"]
