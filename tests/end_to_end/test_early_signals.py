"""A signal that comes before its wait is held for the next one, listed, discarded, or over when its time is."""

import json
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

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
from tests.end_to_end.releases import FIX, SHIP, steps_of
from tests.end_to_end.spoiled_stores import SPOILS, deep, larger_than_any_record

NOON = "2026-07-27T12:00:00Z"
SENDERS = 6
ONE = "2026-07-27T13:00:00Z"


def at(minute, *, ids):
    """A world at some minutes past noon."""
    return {"now": f"2026-07-27T12:{minute:02}:00Z", "ids": ids}


def test_a_held_signal_is_told_in_full(release):
    """The answer, and the listing, have every member, until when it is held, and no wait yet."""
    keyed(release)
    answer = send(release, SHIP, *named("build-7"), user="ann", **at(0, ids=1))
    receipt = answer.pop("receipt")
    assert answer == {
        "status": "held",
        "waitId": None,
        "runId": None,
        "workflow": "release",
        "job": None,
        "step": None,
        "key": "verdict",
        "expiresAt": "2026-07-27T13:00:00.000Z",
        "awaitingResume": False,
        "resumeCommand": None,
        "run": None,
        "parent": None,
    }
    assert receipt == {
        "id": receipt["id"],
        "waitId": None,
        "receivedAt": "2026-07-27T12:00:00.000Z",
        "takenAt": None,
        "submittedBy": "ann",
        "idempotencyKey": "build-7",
    }
    assert early_signals(release, now=NOON) == [
        {
            "id": receipt["id"],
            "workflow": "release",
            "key": "verdict",
            "payload": {"verdict": "ship"},
            "receivedAt": "2026-07-27T12:00:00.000Z",
            "submittedBy": "ann",
            "expiresAt": "2026-07-27T13:00:00.000Z",
            "state": "held",
            "reason": None,
        }
    ]


def test_the_next_run_takes_the_oldest_that_fits(release):
    """Oldest first, whatever came in between; each run takes one; the receipt says when it came and was taken."""
    keyed(release)
    sent = [
        send(release, payload, **at(minute, ids=minute + 1))["receipt"]
        for minute, payload in enumerate([HARMLESS, FIX, SHIP])
    ]
    first = release.run(**at(20, ids=11))["run"]
    second = release.run(**at(30, ids=12))["run"]
    payloads = [steps_of(run)["review"]["outputs"]["payload"]["verdict"] for run in (first, second)]
    assert payloads == ["fix", "ship"]
    (receipt,) = applied(release, first["id"])
    assert receipt["id"] == sent[1]["id"]
    assert (receipt["receivedAt"], receipt["takenAt"]) == (
        "2026-07-27T12:01:00.000Z",
        "2026-07-27T12:20:00.000Z",
    )
    (kept,) = early_signals(release, **at(40, ids=13))
    assert (kept["id"], kept["state"]) == (sent[0]["id"], "held")


def test_signals_are_taken_in_the_order_sent_whatever_the_clocks_say(release):
    """One sender's signals are taken in the order sent, though its later one bears an earlier time."""
    keyed(release)
    first = send(release, SHIP, now="2026-07-27T12:30:00Z", ids=1)["receipt"]["id"]
    second = send(release, SHIP, now="2026-07-27T12:10:00Z", ids=2)["receipt"]["id"]
    runs = [release.run(**at(40, ids=ids))["run"]["id"] for ids in (3, 4)]
    assert [applied(release, run)[0]["id"] for run in runs] == [first, second]


def test_a_signal_that_no_schema_accepts_stays_and_expires(release):
    """It is listed with the reason, before a wait opens and beside one; the wait stays open; at its time it is over."""
    keyed(release)
    send(release, HARMLESS, **at(0, ids=1))
    (held,) = early_signals(release, **at(1, ids=2))
    assert held["state"] == "held"
    assert "verdict" in held["reason"]
    told = release.swamp("workflow", "early-signals", **at(1, ids=2)).out
    assert "It does not fit the schema" in told
    ran = release.run(**at(2, ids=3))
    assert len(ran["waits"]) == 1
    (beside,) = early_signals(release, **at(3, ids=4))
    assert (beside["state"], beside["reason"]) == ("held", held["reason"])
    (over,) = early_signals(release, now=ONE)
    assert (over["state"], over["reason"]) == ("expired", None)
    answer = send(release, SHIP, now=ONE, ids=5)
    assert (answer["status"], answer["runId"]) == ("accepted", ran["run"]["id"])


def test_an_early_signal_is_not_taken_when_its_time_is_over(release):
    """At the very instant it is over: the next run waits."""
    keyed(release)
    send(release, SHIP, now=NOON, ids=1)
    assert len(release.run(now=ONE, ids=2)["waits"]) == 1
    assert early_signals(release, now=ONE) == []


@pytest.mark.parametrize(
    ("early", "options", "until"),
    [
        (None, (), "13:00:00"),
        (None, ("--ttl", "60"), "12:01:00"),
        ("{ ttl: 10m }", (), "12:10:00"),
        ("{ ttl: 10m }", ("--ttl", "7200"), "14:00:00"),
        ("{ max: 3 }", (), "13:00:00"),
    ],
)
def test_how_long_a_signal_is_held(release, early, options, until):
    """An hour; or as the step says; or as the sender says."""
    keyed(release, early)
    answer = send(release, SHIP, *options, now=NOON, ids=1)
    assert answer["expiresAt"] == f"2026-07-27T{until}.000Z"


def test_a_signal_waits_its_turn_behind_one_that_is_held(release):
    """With a signal held that the wait does not accept, the next one is delivered all the same, and once."""
    keyed(release)
    send(release, HARMLESS)
    ran = release.run()
    answer = send(release, FIX)
    assert (answer["status"], answer["runId"]) == ("accepted", ran["run"]["id"])
    assert answer["receipt"]["takenAt"]
    assert steps_of(release.resume()["run"])["review"]["outputs"]["payload"] == {"verdict": "fix"}
    assert [each["payload"] for each in early_signals(release)] == [{"verdict": "later"}]


def test_of_many_senders_at_once_one_reaches_the_holder(release):
    """As processes: one is accepted and the others are held, and each run after that has one of them, until all had."""
    ran = keyed(release).run()["run"]["id"]
    with ThreadPoolExecutor(SENDERS) as pool:
        sent = list(pool.map(lambda _: send(release), range(SENDERS)))
    assert sorted(each["status"] for each in sent) == ["accepted"] + ["held"] * (SENDERS - 1)
    release.resume()
    runs = [ran, *(release.run("--wait")["run"]["id"] for _ in range(SENDERS - 1))]
    used = [receipt["id"] for run in runs for receipt in applied(release, run)]
    assert sorted(used) == sorted(each["receipt"]["id"] for each in sent)
    assert early_signals(release) == []


def test_of_many_runs_at_once_one_takes_a_signal(release):
    """As processes: a signal that is held is used by one run, and at most one other waits under the key then."""
    keyed(release)
    signal_id = send(release)["receipt"]["id"]
    with ThreadPoolExecutor(SENDERS) as pool:
        runs = [each["run"]["id"] for each in pool.map(lambda _: release.run(code=None), range(SENDERS))]
    assert [receipt["id"] for run in runs for receipt in applied(release, run)] == [signal_id]
    assert len(release.waits()) <= 1


def test_the_keys_say_how_many_are_held(release):
    """`workflow keys` counts what is held for each key."""
    keyed(release)
    for _ in range(2):
        send(release)
    (key,) = release.swamp.json("workflow", "keys", "release")["keys"]
    assert (key["key"], key["held"], key["holder"]) == ("verdict", 2, None)


def test_signals_are_listed_by_workflow_and_by_key(release):
    """What is asked for and nothing else; a name that is no name has none."""
    keyed(release)
    release.swamp.write("workflows/other.yaml", (release.directory / "workflows/release.yaml").read_text())
    send(release)
    other = ("workflow", "signal", "--workflow", "other", "--key", "verdict", "--payload", SHIP)
    release.swamp(*other)
    assert [each["workflow"] for each in early_signals(release)] == ["other", "release"]
    assert [each["workflow"] for each in early_signals(release, "--workflow", "other")] == ["other"]
    assert [each["key"] for each in early_signals(release, "--key", "verdict")] == ["verdict"] * 2
    for name in ("none", "", "../other", "OTHER", "oth"):
        assert early_signals(release, "--workflow", name) == []
        assert early_signals(release, "--key", name) == []


def test_the_last_place_is_no_end(release):
    """Behind a record with the highest place that there is, those that are sent go by the time at which they came."""
    keyed(release)
    first = send(release, HARMLESS, **at(0, ids=1))["receipt"]["id"]
    key = f"early-signals/release/verdict/{first}"
    release.swamp.place.write(key, with_member("place", 10**12 - 1)(release.swamp.place, key))
    sent = [send(release, **at(minute, ids=minute + 1))["receipt"]["id"] for minute in (1, 2)]
    taken = [applied(release, release.run(**at(3, ids=ids))["run"]["id"])[0]["id"] for ids in (4, 5)]
    assert taken == sent


def test_a_discarded_signal_is_taken_by_no_wait(release):
    """Named by a beginning of its ID; one that several share is refused, and one that nobody has."""
    keyed(release)
    ids = [send(release, ids=seed)["receipt"]["id"] for seed in (1, 2)]
    common = next(n for n in range(37) if ids[0][:n] != ids[1][:n]) - 1
    if common >= 6:
        ambiguous = discard(release, ids[0][:common], code=3)
        assert ambiguous["code"] == "ambiguous_signal"
        assert all(each in ambiguous["message"] for each in ids)
    for unknown in ("00000000-0000-4000-8000-000000000000", "000000", ids[0][:5], "", "../", "%s"):
        assert discard(release, unknown, code=3)["code"] == "unknown_signal"
    whole = ids[0][: max(common + 1, 6)].upper()
    answer = discard(release, whole)
    assert (answer["id"], answer["workflow"], answer["key"]) == (ids[0], "release", "verdict")
    assert answer["signal"]["state"] == "discarded"
    assert discard(release, ids[0], code=3)["code"] == "unknown_signal"
    run = release.run("--wait")["run"]
    assert [each["id"] for each in applied(release, run["id"])] == [ids[1]]
    assert len(release.run()["waits"]) == 1


def test_a_beginning_that_two_signals_share(release):
    """It is refused with both IDs, and neither is discarded."""
    keyed(release)
    first = send(release)["receipt"]["id"]
    place = release.swamp.place
    key = f"early-signals/release/verdict/{first}"
    second = first[:-1] + ("0" if first[-1] != "0" else "1")
    copy = json.loads(place.read(key)) | {"signalId": second, "idempotencyKey": "another"}
    name = f"early-names/release/verdict/{sha256(b'another').hexdigest()}"
    place.write(key.replace(first, second), json.dumps(copy).encode())
    place.write(name, json.dumps({"kind": "early-name", "signal": copy}).encode())
    error = discard(release, first[:-1], code=3)
    assert error["code"] == "ambiguous_signal"
    assert first in error["message"]
    assert second in error["message"]
    assert len(early_signals(release)) == 2
    assert discard(release, second)["id"] == second


def test_a_signal_that_a_wait_has_is_not_discarded(release):
    """The wait is named, also while the driver that took it is gone; and it is applied, once."""
    keyed(release)
    signal_id = send(release)["receipt"]["id"]
    release.swamp("workflow", "run", "release", code=-9, stop="put_if_absent:early-takes/*:1:after:kill")
    (taken,) = early_signals(release)
    assert taken["state"] == "taken"
    run_id = release.runs()[0]["id"]
    error = discard(release, signal_id, code=3)
    assert error["code"] == "already_settled"
    assert error["details"]["id"] == error["details"]["receipt"]["id"] == signal_id
    assert run_id in error["message"]
    release.swamp("workflow", "recover", "release", "--run", run_id)
    release.resume()
    assert [each["id"] for each in applied(release, run_id)] == [signal_id]
    assert early_signals(release) == []


def test_an_expired_signal_may_be_discarded(release):
    """It is over either way, and gone from the list."""
    keyed(release)
    signal_id = send(release)["receipt"]["id"]
    discard(release, signal_id, clock_offset_s=2 * HOUR_S)
    assert early_signals(release) == []


@pytest.mark.only_local("it is decided before a store is asked")
def test_a_discard_names_one_signal(release):
    """With --workflow or --key it is a mistake of usage."""
    keyed(release)
    for option in ("--workflow", "--key"):
        release.swamp("workflow", "early-signals", "--discard", "000000", option, "release", code=2)


def test_no_signal_is_held(release):
    """An empty listing is one sentence, and an empty list."""
    assert "No signal is held." in release.swamp("workflow", "early-signals").out
    assert release.swamp.json("workflow", "early-signals") == {"signals": [], "unreadable": []}


RUN_WRITES = [
    "put_if_absent:early-takes/*:1",
    "put_if_absent:wait-outcomes/*:1",
    "put_if_absent:early-takes/*:2",
    "delete:early-signals/*:1",
]


@pytest.mark.parametrize(
    "stop", [f"{point}:{side}:kill" for point in RUN_WRITES for side in ("before", "after")]
)
def test_a_run_that_is_killed_while_it_takes_a_signal(release, stop):
    """Wherever it is killed, it has the signal when it was recovered, and no other run has."""
    keyed(release)
    signal_id = send(release)["receipt"]["id"]
    killed = release.swamp("workflow", "run", "release", code=-9, stop=stop)
    assert "stopping: kill" in killed.err
    run_id = release.runs()[0]["id"]
    release.swamp("workflow", "recover", "release", "--run", run_id)
    release.resume()
    assert [each["id"] for each in applied(release, run_id)] == [signal_id]
    assert len(release.run()["waits"]) == 1
    assert "early-signals" not in standing(release.swamp.stored())


def test_a_take_of_a_cancelled_run_frees_the_signal(release):
    """A run that took a signal and was cancelled before it had it: the next run has it."""
    keyed(release)
    signal_id = send(release)["receipt"]["id"]
    release.swamp("workflow", "run", "release", code=-9, stop="put_if_absent:early-takes/*:1:after:kill")
    release.swamp("workflow", "cancel", release.runs()[0]["id"], code=None)
    run = release.run()["run"]
    assert [each["id"] for each in applied(release, run["id"])] == [signal_id]


def with_member(name, value):
    def spoil(store, key):
        return json.dumps(json.loads(store.read(key)) | {name: value}).encode()

    size = len(str(value)) if isinstance(value, int) else value
    spoil.__name__ = f"{name}_{size}".replace(" ", "")
    return spoil


class Spoiled:
    """What `SPOILS` asks of a store."""

    def __init__(self, release, wait):
        self.place = release.swamp.place
        self.mine = type("Mine", (), {"run_id": wait["runId"], "wait_id": wait["waitId"]})

    def read(self, key):
        return self.place.read(key)


HOSTILE = [
    *(spoil for spoil in SPOILS if spoil.__name__ != "of_another_id"),
    with_member("place", 10**4000),
    with_member("place", 10**4300 - 1),
    with_member("place", 10**12 - 1),
    with_member("place", -1),
    with_member("number", 10**400),
    with_member("key", "other"),
    with_member("workflow", "../other"),
    with_member("expiresAt", "9999-12-31T23:59:59.999Z"),
    with_member("expiresAt", "0001-01-01T00:00:00Z"),
    with_member("expiresAt", "0001-01-01T00:00:00+14:00"),
    with_member("payload", {"verdict": [[[[{}]]]]}),
    with_member("signalId", "../../runs"),
]


each_family = pytest.mark.parametrize("family", ["early-signals", "early-names", "early-takes"])


@each_family
@pytest.mark.parametrize("spoil", HOSTILE, ids=lambda spoil: spoil.__name__)
@pytest.mark.only_local("what is read is the same; what a bucket reads otherwise is tried below")
def test_no_hostile_record_gets_in_the_way(release, family, spoil):
    """Listing, signalling, opening, ending and deleting go on, whatever stands in the place of a record."""
    assert_all_goes_on_beside(release, family, spoil)


@each_family
@pytest.mark.parametrize("spoil", [deep, larger_than_any_record], ids=lambda spoil: spoil.__name__)
def test_no_large_record_gets_in_the_way(release, family, spoil):
    """Nor on another store, where what is too large is read in another way."""
    assert_all_goes_on_beside(release, family, spoil)


def assert_all_goes_on_beside(release, family, spoil):
    """Spoil a record of the family where a driver was killed that had just taken a signal."""
    keyed(release, "{ max: 100 }")
    send(release, SHIP, *named("build-7"))
    release.swamp("workflow", "run", "release", code=-9, stop="put_if_absent:early-takes/*:1:after:kill")
    (wait,) = release.waits()
    key = next(each for each in release.swamp.stored() if each.startswith(f"{family}/"))
    release.swamp.place.write(key, spoil(Spoiled(release, wait), key))
    assert_all_goes_on(release, wait)


REFUSALS = ("unreadable", "expired", "idempotency_conflict", "closed")

STRAYS = [
    "early-signals/release/verdict/zzz",
    "early-signals/release/verdict/a/b",
    "early-signals/release/other",
    "early-signals/stray",
    "early-takes/release/verdict/zzz/aaa",
    "early-takes/stray",
    "early-names/release/verdict/zzz",
]


@pytest.mark.parametrize("key", STRAYS)
def test_no_stray_record_gets_in_the_way(release, key):
    """Nor does what stands beside the records of a key."""
    keyed(release, "{ max: 100 }")
    send(release, SHIP, *named("build-7"))
    release.swamp.place.write(key, b"what is this?")
    release.swamp("workflow", "run", "release", code=-9, stop="put_if_absent:early-takes/*:1:after:kill")
    assert_all_goes_on(release, release.wait())


def answer(release, *command):
    """What a command answers, in this process, whatever it is; it is no bug."""
    ended = release.swamp.here(*command, "--json")
    assert ended.code in (0, 1, 3), ended
    assert "Traceback" not in ended.err, ended
    return ended.json


def assert_all_goes_on(release, wait):
    """Every command that could meet the record answers; a new run's wait is signalled, resumed and deleted."""
    for command in (("early-signals", "--workflow", "release"), ("keys", "release"), ("waits",)):
        assert "error" not in answer(release, "workflow", *command)
    assert release.swamp.here("workflow", "early-signals").code == 0
    for options in ((), ("--dry-run",), named("build-7"), (*named("build-7"), "--dry-run"), named("build-8")):
        sent = answer(release, *TO_KEY, "--payload", SHIP, *options)
        assert "status" in sent or sent["error"]["code"] in REFUSALS, sent
    answer(release, "workflow", "recover", "release", "--run", wait["runId"])
    assert answer(release, "workflow", "cancel", wait["runId"])
    second = answer(release, "workflow", "run", "release")
    assert steps_of(second["run"])["review"]["status"] in ("waiting", "succeeded"), second
    if second["waits"]:
        assert "error" not in answer(release, *TO_KEY, "--payload", FIX, *named("build-9"))
        assert "error" not in answer(release, "workflow", "resume", second["run"]["id"])
    for run_id in (wait["runId"], second["run"]["id"]):
        assert "error" not in answer(release, "run", "delete", run_id, "--force")
    listed = answer(release, "workflow", "early-signals")
    for each in (*listed["signals"], *listed["unreadable"]):
        answer(release, "workflow", "early-signals", "--discard", each["id"])
