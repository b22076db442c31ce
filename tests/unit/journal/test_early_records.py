"""What others write among the takes of a held signal, or under its name, stops nobody for ever."""

from __future__ import annotations

import pytest
from swamp_core.journal.claims import highest_of
from swamp_core.journal.early import end_used_by, highest_take
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.early import EarlyEnd, EarlySignal
from swamp_core.records.families import OUTCOME, Release
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute

from tests.explored.early import KEY, WORKFLOW, early, used

LAST = keys.early_take(WORKFLOW, KEY, "s", keys.NUMBER_MAX)


def used_and_not_ended() -> MemoryStore:
    """A signal that a wait used, whose deliverer died before it wrote its end."""
    records = used("s", "a")
    ends = [key for key, data in records.items() if b'"early-end"' in data]
    return MemoryStore(
        {**{k: v for k, v in records.items() if k not in ends}, early("s").key(): early("s").encode()}
    )


def test_a_foreign_key_among_the_takes_is_passed_over():
    """It sorts before all numbers, and is none."""
    store = used_and_not_ended()
    store.put_if_absent(f"{keys.early_takes(WORKFLOW, KEY, 's')}-x", b"{}")
    assert execute(highest_take(WORKFLOW, KEY, "s"), store)[0] == 1
    execute(end_used_by(["a"]), store)
    assert isinstance(execute(highest_take(WORKFLOW, KEY, "s"), store)[1], EarlyEnd)
    assert store.get(early("s").key()) is None


@pytest.mark.parametrize("data", [b"{", b'{"format":1,"kind":"early-take"}'])
def test_a_take_above_which_no_number_is_left_ends_nothing_and_stops_nobody(data):
    """No wait will have the signal, and the end of its run goes on."""
    store = used_and_not_ended()
    store.put_if_absent(LAST, data)
    assert isinstance(execute(highest_take(WORKFLOW, KEY, "s"), store)[1], Unreadable)
    execute(end_used_by(["a"]), store)
    assert store.get(early("s").key()) is not None


def test_a_key_keeps_a_number_for_the_release_of_its_last_claim():
    """The last but one is the last that counts as readable below: a claim above it could not be superseded."""
    for number, readable in ((keys.NUMBER_MAX - 2, True), (keys.NUMBER_MAX - 1, False)):
        release = Release(workflow=WORKFLOW, key_name=KEY, number=number)
        found = execute(highest_of(WORKFLOW, KEY), MemoryStore({release.key(): release.encode()}))
        assert (found == release) is readable
        assert isinstance(found, Unreadable) is not readable


@pytest.mark.parametrize("number", ["NaN", "1e400", "9" * 400])
def test_what_no_signal_may_carry_is_unreadable_in_a_record(number):
    """It was never accepted, whoever wrote it there: a run with it could not be shown."""
    outcome = used("s", "a")[keys.outcome("a")]
    for family, key, data in (
        (EarlySignal, early("s").key(), early("s").encode()),
        (OUTCOME, keys.outcome("a"), outcome),
    ):
        assert isinstance(read_record(family, key, data), Found)
        spoiled = data.replace(b'{"of":"s"}', f'{{"of":{number}}}'.encode())
        assert spoiled != data
        assert isinstance(read_record(family, key, spoiled), Unreadable)
