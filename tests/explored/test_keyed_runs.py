"""Whole runs that want one key, beside everything that ends, removes, signals or reads them.

Each scenario says by how many preemptions it is bounded: all schedules are searched in which an actor that could go on
is interrupted at most so often.
"""

from __future__ import annotations

from swamp_core.records import keys
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Get, Together
from swamp_core.testing.explore import Actor, Exploration, ExploredClock, explore

from tests.explored import keyed_runs
from tests.explored.keyed_runs import (
    LATER,
    Scene,
    begun,
    canceller,
    key_reader,
    lister,
    opened,
    remover,
    resuming,
    signaller,
    signalling_and_resuming,
    suspending,
    workflow_deleter,
)
from tests.explored.runs import NOW
from tests.explored.test_runs import assert_safe, first_problem

AT_END = (
    keyed_runs.acknowledged,
    keyed_runs.nothing_is_left,
    keyed_runs.key_is_free_or_held,
    keyed_runs.one_listed,
)


def exploring(*actors: Actor, records, at_end=AT_END, **bounds) -> Exploration:
    always = first_problem(keyed_runs.one_holder, keyed_runs.acts_once)
    return explore(list(actors), records=records, always=always, at_end=first_problem(*at_end), **bounds)


def test_claimants_beside_a_signal_to_the_holder_and_the_end_of_its_run():
    """Whenever the holder is settled or its run ends, one of the others takes the key. Two preemptions."""
    scene = Scene("a", "b", "c", holding=True)
    actors = [scene.opener("b"), signaller("a"), canceller("a"), scene.opener("c")]
    assert_safe(exploring(*actors, records=scene.records, preemptions=2))


def test_a_claimant_beside_a_forced_delete_of_its_run_and_another_claimant():
    """The wait of a run that is removed is open at no moment after it, and leaves nothing. Two preemptions."""
    scene = Scene("a", "b")
    assert_safe(
        exploring(scene.opener("a"), remover("a"), scene.opener("b"), records=scene.records, preemptions=2)
    )


def test_a_claimant_beside_the_deletion_of_its_workflow_and_another_claimant():
    """All runs of the workflow may go while their waits are opened. One preemption."""
    scene = Scene("a", "b")
    actors = [scene.opener("a"), workflow_deleter(), scene.opener("b")]
    assert_safe(exploring(*actors, records=scene.records, preemptions=1))


def test_a_claimant_beside_the_deadline_of_the_holder_and_two_readers():
    """The deadline passes at any moment; who lists never sees two open waits under the key. Three preemptions."""
    scene, clock = Scene("a", "b", holding=True), ExploredClock(NOW, LATER)
    actors = [scene.opener("b", clock.now), lister(), key_reader(clock.now)]
    assert_safe(exploring(*actors, records=scene.records, clock=clock, preemptions=3))


def test_a_signal_beside_the_deadline_a_cancel_and_a_resume():
    """A signal that was accepted is kept, and one driver acts on it, whenever the deadline passes. Two preemptions."""
    scene, clock = Scene("a", holding=True), ExploredClock(NOW, LATER)
    actors = [
        signaller("a", clock.now),
        canceller("a"),
        Actor("resumes", lambda: resuming("a", "resumes", clock.now)),
    ]
    at_end = (keyed_runs.acknowledged, keyed_runs.nothing_is_left)
    assert_safe(exploring(*actors, records=scene.records, at_end=at_end, clock=clock, preemptions=2))


def test_a_signal_beside_a_forced_delete():
    """It is refused, or its run ended with it; in every order."""
    scene = Scene("a", holding=True)
    assert_safe(exploring(signaller("a"), remover("a"), records=scene.records))


def test_a_driver_that_suspends_beside_a_signal_that_resumes():
    """One of the two takes the run up; in every order."""
    records, actors = suspending_and_signalling()
    at_end = (keyed_runs.acknowledged, keyed_runs.taken_up)
    assert_safe(exploring(*actors, records=records, at_end=at_end))


def test_a_driver_that_does_not_look_again_leaves_a_run_suspended():
    """The signal came before the run was suspended, and after the driver's last look."""
    records, (driver, signals) = suspending_and_signalling()
    blind = Actor("suspends", lambda: without_last_look(driver.start()))
    found = exploring(blind, signals, records=records, at_end=(keyed_runs.taken_up,))
    assert found.violation
    assert "nobody takes it up" in found.violation.message


def test_a_removal_that_crashes_anywhere_is_completed_by_the_next():
    """With its claim and all; in every order, with one crash."""
    scene = Scene("a", holding=True)
    again = remover("a", "again", recovers="deletes", may_crash=False)
    assert_safe(exploring(remover("a"), again, records=scene.records, crashes=1))


def suspending_and_signalling():
    store = MemoryStore()
    run = opened(store, begun(store, "a"))
    actors = [
        Actor("suspends", lambda: suspending(run)),
        Actor("signals and resumes", lambda: signalling_and_resuming("a")),
    ]
    return dict(store.records), actors


def without_last_look(protocol):
    """A driver for whom there is no outcome after it suspended: it reads where nothing is."""
    outcome, nothing = Get(keys.outcome(keyed_runs.wait_id("a"))), Get("nothing")
    operation = next(protocol)
    while True:
        if isinstance(operation, Together):
            operation = Together(tuple(nothing if each == outcome else each for each in operation.operations))
        try:
            operation = protocol.send((yield operation))
        except StopIteration as stop:
            return stop.value
