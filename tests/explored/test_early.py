"""A signal that comes before its wait is applied once, or held: whoever opens, sends, ends or discards, in every order."""

from __future__ import annotations

from swamp_core.testing.explore import Actor, Exploration, explore

from tests.explored import early
from tests.explored.early import direct, discarder, ending, held, open_already, opener, running, sender
from tests.explored.test_runs import assert_safe, first_problem


def exploring(*actors: Actor, records, at_end=(early.nothing_lost, early.nobody_waits_in_vain), **bounds) -> Exploration:
    return explore(
        list(actors),
        records=records,
        witness=early.witness,
        always=early.used_once,
        at_end=first_problem(*at_end),
        **bounds,
    )


def test_a_signal_beside_the_opening_of_its_wait():
    """Whichever is first, the wait has the signal in the end."""
    assert_safe(exploring(opener("a"), sender("s"), records=running("a")))
