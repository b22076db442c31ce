"""Journal entries: how events are split into them never shows, and what they weigh grows with the run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.cli.tracing import TracedStore
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.entry import Entry, Journal, events_bytes, next_entry
from swamp_core.journal.reading import folded, read_entries, read_journal
from swamp_core.journal.starting import start_run
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.families import Mark
from swamp_core.run.events import StepStarted, StepSucceeded
from swamp_core.run.transitions import ImpossibleEvent, fold
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute

from tests.histories import NOW, RUN, histories, started


@given(data=st.data(), events=histories())
def test_any_split_and_any_snapshots_fold_to_the_same_state(data, events):
    """Reading back from any snapshot, however the events were split, gives the state of all the events."""
    entries, state = [], None
    rest = list(events)
    while rest:
        size = data.draw(st.integers(1, len(rest)))
        chosen, rest = rest[:size], rest[size:]
        state = fold(state, chosen)
        entry = Entry(
            run_id=RUN,
            number=len(entries) + 1,
            entry_id=f"e{len(entries)}",
            owner="owner",
            events=chosen,
            snapshot=state if data.draw(st.booleans()) else None,
        )
        reading = read_record(Entry, entry.key(), entry.encode())
        assert reading == Found(entry)
        entries.append(reading.record)
    starts = [0, *(index for index, entry in enumerate(entries) if entry.snapshot)]
    for start in starts:
        journal = folded(entries[start:])
        assert isinstance(journal, Journal)
        assert journal.state == fold(None, events)
        assert journal.number == len(entries)


@given(events=histories())
def test_what_is_appended_is_what_is_read(events):
    """A journal that is appended to event by event reads back as its writer holds it, and whole as its history."""
    store = MemoryStore()
    mark = Mark(workflow="release", run_id=RUN, number=1)
    store.put_if_absent(mark.key(), mark.encode())
    journal = Journal(RUN)
    for number, event in enumerate(events):
        appended = execute(append(journal, [event], entry_id=f"e{number}", owner="owner"), store)
        assert isinstance(appended, Appended)
        journal = appended.journal
    assert execute(read_journal(RUN), store) == journal
    entries = execute(read_entries(RUN), store)
    assert [event for entry in entries for event in entry.events] == events


@pytest.mark.parametrize("steps", [500, 1_000, 2_000])
def test_the_bytes_written_stay_under_four_times_the_bytes_of_the_events(steps):
    """Snapshots are placed so that what a run writes grows linearly with what happens in it."""
    events = [started()]
    for number in range(steps):
        where = {"at": NOW, "job": "build", "step": f"step {number}"}
        events += [
            StepStarted(**where),
            StepSucceeded(**where, outputs={"exitCode": 0, "stdout": "", "stderr": ""}),
        ]
    journal, written = Journal(RUN), 0
    for number, event in enumerate(events):
        entry, journal = next_entry(journal, [event], entry_id=f"{number:036}", owner="o" * 36)
        written += len(entry.encode())
    assert written < 4 * events_bytes(events)


def test_a_snapshot_that_does_not_fit_in_a_record_is_left_out():
    """A run with more outputs than a record can hold still goes on, and is read from its events."""
    store, outputs = MemoryStore(), {"stdout": "x" * 250_000}
    begun = execute(start_run(started(), entry_id="e0", build="test"), store)
    assert isinstance(begun, Appended)
    journal = begun.journal
    for number in range(80):
        where = {"at": NOW, "job": "build", "step": f"{number}"}
        events = [StepStarted(**where), StepSucceeded(**where, outputs=outputs)]
        appended = execute(append(journal, events, entry_id=f"e{number + 1}", owner="owner"), store)
        assert isinstance(appended, Appended)
        journal = appended.journal
    assert max(len(data) for data in store.records.values()) <= RECORD_BYTES_MAX
    assert execute(read_journal(RUN), store).state == journal.state


def test_reading_a_long_journal_costs_a_snapshot_and_a_short_tail():
    """However long the history, its reader asks for the newest entry and for what came since a snapshot."""
    requests: list[str] = []
    store = TracedStore(MemoryStore(), requests.append)
    journal = execute(start_run(started(), entry_id="e0", build="test"), store).journal
    for number in range(300):
        where = {"at": NOW, "job": "build", "step": f"{number // 2}"}
        event = StepSucceeded(**where, outputs={}) if number % 2 else StepStarted(**where)
        journal = execute(append(journal, [event], entry_id=f"e{number + 1}", owner="owner"), store).journal
    requests.clear()
    assert execute(read_journal(RUN), store) == journal
    assert len(requests) <= 2 + journal.number - journal.snapshot_at
    assert journal.number - journal.snapshot_at < 200


def test_appending_costs_two_requests():
    """An append is the entry and the mark."""
    requests: list[str] = []
    store = TracedStore(MemoryStore(), requests.append)
    begun = execute(start_run(started(), entry_id="e0", build="test"), store)
    requests.clear()
    execute(
        append(begun.journal, [StepStarted(at=NOW, job="build", step="one")], entry_id="e1", owner="o"), store
    )
    assert [request.split()[0] for request in requests] == ["put_if_absent", "get"]


def test_a_journal_with_a_hole_is_unreadable_and_never_shorter():
    """An entry that is missing in the middle makes the run unreadable; it does not take back what came after."""
    store = MemoryStore()
    journal = execute(start_run(started(), entry_id="e0", build="test"), store).journal
    journal = Journal(RUN, journal.state, journal.number, snapshot_bytes=10**9)
    for number in range(5):
        event = StepStarted(at=NOW, job="build", step=f"{number}")
        journal = execute(append(journal, [event], entry_id=f"e{number + 1}", owner="owner"), store).journal
    store.delete(keys.entry(RUN, 3))
    assert isinstance(execute(read_journal(RUN), store), Unreadable)


def test_an_entry_with_a_number_far_ahead_is_unreadable_at_once():
    """A foreign entry may claim any number: its reader asks for no more than it needs to see the hole."""
    requests: list[str] = []
    store = TracedStore(MemoryStore(), requests.append)
    journal = execute(start_run(started(), entry_id="e0", build="test"), store).journal
    ahead = Entry(run_id=RUN, number=keys.NUMBER_MAX - 1, entry_id="x", owner="o", events=[started()])
    store.put_if_absent(ahead.key(), ahead.encode())
    requests.clear()
    assert isinstance(execute(read_journal(journal.run_id), store), Unreadable)
    assert len(requests) < 5 * 300


@given(events=histories())
def test_nothing_impossible_is_ever_written(events):
    """An event that the state does not allow is refused before an entry is made of it."""
    journal = Journal(RUN)
    for number, event in enumerate(events):
        _, journal = next_entry(journal, [event], entry_id=f"e{number}", owner="owner")
    with pytest.raises(ImpossibleEvent):
        next_entry(journal, [started()], entry_id="again", owner="owner")
