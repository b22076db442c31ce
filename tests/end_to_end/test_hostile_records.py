"""A record of each family in a state in which Swamp did not write it: unreadable where its turn comes, never absent.

Each test says what becomes of the run `mine`; that `other` beside it can be listed, signalled, resumed and cancelled
holds in all. What a journal may hold is in `test_hostile_journals`.
"""

import json

import pytest
from swamp_core.records import keys
from swamp_core.store.keys import RECORD_BYTES_MAX

from tests.end_to_end.spoiled_stores import (
    BAD_SCHEMAS,
    PAYLOAD,
    SPOILS,
    assert_the_rest_works,
    new_store,
    of_another_id,
    waiting,
)


@pytest.fixture(scope="module")
def suspended(command_line, tmp_path_factory):
    return new_store(command_line(tmp_path_factory.mktemp("records") / "repo"))


@pytest.fixture
def store(suspended, tmp_path):
    """A store of its own for each test."""
    return suspended.copied(tmp_path / "repo")


each_spoil = pytest.mark.parametrize("spoil", SPOILS, ids=lambda spoil: spoil.__name__)
each_but_of_another_id = pytest.mark.parametrize(
    "spoil", [spoil for spoil in SPOILS if spoil is not of_another_id], ids=lambda spoil: spoil.__name__
)
"""For a family of one record."""


@each_but_of_another_id
def test_a_spoiled_format_stops_who_would_drive_a_run_and_nobody_else(store, spoil):
    """A store of an unknown format is not run or resumed on; what is there is listed, signalled and cancelled."""
    store.spoil(keys.FORMAT_KEY, spoil(store, keys.FORMAT_KEY))
    before = store.swamp.stored()
    assert store.refusal("run", "ask")["code"] == "unknown_format"
    assert store.refusal("resume", store.mine.run_id)["code"] == "unknown_format"
    assert store.swamp.stored() == before
    assert len(store.answer("waits")["waits"]) == 2
    assert store.library.signal(store.mine.wait_id, PAYLOAD).status == "accepted"
    assert store.library.cancel(store.other.run_id).run.status == "cancelled"
    statuses = [run["status"] for run in store.answer("history", "list")["runs"]]
    assert statuses == ["cancelled", "suspended"]


@each_spoil
@pytest.mark.parametrize("family", ["workflow-runs", "open-runs"])
def test_an_index_is_there_whatever_it_holds(store, family, spoil):
    """An index or a mark says what it says by being there: the run is listed, signalled and resumed as ever."""
    mine = store.mine
    key = (
        keys.run_index("ask", mine.run_id) if family == "workflow-runs" else keys.mark("ask", mine.run_id, 1)
    )
    store.spoil(key, spoil(store, key))
    assert_the_rest_works(store, mine="suspended")
    assert store.library.signal(mine.wait_id, PAYLOAD).status == "accepted"
    assert store.library.resume(mine.run_id).run.status == "succeeded"


@each_spoil
def test_a_spoiled_registration_is_shown_and_takes_no_signal(store, spoil):
    """A wait whose registration cannot be read is listed as unreadable; it is not unknown, and its run can be ended."""
    mine = store.mine
    key = keys.registration(mine.wait_id)
    store.spoil(key, spoil(store, key))
    listed = store.answer("waits")
    assert [each["waitId"] for each in listed["unreadable"]] == [mine.wait_id]
    assert [each["waitId"] for each in listed["waits"]] == [store.other.wait_id]
    error = store.refusal("signal", mine.wait_id, "--payload", '{"ok":true}')
    assert (error["code"], error["details"]["key"]) == ("unreadable", key)
    assert store.refusal("resume", mine.run_id)["code"] == "wait_open"
    assert_the_rest_works(store, mine="suspended")
    assert store.library.cancel(mine.run_id).run.status == "cancelled"
    assert store.answer("waits") == {"waits": [], "unreadable": []}


def signalled(store):
    """Signal both runs."""
    for run in (store.mine, store.other):
        store.library.signal(run.wait_id, PAYLOAD, idempotency_key="once")


def assert_wait_unreadable(store):
    """The outcome exists, so no signal can win any more; it is never accepted: the resume fails the step."""
    mine = store.mine
    run = store.library.resume(mine.run_id).run
    answer = run.jobs[0].steps[1]
    assert (run.status, answer.status, answer.error.code) == ("failed", "failed", "wait_unreadable")
    assert run.jobs[0].steps[2].status == "skipped"
    assert store.library.resume(store.other.run_id).run.status == "succeeded"


@each_spoil
def test_a_spoiled_outcome_fails_the_wait(store, spoil):
    """An outcome that cannot be read is shown as such, refuses every signal, and fails its step when it is applied."""
    signalled(store)
    key = keys.outcome(store.mine.wait_id)
    store.spoil(key, spoil(store, key))
    listed = store.answer("waits")
    assert (listed["waits"], [each["waitId"] for each in listed["unreadable"]]) == ([], [store.mine.wait_id])
    error = store.refusal(
        "signal", store.mine.wait_id, "--payload", '{"ok":true}', "--idempotency-key", "once"
    )
    assert (error["code"], error["details"]["key"]) == ("unreadable", key)
    third = waiting(store.library)
    assert store.library.cancel(third.run_id).run.status == "cancelled"
    assert_wait_unreadable(store)


@pytest.mark.parametrize(
    "changed",
    [
        {"runId": "01900000-0000-7000-8000-000000000001"},
        {"payload": {"ok": "true"}},
        {"payload": {}},
        {"payload": ["ok"]},
        {"receipt": None},
        {"outcome": "accepted_twice"},
    ],
    ids=["another run", "another type", "a member missing", "no object", "no receipt", "no outcome there is"],
)
def test_an_outcome_that_does_not_fit_the_wait_fails_it(store, changed):
    """The payload is checked again when it is applied: a stored signal that breaks the schema is not taken."""
    signalled(store)
    store.change(keys.outcome(store.mine.wait_id), **changed)
    assert_wait_unreadable(store)


def test_an_outcome_with_the_receipt_of_another_wait_fails_it(store):
    """A receipt says for which wait it was given."""
    signalled(store)
    receipt = json.loads(store.read(keys.outcome(store.other.wait_id)))["receipt"]
    store.change(keys.outcome(store.mine.wait_id), receipt=receipt)
    assert_wait_unreadable(store)


@pytest.mark.parametrize("schema", BAD_SCHEMAS.values(), ids=BAD_SCHEMAS)
def test_a_registration_whose_schema_cannot_be_used_is_unreadable(store, schema):
    """A schema that cannot be checked is no leave to accept: the wait is unreadable, and takes no signal."""
    mine = store.mine
    store.change(keys.registration(mine.wait_id), schema=schema)
    assert [each["waitId"] for each in store.answer("waits")["unreadable"]] == [mine.wait_id]
    error = store.refusal("signal", mine.wait_id, "--payload", '{"ok":true}')
    assert (error["code"], "schema cannot be used" in error["message"]) == ("unreadable", True)
    assert_the_rest_works(store, mine="suspended")


@pytest.mark.parametrize(
    "key_of",
    [
        lambda mine: keys.entry(mine.run_id, 5),
        lambda mine: keys.entry(mine.run_id, 6),
        lambda mine: keys.registration(mine.wait_id),
        lambda mine: keys.outcome(mine.wait_id),
    ],
    ids=["the newest entry", "the next entry", "the registration", "the outcome"],
)
def test_what_is_larger_than_any_record_goes_with_its_run(store, key_of):
    """Something else stored it there: it is in nobody's way, and a forced delete takes it."""
    store.spoil(key_of(store.mine), bytes(RECORD_BYTES_MAX + 1))
    assert_the_rest_works(store)
    for run in (store.mine, store.other):
        assert store.swamp.here("run", "delete", run.run_id, "--force").code == 0
    left = [key for key in store.swamp.stored() if store.mine.run_id in key or store.mine.wait_id in key]
    assert left == []


@pytest.mark.parametrize("family", ["waits", "runs", "wait-outcomes"])
def test_processes_tell_people_of_a_spoiled_record(store, family):
    """Run as processes and without `--json`, the commands name the record on stderr, or among what they list."""
    mine = store.mine
    signalled(store)
    key = {
        "waits": keys.registration(mine.wait_id),
        "runs": keys.entry(mine.run_id, 5),
        "wait-outcomes": keys.outcome(mine.wait_id),
    }[family]
    store.spoil(key, b"\0")
    if family == "runs":
        assert key in store.swamp("workflow", "history", "get", mine.run_id, code=3).err
        assert "unreadable" in store.swamp("workflow", "history", "list").out
    else:
        assert key in store.swamp("workflow", "signal", mine.wait_id, "--payload", '{"ok":true}', code=3).err
        waits = store.swamp("workflow", "waits")
        assert key in waits.out + waits.err
