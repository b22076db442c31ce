"""An interrupt of a command that works on the store itself: nothing stays of a try, and a copy is gone on with."""

import re
import signal

import pytest
from swamp_core.store import describe


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("stop", ["put_if_absent:store-probes/*/race0:5", "delete:store-probes/*:1"])
def test_an_interrupted_check_leaves_nothing(swamp, stop, number):
    """Between creates that race, and while it deletes: what was created is deleted, and that is said."""
    swamp("workflow", "run", "release")
    before = swamp.stored()
    check = swamp.start("datastore", "check", "--json", stop=f"{stop}:after:pause")
    swamp.stopped(check)
    check.send_signal(number)
    check.send_signal(signal.SIGCONT)
    ended = swamp.finished(check, code=130)
    assert "what was created to try the datastore is being deleted" in ended.err
    assert ended.json["error"]["code"] == "interrupted"
    assert swamp.stored() == before


def interrupted_twice(swamp, process):
    """The hint of a command that was left at once: at the first stop it is interrupted, and at the second again."""
    for number in (signal.SIGINT, signal.SIGTERM):
        swamp.stopped(process)
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
    return swamp.finished(process, code=130).json["error"]["hint"]


def assert_told(swamp, place, prefix_and_store, command):
    """What stays is told with its prefix and its store, and the command that deletes it can be pasted."""
    assert re.match(r"Records may stay below `store-probes/[0-9a-f-]{36}/` in ", prefix_and_store)
    assert describe(place.url).store in prefix_and_store
    assert command.startswith("swamp run gc --older-than 36500d")
    before = place.records()
    swamp.pasted(command)
    assert place.records() == before  # It is not a day old.


def test_a_check_that_is_left_at_once_says_what_stays(swamp):
    """The second interrupt does not wait for the clean-up: the prefix, the store and what deletes it are told."""
    stop = "put_if_absent:store-probes/*/right:1:after:pause;list:store-probes/*:1:before:pause"
    check = swamp.start("datastore", "check", "--json", stop=stop)
    stays, command = interrupted_twice(swamp, check).splitlines()
    assert_told(swamp, swamp.place, stays, command)


def test_a_check_that_is_interrupted_before_it_creates_anything_says_nothing_of_it(swamp):
    """Nothing is there to be deleted, so nothing is looked for in a service that may not even answer."""
    stop = "get:store-probes/*/absent:1:before:pause;list:store-probes/*:1:before:kill"
    check = swamp.start("datastore", "check", "--json", stop=stop)
    swamp.stopped(check)
    check.send_signal(signal.SIGINT)
    check.send_signal(signal.SIGCONT)
    assert swamp.finished(check, code=130).json["error"]["hint"] is None


@pytest.fixture
def target(swamp, command_line, tmp_path):
    """An empty datastore; the one to copy has a run."""
    swamp("workflow", "run", "release")
    return command_line(tmp_path / "target")


def copying(swamp, target, stop):
    return swamp.start("datastore", "copy", swamp.place.url, target.place.url, "--json", stop=stop)


def assert_nothing_stays(swamp, target, tried, number):
    """Interrupt a copy after one of the creates that try the target; how to go on is told, and the target is empty."""
    copy = copying(swamp, target, f"put_if_absent:store-probes/*/{tried}:after:pause")
    swamp.stopped(copy)
    copy.send_signal(number)
    copy.send_signal(signal.SIGCONT)
    hint = swamp.finished(copy, code=130).json["error"]["hint"]
    assert hint.splitlines()[0] == "Go on with:"
    assert target.stored() == {}


each_interrupt = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


@each_interrupt
def test_an_interrupted_copy_leaves_nothing_of_its_look_whether_the_target_is_the_source(
    swamp, target, number
):
    """A record is put into the target for that, and deleted."""
    assert_nothing_stays(swamp, target, "overlap:1", number)


@each_interrupt
@pytest.mark.parametrize("tried", ["race0:5", "order/*:2"])
@pytest.mark.parametrize("new_place", ["s3", "gcs"], indirect=True)
def test_an_interrupted_copy_leaves_nothing_of_its_short_probe(swamp, target, tried, number):
    """A service that is not known is tried before anything is copied to it."""
    assert_nothing_stays(swamp, target, tried, number)


def test_a_copy_that_is_left_at_once_says_what_stays(swamp, target):
    """Of the target; then how to go on."""
    stop = "put_if_absent:store-probes/*/overlap:1:after:pause;list:store-probes/*:1:before:pause"
    stays, command, *again = interrupted_twice(swamp, copying(swamp, target, stop)).splitlines()
    assert again[0] == "Go on with:"
    assert_told(swamp, target.place, stays, command)


def test_an_interrupted_copy_says_how_to_go_on(swamp, target):
    """The command that is told brings over the rest."""
    copy = copying(swamp, target, "put_if_absent:runs/*:1:after:pause")
    swamp.stopped(copy)
    copy.send_signal(signal.SIGINT)
    copy.send_signal(signal.SIGCONT)
    hint = swamp.finished(copy, code=130).json["error"]["hint"]
    assert hint.splitlines()[0] == "Go on with:"
    swamp.pasted(hint.splitlines()[1])
    assert swamp.stored().items() <= target.stored().items()
