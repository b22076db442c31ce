"""A nested run, in every order: it is started once, it never outlives its parent's end, and it goes with its root.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

import pytest
from swamp_core.engine.starting_children import start_child
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.records import keys
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.testing.explore import Actor, Exploration, World, explore

from tests.explored import nested, runs
from tests.explored.runs import RUN
from tests.explored.test_runs import (
    all_or_nothing,
    assert_safe,
    first_problem,
    nothing_left,
    one_driver,
    signal_kept,
)


def journal_of(world: World, run_id: str) -> Journal | None:
    journal = execute(read_journal(run_id), MemoryStore(dict(world.records)))
    return journal if isinstance(journal, Journal) else None


def marks_fit(world: World) -> str | None:
    """Of the child, its own mark is there as long as it goes on, and no other."""
    child = journal_of(world, RUN)
    marks = {key for key in world.records if key.startswith(keys.marks("ask", RUN))}
    own = {keys.mark("ask", RUN, child.run.mark)} if child and not child.run.ended else set()
    return None if marks == own else f"the marks are {sorted(marks)}, not {sorted(own)}"


def ended_with_its_parent(world: World) -> str | None:
    child = journal_of(world, RUN)
    if child is None:
        left = [key for key in world.records if RUN in key]
        return f"of a child that is gone there is left {left}" if left else None
    return None if child.run.ended else "the child goes on without its parent"


def nothing_left_of_the_child(world: World) -> str | None:
    left = sorted(key for key in world.records if RUN in key)
    return f"nothing will remove {left}" if left else None


def exploring(*actors: Actor, records, at_end, **bounds) -> Exploration:
    return explore(
        list(actors), records=records, always=one_driver, at_end=at_end, witness=runs.witness, **bounds
    )


def starter(token: str, start=nested.starter) -> Actor:
    return Actor(token, lambda: start(token))


ENDER = Actor("ender", nested.ender)
REMOVER = Actor("remover", nested.remover)


def last_sweep(*after: str) -> Actor:
    return Actor("last", lambda: nested.sweeper("last"), after=after, may_crash=False)


def test_of_two_drivers_that_start_the_same_child_one_drives_it():
    """A driver and its successor start the child under the same ID: one of them acts, and one mark was its own."""
    assert_safe(exploring(starter("a"), starter("b"), records=nested.planned_child(), at_end=marks_fit))


def test_a_child_is_never_started_for_a_parent_that_has_ended():
    """However late the child is started, it is ended with its parent, and not left to wait for ever."""
    assert_safe(
        exploring(
            starter("a", nested.starter_that_suspends),
            ENDER,
            records=nested.planned_child(),
            at_end=first_problem(ended_with_its_parent, marks_fit),
        )
    )


def test_a_cancel_of_the_parent_ends_a_child_that_is_being_started():
    """A driver that was taken for dead starts the child in the middle of the cancel: the child is ended as well."""
    assert_safe(
        exploring(
            starter("a", nested.starter_that_suspends),
            Actor("canceller", nested.parent_canceller),
            records=nested.planned_child(),
            at_end=first_problem(ended_with_its_parent, marks_fit),
        )
    )


def test_a_child_whose_starter_crashed_is_ended_by_a_sweep():
    """A starter or canceller that crashes leaves a child without a parent: the sweep finds it."""
    assert_safe(
        exploring(
            starter("a", nested.starter_that_suspends),
            ENDER,
            Actor("ender again", nested.ender, after=("a", "ender"), may_crash=False),
            last_sweep("ender again"),
            records=nested.planned_child(),
            at_end=first_problem(ended_with_its_parent, marks_fit),
            crashes=1,
        )
    )


def test_a_child_that_is_started_while_its_parent_is_removed_leaves_nothing():
    """Whatever the starter has come to when the removal meets the child: nothing of it is left after both."""
    assert_safe(
        exploring(
            starter("a", nested.starter_that_suspends),
            Actor("remover", nested.remover_of_the_child),
            records=nested.parent_being_removed(),
            at_end=nothing_left_of_the_child,
        )
    )


def test_a_child_whose_starter_crashed_before_its_parent_is_removed_goes_with_it():
    """However far a starter came that crashed, the removal of the root and a sweep leave nothing of the child."""
    assert_safe(
        exploring(
            starter("a", nested.starter_that_suspends),
            Actor("remover", nested.remover, after=("a",)),
            Actor("again", lambda: nested.remover("again"), after=("remover",), may_crash=False),
            last_sweep("again"),
            records=nested.ended_parent(),
            at_end=nothing_left,
            crashes=2,
        )
    )


def test_a_child_whose_starter_stalled_until_its_parent_was_removed_is_withdrawn_or_swept():
    """Of a root that is gone nobody starts a child; a starter that crashes in the attempt leaves it to a sweep."""
    assert_safe(
        exploring(
            Actor("remover", nested.remover, may_crash=False),
            Actor("a", lambda: nested.starter_that_suspends("a"), after=("remover",)),
            last_sweep("a"),
            records=nested.ended_parent(),
            at_end=nothing_left,
            crashes=1,
        )
    )


@pytest.mark.parametrize("finisher", [nested.remover, nested.sweeper])
def test_a_removal_of_a_tree_that_is_cut_off_anywhere_is_completed(finisher):
    """The next removal, or a sweep, goes on wherever the first one crashed."""
    finish = Actor("second", lambda: finisher("second"), after=("remover",), may_crash=False)
    records = nested.tree_being_removed()
    assert_safe(explore([REMOVER, finish], records=records, at_end=nothing_left, crashes=1))


def test_two_removals_of_a_tree_at_once_leave_nothing():
    """Two people delete the same tree: both are told that it is gone, and it is."""
    second = Actor("second", lambda: nested.remover("second", RUN))
    exploration = explore(
        [REMOVER, second], records=nested.tree_being_removed(), at_end=nothing_left, states_max=2_000_000
    )
    assert exploration.violation is None, str(exploration.violation)
    assert exploration.exhaustive


def test_a_sweep_beside_a_slow_start_and_a_signal_leaves_all_or_nothing():
    """The start comes about whole, and a signal of its wait is kept, or all of it is withdrawn."""
    actors = [
        Actor("opener", lambda: runs.indexed_already(runs.opener())),
        Actor("sweeper", lambda: nested.sweeper("sweeper")),
        Actor("signaller", runs.signaller),
    ]
    exploration = explore(
        actors,
        records=runs.cut_off_start(),
        at_end=first_problem(signal_kept, lambda world: whole_or_nothing(world)),
        witness=runs.witness,
    )
    assert_safe(exploration)


def whole_or_nothing(world: World) -> str | None:
    records = {key: data for key, data in world.records.items() if not key.startswith(keys.OUTCOMES)}
    orphaned = len(records) < len(world.records) and len(records) == 1
    return "an outcome of no run is left" if orphaned else all_or_nothing(World(records, (), {}, frozenset()))


def test_a_sweep_beside_a_run_that_goes_on_touches_nothing():
    """A sweep of a store with a run that waits, and is signalled and resumed meanwhile, deletes nothing of it."""
    actors = [
        Actor("driver", lambda: runs.driver("driver")),
        Actor("signaller", runs.signaller),
        Actor("sweeper", lambda: nested.sweeper("sweeper")),
    ]
    exploration = explore(
        actors,
        records=runs.suspended_run(),
        always=one_driver,
        at_end=signal_kept,
        witness=runs.witness,
    )
    assert_safe(exploration)


def test_a_start_of_a_child_that_is_repeated_gives_the_same():
    """A start whose answer was lost is repeated with the same arguments, and is the same start."""
    store = MemoryStore(nested.planned_child())
    event = nested.child_started("a")
    first, second = (
        execute(start_child(event, entry_id="a-1", build="test", ambient=runs.ambient("a")), store)
        for _ in range(2)
    )
    assert first == second


MUTANTS = {
    "a starter reads its parent's mark": lambda: exploring(
        Actor("a", lambda: nested.without_its_parents_mark(nested.starter_that_suspends("a"))),
        ENDER,
        records=nested.planned_child(),
        at_end=ended_with_its_parent,
    ),
}


@pytest.mark.parametrize("rule", MUTANTS)
def test_each_rule_is_needed(rule):
    """With one rule taken away the explorer finds a schedule that breaks a promise."""
    exploration = MUTANTS[rule]()
    assert exploration.violation is not None
    assert exploration.violation.schedule
