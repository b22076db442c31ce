"""Records with one member of another value than Swamp writes: whatever it is, no command ends in a bug of ours."""

import json
from itertools import islice

import pytest
from swamp_core.records import keys

from tests.end_to_end.spoiled_stores import new_store

GONE = object()
WRONG = [
    GONE,
    None,
    "",
    "../../format",
    -1,
    10**30,
    0.5,
    True,
    [],
    {},
    [{"x": []}],
    {"type": "object", "properties": {"ok": {"$ref": "#/nope"}}},
    {"type": 7, "required": 3},
]


def places(value, at=()):
    """The place of every value in a record, as the names and numbers that lead to it."""
    members = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, member in members:
        yield (*at, name)
        yield from places(member, (*at, name))


def with_wrong(record, place, wrong):
    """A copy of the record with another value in that place, or without it."""
    copied = json.loads(json.dumps(record))
    around = copied
    for name in place[:-1]:
        around = around[name]
    if wrong is GONE:
        del around[place[-1]]
    else:
        around[place[-1]] = wrong
    return json.dumps(copied).encode()


@pytest.fixture(scope="module")
def signalled(command_line, tmp_path_factory):
    store = new_store(command_line(tmp_path_factory.mktemp("members") / "repo"))
    store.library.signal(store.mine.wait_id, {"ok": True})
    return store


RECORDS = {
    "the registration": lambda store: keys.registration(store.mine.wait_id),
    "the outcome": lambda store: keys.outcome(store.mine.wait_id),
    "the first entry": lambda store: store.change_journal(1),
    "a middle entry": lambda store: store.change_journal(3),
    "the newest snapshot": lambda store: keys.entry(store.mine.run_id, 5),
}


@pytest.mark.parametrize("key_of", RECORDS.values(), ids=RECORDS)
def test_a_wrong_member_of_a_record_is_no_bug(signalled, tmp_path, key_of):
    """Every command that reads the record does its work or refuses, with an exit code that says which."""
    store = signalled.copied(tmp_path / "repo")
    mine, key = store.mine, key_of(store)
    untouched = store.swamp.stored()
    record = json.loads(store.read(key))
    for number, place in islice(enumerate(places(record)), 0, None, store.swamp.place.one_in):
        store.spoil(key, with_wrong(record, place, WRONG[number % len(WRONG)]))
        for command in (
            ("waits",),
            ("history", "list"),
            ("history", "get", mine.run_id),
            ("signal", mine.wait_id, "--payload", '{"ok":true}'),
            ("resume", mine.run_id),
            ("cancel", mine.run_id),
        ):
            ended = store.swamp.here("--json", "workflow", *command)
            assert ended.code in (0, 1, 3), f"{command}, {place}: {ended}"
        store.swamp.place.restore(untouched)
