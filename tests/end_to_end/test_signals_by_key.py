"""Signals by workflow and key: to the wait that holds it, from any host, refused with a reason, and safe to repeat."""

import pytest

from tests.end_to_end.keyed_releases import (
    HARMLESS,
    HOUR_S,
    TO_KEY,
    applied,
    discard,
    early_signals,
    keyed,
    named,
    send,
    standing,
)
from tests.end_to_end.releases import FIX, SHIP

DAY_S = 24 * HOUR_S


def refused(release, payload=SHIP, *options, **world):
    """The refusal of a signal by key, which leaves the store as it is."""
    before = release.swamp.stored()
    error = send(release, payload, *options, code=3, **world)
    assert release.swamp.stored() == before
    return error


def test_a_signal_by_key_goes_to_the_wait_that_holds_it(release):
    """It is answered as a signal by the ID of the wait, with every member that such an answer has, and the key."""
    ran = keyed(release).run()
    (wait,) = ran["waits"]
    answer = send(release, SHIP, *named("build-7"), user="ann")
    receipt = answer.pop("receipt")
    assert answer == {
        "status": "accepted",
        "waitId": wait["waitId"],
        "runId": ran["run"]["id"],
        "workflow": "release",
        "job": "release",
        "step": "review",
        "key": "verdict",
        "expiresAt": None,
        "awaitingResume": True,
        "resumeCommand": f"swamp workflow resume {ran['run']['id']}",
        "run": None,
        "parent": None,
    }
    assert (receipt["waitId"], receipt["submittedBy"], receipt["idempotencyKey"]) == (
        wait["waitId"],
        "ann",
        "build-7",
    )
    assert release.resume()["run"]["status"] == "succeeded"
    assert [each["id"] for each in applied(release, ran["run"]["id"])] == [receipt["id"]]


def test_a_signal_by_key_resumes_the_run(release):
    """With --resume the run goes on at once."""
    ran = keyed(release).run()
    answer = send(release, SHIP, "--resume")
    assert (answer["run"]["id"], answer["run"]["status"]) == (ran["run"]["id"], "succeeded")
    assert release.done() == {"ship": 1}


def test_a_signal_with_nobody_to_resume_is_held(release):
    """With --resume and no run that waits, the signal is held, and nothing is resumed."""
    answer = send(keyed(release), SHIP, "--resume")
    assert (answer["status"], answer["runId"], answer["run"]) == ("held", None, None)
    assert release.runs() == []


def elsewhere(release, tmp_path):
    """The command line of another host: an empty directory, another home, and the same datastore."""
    directory = tmp_path / "elsewhere"
    directory.mkdir()
    (tmp_path / "home").mkdir()
    there = release.swamp.at(directory, HOME=str(tmp_path / "home"), SWAMP_DATASTORE=release.swamp.place.url)
    return type(release)(there)


def test_a_host_without_the_workflow_signals_the_holder(release, tmp_path):
    """Who knows the store, the workflow's name and the key needs nothing else, as long as a wait holds the key."""
    ran = keyed(release).run()
    there = elsewhere(release, tmp_path)
    answer = send(there, SHIP)
    assert (answer["status"], answer["runId"]) == ("accepted", ran["run"]["id"])
    assert list(there.directory.iterdir()) == []
    held = send(there, SHIP)  # The claim says how signals are held.
    assert held["status"] == "held"
    assert [each["id"] for each in early_signals(there)] == [held["receipt"]["id"]]
    assert send(there, SHIP, "--dry-run")["status"] == "would_hold"


def test_a_key_that_nobody_knows(release, tmp_path):
    """No file declares it and no wait has claimed it: the key is unknown, or the workflow where there is no file."""
    keyed(release)
    other = ("workflow", "signal", "--workflow", "release", "--key", "verdit", "--payload", SHIP)
    error = release.swamp.json(*other, code=3)["error"]
    assert error["code"] == "unknown_key"
    assert error["details"] == {"workflow": "release", "key": "verdit", "known": ["verdict"]}
    assert "verdict" in error["message"]
    assert send(elsewhere(release, tmp_path), SHIP, code=3)["code"] == "unknown_workflow"
    assert release.swamp.stored() == {}


@pytest.mark.parametrize("name", ["", "no/slash", "Verdict", "../verdict", "a" * 65, "nul", "\n", "é"])
def test_a_malformed_key_or_workflow_is_unknown(release, name):
    """What could not be a name is refused like one that nobody declares."""
    keyed(release)
    by_key = ("workflow", "signal", "--workflow", "release", "--key", name, "--payload", SHIP)
    by_workflow = ("workflow", "signal", "--workflow", name, "--key", "verdict", "--payload", SHIP)
    assert release.swamp.json(*by_key, code=3)["error"]["code"] == "unknown_key"
    assert release.swamp.json(*by_workflow, code=3)["error"]["code"] == "unknown_workflow"
    assert release.swamp.stored() == {}


def test_a_step_that_wants_no_signal_held(release):
    """`earlySignals: false`: without a wait a signal is refused; a wait is signalled as ever, by its name too."""
    keyed(release, "false")
    assert refused(release)["code"] == "no_open_wait"
    assert refused(release, SHIP, *named("build-7"))["code"] == "no_open_wait"
    assert refused(release, SHIP, "--dry-run")["code"] == "no_open_wait"
    release.run()
    first = send(release, SHIP, *named("build-7"))
    assert first["status"] == "accepted"
    again = send(release, SHIP, *named("build-7"))
    assert (again["status"], again["receipt"]) == ("repeated", first["receipt"])
    assert refused(release)["code"] == "no_open_wait"
    release.resume()
    assert refused(release)["code"] == "no_open_wait"
    assert early_signals(release) == []


def test_as_many_signals_are_held_as_the_step_wants(release):
    """`earlySignals: {max: 1}`: the second is refused, and held when the first has expired or is discarded."""
    keyed(release, "{ max: 1 }")
    first = send(release)
    error = refused(release)
    assert (error["code"], error["details"]["held"]) == ("early_signals_full", 1)
    assert refused(release, SHIP, "--dry-run")["code"] == "early_signals_full"
    discard(release, first["receipt"]["id"])
    assert send(release)["status"] == "held"
    assert send(release, clock_offset_s=2 * HOUR_S)["status"] == "held"


def test_the_holder_refuses_a_payload_that_does_not_fit(release):
    """What the wait that holds the key would refuse is refused, named or not, and not held either."""
    wait_id = keyed(release).run()["waits"][0]["waitId"]
    for options in ((), named("build-7"), ("--dry-run",)):
        error = refused(release, HARMLESS, *options)
        assert (error["code"], error["details"]["waitId"]) == ("invalid_payload", wait_id)
    assert send(release)["waitId"] == wait_id


def test_an_overdue_holder_refuses(release):
    """A signal after the deadline is told so, and settles nothing."""
    keyed(release).run()
    for options in ((), named("build-7"), ("--dry-run",)):
        assert refused(release, SHIP, *options, clock_offset_s=25 * HOUR_S)["code"] == "expired"
    assert send(release)["status"] == "accepted"


def test_a_claim_that_cannot_be_read_keeps_signals_from_the_key(release):
    """It is named, with the command that clears it; then the key is free."""
    keyed(release).run()
    release.swamp.place.write("wait-keys/release/verdict/999999999000", b"what is this?")
    error = refused(release)
    assert (error["code"], error["details"]["record"]) == (
        "unreadable",
        "wait-keys/release/verdict/999999999000",
    )
    assert refused(release, SHIP, "--dry-run")["code"] == "unreadable"
    assert "swamp workflow keys release --release verdict" in error["hint"]


def told(answer):
    return answer["status"], answer["receipt"]["id"], answer["runId"], answer["awaitingResume"]


def test_a_repeat_is_told_what_became_of_the_signal(release):
    """Held; taken by an open run; by one that was resumed and is over; the receipt is the same each time."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))
    receipt_id = first["receipt"]["id"]
    assert told(first) == ("held", receipt_id, None, False)
    again = send(release, SHIP, *named("build-7"))
    assert (again["status"], again["receipt"], again["expiresAt"]) == (
        "held",
        first["receipt"],
        first["expiresAt"],
    )
    release.swamp("workflow", "run", "release", code=-9, stop="put_if_absent:wait-outcomes/*:1:after:kill")
    run_id = release.runs()[0]["id"]
    taken = send(release, SHIP, *named("build-7"))
    assert told(taken) == ("repeated", receipt_id, run_id, True)
    release.swamp("workflow", "recover", "release", "--run", run_id)
    release.resume()
    ended = send(release, SHIP, *named("build-7"))
    assert told(ended) == ("repeated", receipt_id, run_id, False)
    assert ended["receipt"] == taken["receipt"]
    assert [each["id"] for each in applied(release, run_id)] == [receipt_id]
    later = release.run()
    assert len(later["waits"]) == 1
    assert told(send(release, SHIP, *named("build-7"))) == ("repeated", receipt_id, run_id, False)
    assert release.wait()["waitId"] == later["waits"][0]["waitId"]


def test_a_repeat_after_the_run_was_deleted_is_no_second_signal(release):
    """Also when the run that used it is gone, and another one waits under the key."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))
    run_id = release.run("--wait")["run"]["id"]
    release.swamp("run", "delete", run_id)
    later = release.run()["waits"][0]["waitId"]
    again = send(release, SHIP, *named("build-7"))
    assert told(again) == ("repeated", first["receipt"]["id"], run_id, False)
    assert release.wait()["waitId"] == later


def test_a_repeat_of_a_signal_to_the_holder(release):
    """A named signal to an open wait is told as repeated while its run waits to be resumed, and when it is over."""
    ran = keyed(release).run()
    first = send(release, SHIP, *named("build-7"))
    assert first["waitId"] == ran["waits"][0]["waitId"]
    again = send(release, SHIP, *named("build-7"))
    assert (again["status"], again["receipt"]) == ("repeated", first["receipt"])
    assert early_signals(release) == []
    release.resume()
    assert told(send(release, SHIP, *named("build-7"))) == (
        "repeated",
        first["receipt"]["id"],
        ran["run"]["id"],
        False,
    )


def test_a_repeat_after_the_time_is_over(release):
    """What was held until then and expired is told so, at the first look and at each later one."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))
    for _ in range(2):
        error = send(release, SHIP, *named("build-7"), code=3, clock_offset_s=2 * HOUR_S)
        assert (error["code"], error["details"]["receipt"]) == ("expired", first["receipt"])
    assert release.run()["waits"], "a signal that had expired was taken"


def test_a_repeat_of_what_was_discarded(release):
    """A signal that was discarded is told as closed, and not held again."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))
    discard(release, first["receipt"]["id"])
    error = refused(release, SHIP, *named("build-7"))
    assert (error["code"], error["details"]["receipt"]) == ("closed", first["receipt"])
    assert early_signals(release) == []


def test_another_payload_under_the_same_name(release):
    """Refused with the receipt of the first: while that is held, taken, and when its run is over."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))["receipt"]["id"]

    def conflict(*options):
        error = refused(release, FIX, *named("build-7"), *options)
        return error["code"], error["details"]["receipt"]["id"]

    assert conflict() == conflict("--dry-run") == ("idempotency_conflict", first)
    assert release.run()["run"]["status"] == "succeeded"
    assert conflict() == conflict("--dry-run") == ("idempotency_conflict", first)


def checked(release, *options, **world):
    """What a dry run says, which leaves the store as it is."""
    before = release.swamp.stored()
    answer = send(release, SHIP, "--dry-run", *options, **world)
    assert release.swamp.stored() == before
    return answer["status"]


def test_a_dry_run_says_what_would_become_of_a_signal(release):
    """Held, accepted by the holder, or repeated: it writes nothing in any state."""
    keyed(release)
    assert checked(release) == checked(release, *named("build-7")) == "would_hold"
    send(release, SHIP, *named("build-7"))
    assert checked(release) == "would_hold"
    assert checked(release, *named("build-7")) == "would_repeat"
    told = release.swamp(*TO_KEY, "--payload", SHIP, *named("build-7"), "--dry-run").out
    assert "The signal for the key verdict of release is held; sent again it would get this receipt:" in told
    assert release.run()["run"]["status"] == "succeeded"
    assert checked(release) == "would_hold"
    assert checked(release, *named("build-7")) == "would_repeat"
    release.run()
    assert checked(release) == checked(release, *named("build-8")) == "would_accept"
    late = send(release, SHIP, "--dry-run", *named("build-9"), code=3, clock_offset_s=25 * HOUR_S)
    assert late["code"] == "expired"


def test_a_dry_run_tells_of_an_end(release):
    """What was discarded or has expired is told as it would be by the signal itself."""
    keyed(release)
    first = send(release, SHIP, *named("build-7"))
    expired = refused(release, SHIP, *named("build-7"), "--dry-run", clock_offset_s=2 * HOUR_S)
    assert expired["code"] == "expired"
    discard(release, first["receipt"]["id"])
    assert refused(release, SHIP, *named("build-7"), "--dry-run")["code"] == "closed"


@pytest.mark.parametrize(
    "words",
    [
        ("--workflow", "release"),
        ("--key", "verdict"),
        ("5d0f4c6a", "--workflow", "release", "--key", "verdict"),
        ("5d0f4c6a", "--ttl", "60"),
    ],
)
@pytest.mark.only_local("no store is asked")
def test_a_signal_that_is_addressed_by_half(release, words):
    """A wait, or a workflow and a key: anything else is a mistake of usage."""
    assert keyed(release).swamp("workflow", "signal", *words, "--payload", SHIP, code=2).err


@pytest.mark.parametrize("ttl", ["0", "-1", "soon", "0.5", "40000000", "nan", "inf"])
@pytest.mark.only_local("nothing is sent to a store")
def test_a_time_that_no_signal_is_held_for(release, ttl):
    """A second to a year."""
    keyed(release)
    ended = release.swamp(*TO_KEY, "--payload", SHIP, f"--ttl={ttl}", code=None)
    assert ended.code in (2, 3), ended
    assert release.swamp.stored() == {}


WRITES = [
    "put_if_absent:early-names/*:1",
    "put_if_absent:early-signals/*:1",
    "put_if_absent:early-takes/*:1",  # The take.
    "put_if_absent:wait-outcomes/*:1",
    "put_if_absent:early-takes/*:2",  # Its end.
    "delete:early-signals/*:1",
]


def test_the_points_are_all_that_a_signal_by_key_creates_and_deletes(release, tmp_path):
    """No record that a sender with a name makes or removes is left out of this file."""
    keyed(release).run()
    log = tmp_path / "requests"
    send(release, SHIP, *named("build-7"), requests=log)
    lines = [line.split("/")[0].replace(" ", ":") for line in log.read_text().splitlines()]
    sent = [each for each in lines if each.startswith(("put_if_absent:", "delete:"))]
    assert list(dict.fromkeys(sent)) == list(dict.fromkeys(each.split("/")[0] for each in WRITES))


@pytest.mark.parametrize("stop", [f"{point}:{side}:kill" for point in WRITES for side in ("before", "after")])
def test_a_sender_that_is_killed_repeats_its_signal(release, stop):
    """Wherever it is killed, repeated under its name the signal is applied to the wait, once."""
    ran = keyed(release).run()
    killed = release.swamp(*TO_KEY, "--payload", SHIP, *named("build-7"), code=-9, stop=stop)
    assert "stopping: kill" in killed.err
    answer = send(release, SHIP, *named("build-7"))
    assert answer["waitId"] == ran["waits"][0]["waitId"]
    assert release.resume()["run"]["status"] == "succeeded"
    assert [each["id"] for each in applied(release, ran["run"]["id"])] == [answer["receipt"]["id"]]
    assert len(release.run()["waits"]) == 1
    assert release.wait()["key"] == "verdict"
    assert "early-signals" not in standing(release.swamp.stored())


@pytest.mark.parametrize(
    "stop", [f"{point}:{side}:kill" for point in WRITES[:2] for side in ("before", "after")]
)
def test_a_sender_that_is_killed_while_nobody_waits(release, stop):
    """The repeat finds its signal, or sends it; the next run has it, once."""
    keyed(release)
    killed = release.swamp(*TO_KEY, "--payload", SHIP, *named("build-7"), code=-9, stop=stop)
    assert "stopping: kill" in killed.err
    answer = send(release, SHIP, *named("build-7"))
    assert answer["status"] == "held"
    run_id = release.run("--wait")["run"]["id"]
    assert [each["id"] for each in applied(release, run_id)] == [answer["receipt"]["id"]]
    assert len(release.run()["waits"]) == 1
    assert "early-signals" not in standing(release.swamp.stored())
