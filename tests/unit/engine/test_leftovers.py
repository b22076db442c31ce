"""What a sweep takes for left over, and what it leaves alone: decided from what was listed and read."""

from __future__ import annotations

from datetime import timedelta

import pytest
from swamp_core.engine.leftovers import (
    ClosedWait,
    CutOff,
    ForgottenSignal,
    Orphan,
    OverSignal,
    StaleMark,
    UnknownWait,
    VoidJournal,
    leftovers,
)
from swamp_core.engine.surveying import BeingRemoved, Listed, NoJournal, Seen, Survey
from swamp_core.engine.surveying_signals import SignalTraces
from swamp_core.journal.early import KEPT_AFTER_EXPIRY
from swamp_core.records.base import Unreadable
from swamp_core.records.early import EarlyEnd, EarlyName, EarlySignal, EarlyTake, Use
from swamp_core.run.events import Parent, RunDeleted
from swamp_core.waits.early import Ended, Free, HeldSignal, Reserved, Used

from tests.histories import NOW

GARBAGE = Unreadable("runs/r/1", "it is empty")


def run(run_id="r", status="suspended", **changes):
    given = {
        "run_id": run_id,
        "workflow": "w",
        "status": status,
        "ended": status in ("failed", "succeeded", "cancelled"),
        "mark": 7,
        "started_at": NOW,
        "finished_at": NOW + timedelta(hours=1),
        "parent": None,
        "keeps_children": False,
        "wait_ids": frozenset(),
        "child_run_ids": frozenset(),
    }
    return Seen(**{**given, **changes})


def found(sights, *, marked=(), waits=(), outcomes=(), indexed=None, journals=None, signals=()):
    there = [run_id for run_id, sight in sights.items() if not isinstance(sight, NoJournal)]
    listed = Listed(
        outcomes=frozenset(outcomes),
        registrations=frozenset(waits),
        marked=tuple(("w", run_id, number) for run_id, number in marked),
        journals=frozenset(there if journals is None else journals),
        indexed=dict.fromkeys(sights if indexed is None else indexed, "w"),
    )
    return list(leftovers(Survey(listed, sights, signals), NOW))


PARENT = Parent(run_id="p", workflow="w", mark=7, job="j", step="s")
CHILD = run("c", parent=PARENT)


@pytest.mark.parametrize("status", ["running", "suspended"])
def test_nothing_of_a_run_that_goes_on_is_left_over(status):
    """Its mark, its waits and their outcomes are its own."""
    going = run(status=status, wait_ids=frozenset({"a", "b"}))
    assert found({"r": going}, marked=[("r", 7)], waits=["a", "b"], outcomes=["a"]) == []


def test_of_a_run_that_is_over_its_mark_and_registrations_are():
    """What the end did not come to goes; outcomes stay, for late repeats of a signal."""
    over = run(status="succeeded", wait_ids=frozenset({"a"}))
    left = found({"r": over}, marked=[("r", 7)], waits=["a"], outcomes=["a"])
    assert left == [StaleMark("w", "r", 7, awaited=False), ClosedWait("r", "a")]


def test_another_mark_of_a_failed_run_may_be_that_of_a_retry():
    """A retry may be about to write its entry; of a run that goes on, or did not fail, none is."""
    for status, awaited in (("failed", True), ("cancelled", False), ("running", False)):
        left = found({"r": run(status=status)}, marked=[("r", 9)])
        assert left == [StaleMark("w", "r", 9, awaited=awaited)]


def test_a_removal_that_has_begun_is_finished():
    """With or without an entry in the index."""
    removed = BeingRemoved(RunDeleted(at=NOW, wait_ids=["a"]))
    assert found({"r": removed}, outcomes=["a"]) == [CutOff("r")]
    assert found({"r": removed}, indexed=()) == [CutOff("r")]


def test_an_index_without_a_journal_is_a_start_that_was_cut_off():
    """Unless a run that goes on has planned it as one of its own: its driver will start it yet."""
    assert found({"r": NoJournal()}) == [CutOff("r")]
    parent = run("p", child_run_ids=frozenset({"r"}))
    assert found({"p": parent, "r": NoJournal()}) == []
    assert found({"p": GARBAGE, "r": NoJournal()}) == []


def test_a_journal_that_is_in_no_index_was_made_after_the_removal():
    """It goes, with its mark and its waits; one that was only listed too late is a run that just began."""
    void = {"r": run(wait_ids=frozenset({"a"}))}
    left = found(void, indexed=(), marked=[("r", 7)], waits=["a"])
    assert left == [VoidJournal("r"), StaleMark("w", "r", 7, awaited=False), UnknownWait("a")]
    assert found({"r": GARBAGE}, indexed=()) == [VoidJournal("r")]
    assert found({"r": run()}, indexed=(), journals=()) == []


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ({}, [Orphan("c", removed=True)]),
        ({"p": run("p")}, []),
        ({"p": run("p", "failed")}, [Orphan("c", removed=False)]),
        ({"p": run("p", mark=8)}, [Orphan("c", removed=False)]),
        ({"p": run("p", "cancelled", keeps_children=True)}, []),
        ({"p": GARBAGE}, []),
    ],
)
def test_a_nested_run_is_an_orphan_once_nobody_waits_for_it(above, expected):
    """Its parent is gone, over, or was retried since, and was not asked to let it go on."""
    assert found({**above, "c": CHILD}) == expected


def test_a_nested_run_of_a_tree_that_is_being_removed_is_ended_before_the_rest():
    """The removal of the tree cannot go on before each run of it is over."""
    removed = BeingRemoved(RunDeleted(at=NOW, wait_ids=[], child_run_ids=["c"]))
    assert found({"p": removed, "c": CHILD}) == [Orphan("c", removed=False), CutOff("p")]


def test_what_cannot_be_read_is_left_alone():
    """A run that cannot be read may go on: its index and its mark stay."""
    assert found({"r": GARBAGE}, marked=[("r", 7)]) == []


def test_a_wait_that_no_run_planned_is_looked_at():
    """Who it belongs to is told by its record."""
    assert found({"r": run()}, waits=["a"], outcomes=["b"]) == [UnknownWait("a"), UnknownWait("b")]


SIGNAL = EarlySignal(
    workflow="w",
    key_name="k",
    signal_id="s",
    place=1,
    payload={},
    received_at=NOW,
    submitted_by="u",
    idempotency_key="one",
    expires_at=NOW - KEPT_AFTER_EXPIRY,
)
USE = Use(wait_id="a", run_id="r", job="j", step="s", taken_at=NOW)
NAME = EarlyName(signal=SIGNAL)


def end(reason="used", *, use=USE, number=2, expires_at=SIGNAL.expires_at):
    return EarlyEnd(
        workflow="w",
        key_name="k",
        signal_id="s",
        number=number,
        reason=reason,
        use=use,
        expires_at=expires_at,
    )


def test_a_signal_that_was_used_is_ended_before_the_mark_of_its_run_goes():
    """Without the mark its take says nothing: the next wait would use it again."""
    over = run(status="cancelled", wait_ids=frozenset({"a"}))
    traces = SignalTraces(("w", "k", SIGNAL.signal_id), held=HeldSignal(SIGNAL, 1, Used(USE)))
    left = found({"r": over}, marked=[("r", 7)], outcomes=["a"], signals=(traces,))
    assert [type(each) for each in left] == [OverSignal, StaleMark]


@pytest.mark.parametrize(
    ("state", "run_id"),
    [(Used(USE), "r"), (Ended(end()), "r"), (Ended(end("discarded", use=None)), None), (Free(), None)],
)
def test_a_signal_that_no_wait_will_have_is_left_over(state, run_id):
    """It was used, or ended, or its time is over for long."""
    traces = SignalTraces(("w", "k", "s"), held=HeldSignal(SIGNAL, 1, state))
    assert found({}, signals=(traces,)) == [OverSignal(SIGNAL, run_id)]


@pytest.mark.parametrize("state", [Reserved(USE), Reserved(None), Free()])
def test_a_signal_that_a_wait_may_have_yet_is_not(state):
    """One that a wait has taken stays, however old it is, and a free one until its time is over for long."""
    young = SIGNAL.model_copy(update={"expires_at": SIGNAL.expires_at + timedelta(seconds=1)})
    signal = young if state == Free() else SIGNAL
    assert found({}, signals=(SignalTraces(("w", "k", "s"), held=HeldSignal(signal, 1, state)),)) == []


TAKE = EarlyTake(workflow="w", key_name="k", signal_id="s", number=1, use=USE, mark=1)


@pytest.mark.parametrize(
    ("highest", "name", "expected"),
    [
        (end(), NAME, ("one", "a")),
        (end("expired", use=None), None, (None, None)),
        (None, NAME, ("one", None)),
        (TAKE, None, (None, None)),
        (TAKE, NAME, ("one", None)),
    ],
)
def test_what_is_left_of_a_signal_goes_when_its_time_is_over_for_long(highest, name, expected):
    """With its name, if it has one; a take alone says nothing."""
    traces = SignalTraces(("w", "k", "s"), highest=highest, name=name)
    assert found({}, signals=(traces,)) == [ForgottenSignal(("w", "k", "s"), *expected)]


@pytest.mark.parametrize("highest", [GARBAGE, end(expires_at=NOW), end()])
def test_what_is_left_of_a_signal_stays_as_long_as_it_tells_something(highest):
    """The run that used it is there, its time is not over for long, or what is told cannot be read."""
    traces = SignalTraces(("w", "k", "s"), highest=highest, name=NAME)
    over = run(status="succeeded", wait_ids=frozenset({"a"}))
    assert found({"r": over}, outcomes=["a"], signals=(traces,)) == []
