"""The removal of one run: it deletes what names the run, and nothing that names another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.journal.marks import own_mark
from swamp_core.journal.owners import records_of_waits
from swamp_core.journal.removal import NotEnded, Removed, remove_run
from swamp_core.records import keys
from swamp_core.records.families import Cancelled
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute

from tests.explored.runs import NOW, RUN, WAIT, canceller, suspended_run


def removal(store):
    return execute(remove_run("ask", RUN, now=NOW, entry_id="r", owner="o"), store)


def outcome(wait_id, run_id):
    return Cancelled(wait_id=wait_id, workflow="ask", run_id=run_id, job="j", step="s", at=NOW)


def test_an_unfinished_run_is_not_removed():
    """Nothing of it changes."""
    store = MemoryStore(suspended_run())
    before = dict(store.records)
    assert removal(store) == NotEnded(RUN)
    assert store.records == before


def test_the_records_that_there_were_are_counted():
    """The entry that says that the run is being removed is none of them."""
    store = MemoryStore(suspended_run())
    execute(canceller(), store)
    before = len(store.records) - 1
    assert removal(store) == Removed(before)
    assert list(store.records) == [keys.FORMAT_KEY]


def test_what_names_another_run_is_not_its_own():
    """A journal may list a wait of another run; only its own, and what cannot be read, is deleted with it."""
    store = MemoryStore()
    for wait_id, run_id in (("mine", RUN), ("theirs", "other")):
        store.put_if_absent(keys.outcome(wait_id), outcome(wait_id, run_id).encode())
    store.put_if_absent(keys.outcome("garbage"), b"{}")
    own = execute(records_of_waits(RUN, ["mine", "theirs", "garbage", WAIT]), store)
    assert own == [keys.outcome("mine"), keys.outcome("garbage")]


@given(entry_id=st.text(max_size=40), after=st.integers(0, keys.NUMBER_MAX // 2))
def test_a_mark_of_its_own_is_a_number_after_the_last(entry_id, after):
    """It is the same for the same entry, and higher than the mark before it."""
    number = own_mark(entry_id, after=after)
    assert after < number <= keys.NUMBER_MAX
    assert number == own_mark(entry_id, after=after)


def test_no_two_entries_have_one_mark():
    """Of ten thousand attempts at one retry no two share a number, so none makes another's mark return."""
    assert len({own_mark(f"{number}") for number in range(10_000)}) == 10_000
