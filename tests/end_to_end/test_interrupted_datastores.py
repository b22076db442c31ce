"""An interrupt of a command that works on the store itself: nothing stays of a try, and a copy is gone on with."""

import signal

import pytest


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


def test_a_check_that_is_left_at_once_says_what_stays(swamp):
    """The second interrupt does not wait for the clean-up: the prefix and what deletes it are told."""
    check = swamp.start(
        "datastore",
        "check",
        "--json",
        stop="put_if_absent:store-probes/*/right:1:after:pause;list:store-probes/*:1:before:pause",
    )
    for number in (signal.SIGINT, signal.SIGTERM):
        swamp.stopped(check)
        check.send_signal(number)
        check.send_signal(signal.SIGCONT)
    ended = swamp.finished(check, code=130)
    hint = ended.json["error"]["hint"]
    assert "`store-probes/`" in hint
    assert "`swamp run gc --older-than AGE`" in hint


def test_an_interrupted_copy_says_how_to_go_on(swamp, command_line, tmp_path):
    """The command that is told brings over the rest."""
    swamp("workflow", "run", "release")
    target = command_line(tmp_path / "target")
    copy = swamp.start(
        "datastore",
        "copy",
        swamp.place.url,
        target.place.url,
        "--json",
        stop="put_if_absent:runs/*:1:after:pause",
    )
    swamp.stopped(copy)
    copy.send_signal(signal.SIGINT)
    copy.send_signal(signal.SIGCONT)
    hint = swamp.finished(copy, code=130).json["error"]["hint"]
    assert hint.splitlines()[0] == "Go on with:"
    swamp.pasted(hint.splitlines()[1])
    assert swamp.stored().items() <= target.stored().items()
