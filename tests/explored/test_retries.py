"""A retry, in every order: beside another one, a sweep and a removal it never makes two drivers or leaves a record.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

import pytest
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.records import keys
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.testing.explore import Actor, Exploration, World, explore

from tests.explored import retries, runs
from tests.explored.retries import INDEX
from tests.explored.runs import RUN
from tests.explored.test_runs import assert_safe, deployed_by, first_problem, one_driver


def fits_its_marks(world: World) -> str | None:
    """A run that goes on has its mark, one that is over has none, and without a run there is nothing."""
    journal = execute(read_journal(RUN), MemoryStore(dict(world.records)))
    marks = {key for key in world.records if key.startswith(keys.OPEN_RUNS)}
    if not isinstance(journal, Journal):
        left = sorted(set(world.records) - {keys.FORMAT_KEY})
        return f"there is no run ({journal}), and nothing will remove {left}" if left else None
    if INDEX not in world.records:
        return "there is a journal that is in no index"
    run = journal.run
    own = keys.mark(run.workflow, run.run_id, run.mark)
    if run.ended:
        return f"the run is over, and nothing will remove {sorted(marks)}" if marks else None
    if own not in marks:
        return "the run goes on without its mark"
    return f"marks of nobody are left: {sorted(marks)}" if len(marks) > 1 else None


def exploring(*actors: Actor, records=None, **bounds) -> Exploration:
    return explore(
        list(actors),
        records=retries.failed_run() if records is None else records,
        always=one_driver,
        at_end=fits_its_marks,
        witness=runs.witness,
        **bounds,
    )


def retrier(name: str) -> Actor:
    return Actor(name, lambda: retries.retrier(name))


STALLED = Actor("stalled", retries.stalled_retrier(retries.failed_run()))
SWEEPER = Actor("sweeper", retries.sweeper)
REMOVER = Actor("remover", retries.remover)
LAST_SWEEP = Actor("last", lambda: retries.sweeper("last"), may_crash=False)


def after(actor: Actor, *names: str) -> Actor:
    return Actor(actor.name, actor.start, after=names, may_crash=actor.may_crash)


def test_of_retries_at_once_one_drives():
    """Two hosts that retry a run at once: one deploys, and only the mark of the run that goes on is there."""
    assert_safe(exploring(retrier("a"), retrier("b")))


def test_a_retrier_that_stalls_before_its_mark_finds_that_another_has_retried():
    """The late mark of one that lost makes nothing count, and goes."""
    assert_safe(exploring(STALLED, retrier("a"), Actor("clearer", retries.clearer)))


def test_a_sweep_never_takes_the_mark_of_a_retry_that_wins():
    """Whenever the sweep meets the mark, the retry wins and keeps it, or loses and does not miss it."""
    assert_safe(exploring(retrier("a"), SWEEPER))


def test_a_retry_that_crashes_anywhere_leaves_nothing_that_a_sweep_does_not_find():
    """After a retrier has crashed a run that is over has no mark, once the store was swept."""
    assert_safe(exploring(retrier("a"), after(LAST_SWEEP, "a"), crashes=1))


def test_a_retry_beside_a_removal_is_whole_or_nothing():
    """Either the run is retried and stays, or it is removed and the retrier withdraws."""
    assert_safe(exploring(retrier("a"), REMOVER))


def test_a_retrier_that_stalls_while_the_run_is_retried_and_removed_withdraws():
    """Its entry may stand where one of the removed run stood, or follow none: it finds the index gone."""
    assert_safe(exploring(STALLED, retrier("a"), after(REMOVER, "a")))


def test_a_retry_and_a_removal_that_crash_leave_nothing_that_a_sweep_does_not_find():
    """Whoever crashes, a sweep finishes the removal and finds what was made in a removed run."""
    swept = after(LAST_SWEEP, "stalled", "remover")
    assert_safe(exploring(STALLED, REMOVER, swept, crashes=1))


def test_a_request_that_lands_once_more_later_gives_no_second_driver():
    """A create or delete of a retry that takes effect again leaves one driver; a stale mark is swept."""
    assert_safe(
        explore(
            [retrier("a"), retrier("b")],
            records=retries.failed_run(),
            always=one_driver,
            witness=runs.witness,
            echoes=1,
        )
    )


MUTANTS = {
    "a retry looks for the index": lambda: exploring(
        Actor(
            "stalled",
            lambda: retries.without_a_look_for_the_index(retries.stalled_retrier(retries.failed_run())()),
        ),
        REMOVER,
    ),
    "a sweep takes the place of the entry": lambda: exploring(
        retrier("a"), Actor("sweeper", lambda: retries.without_abandoning(retries.sweeper()))
    ),
}


@pytest.mark.parametrize("rule", MUTANTS)
def test_each_rule_is_needed(rule):
    """With one rule taken away the explorer finds a schedule that breaks a promise."""
    exploration = MUTANTS[rule]()
    assert exploration.violation is not None
    assert exploration.violation.schedule


def test_a_run_can_be_retried_again_after_a_sweep_has_abandoned_a_retry():
    """`retry_abandoned` takes one attempt, not the right to retry."""
    exploration = explore(
        [retrier("a"), SWEEPER, after(retrier("b"), "a", "sweeper")],
        records=retries.failed_run(),
        at_end=first_problem(fits_its_marks, lambda world: None if deployed_by(world) else "nobody deployed"),
        witness=runs.witness,
    )
    assert_safe(exploration)
