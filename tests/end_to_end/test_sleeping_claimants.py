"""A claimant of a key that slept while others had it: it opens no second wait, whatever became of them."""

import signal

import pytest

from tests.end_to_end.keyed_releases import HOUR_S, keyed, send
from tests.end_to_end.releases import steps_of


def asleep(release, stop):
    """A run whose driver, on another host, has stopped at a point of its claim."""
    process = release.swamp.start("workflow", "run", "release", "--json", stop=f"{stop}:pause", host="other")
    release.swamp.stopped(process)
    return process


def woken(release, process):
    """What a driver comes to that goes on."""
    process.send_signal(signal.SIGCONT)
    return release.swamp.finished(process, code=None).json


def deleted(release, run_id, **world):
    release.swamp("run", "delete", run_id, "--force", **world)


@pytest.mark.parametrize("uses", [1, 3])
def test_a_claimant_that_slept_through_it_all_is_held_off(release, uses):
    """It had found the key free; others claimed it, were deleted, and one waits: it names that one."""
    keyed(release)
    late = asleep(release, "put_if_absent:wait-keys/*:1:before")
    for _ in range(uses):
        deleted(release, release.run()["run"]["id"])
    (wait,) = release.run()["waits"]
    error = steps_of(woken(release, late)["run"])["review"]["error"]
    assert (error["code"], error["details"]["waitId"]) == ("wait_key_held", wait["waitId"])
    assert [each["waitId"] for each in release.waits()] == [wait["waitId"]]


def test_a_claimant_that_slept_until_the_key_was_free_again_has_it(release):
    """Others claimed it and were deleted: the key is free, and there is one wait."""
    keyed(release)
    late = asleep(release, "put_if_absent:wait-keys/*:1:before")
    for _ in range(2):
        deleted(release, release.run()["run"]["id"])
    (wait,) = woken(release, late)["waits"]
    assert [each["waitId"] for each in release.waits()] == [wait["waitId"]]
    assert send(release)["waitId"] == wait["waitId"]


@pytest.mark.parametrize("point", ["put_if_absent:wait-keys/*:1:after", "put_if_absent:waits/*:1:before"])
def test_a_claimant_whose_run_was_deleted_in_its_sleep_opens_nothing(release, point):
    """It had claimed the key when its run was deleted; another one waits now, and is the only one."""
    keyed(release)
    late = asleep(release, point)
    deleted(release, release.runs()[0]["id"], clock_offset_s=HOUR_S)  # Its lease is over by then.
    (wait,) = release.run()["waits"]
    woken(release, late)
    assert [each["waitId"] for each in release.waits()] == [wait["waitId"]]
    assert send(release, '{"verdict":"ship"}', "--resume")["run"]["status"] == "succeeded"
    assert release.waits() == []
    left = [key for key in release.swamp.stored() if key.startswith(("waits/", "wait-keys/"))]
    assert len(left) == 1, left


def test_a_key_is_free_once_its_holder_has_timed_out_and_somebody_noticed(release):
    """A resume after the deadline ends the wait; the next run claims the key."""
    keyed(release)
    ran = release.run()["run"]["id"]
    late = 25 * HOUR_S
    ended = release.resume(clock_offset_s=late)["run"]
    assert steps_of(ended)["review"]["error"]["code"] == "wait_timeout"
    (wait,) = release.run(clock_offset_s=late)["waits"]
    assert wait["runId"] != ran
    assert send(release, clock_offset_s=late)["waitId"] == wait["waitId"]
