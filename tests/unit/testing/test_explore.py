"""The explorer itself: it finds what there is to find, says how, and says when it has not seen everything."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from swamp_core.store.operations import Delete, Get, PutIfAbsent, Together
from swamp_core.testing.explore import Act, Actor, ExploredClock, explore, replay

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)


def claim(name):
    won = yield PutIfAbsent("claim", name.encode())
    return won


def claim_after_a_look(name):
    """The classic mistake: look whether it is free, and then act as if it were."""
    if (yield Get("claim")) is not None:
        return False
    yield PutIfAbsent("claim", name.encode())
    return True


def actors(protocol):
    return [Actor(name, lambda name=name: protocol(name)) for name in ("a", "b", "c")]


def two_winners(world):
    winners = [name for name, won in world.results.items() if won]
    return f"{len(winners)} winners: {winners}" if len(winners) > 1 else None


def test_a_create_has_one_winner_in_every_order():
    """Three claimants in all orders: the search is exhaustive and finds nothing wrong."""
    exploration = explore(actors(claim), records={}, always=two_winners)
    assert exploration.violation is None
    assert exploration.exhaustive
    assert exploration.ends == 3


def test_a_look_before_the_create_is_found_out_by_a_shortest_schedule():
    """The violation comes with the schedule that leads there, one readable line an operation."""
    exploration = explore(actors(claim_after_a_look), records={}, always=two_winners)
    assert not exploration.exhaustive
    assert str(exploration.violation).splitlines() == [
        "2 winners: ['a', 'b']",
        "  1. a: read claim: absent",
        "  2. b: read claim: absent",
        "  3. a: create claim: created",
        "  4. b: create claim: exists",
    ]


def test_a_search_that_stops_early_does_not_claim_to_be_exhaustive():
    """Over its bound the search says that it has not seen everything."""
    exploration = explore(actors(claim_after_a_look), records={}, states_max=3)
    assert exploration.violation is None
    assert not exploration.exhaustive


def two_steps():
    yield PutIfAbsent("first", b"")
    yield PutIfAbsent("second", b"")
    return True


def half_done(world):
    return "half is done" if "first" in world.records and "second" not in world.records else None


def test_a_crash_is_one_of_the_choices():
    """With a crash allowed an actor may stop between two operations; without one it comes to its end."""
    actor = [Actor("a", two_steps)]
    assert explore(actor, records={}, at_end=half_done).violation is None
    crashed = explore(actor, records={}, at_end=half_done, crashes=1).violation
    assert crashed is not None
    assert crashed.schedule == ("a: create first: created", "a: crashes")


def test_another_actor_may_begin_when_one_is_done_or_crashed():
    """An actor that comes after another finds what that one left."""
    recover = Actor("recover", two_steps, after=("a",), may_crash=False)
    exploration = explore([Actor("a", two_steps), recover], records={}, at_end=half_done, crashes=1)
    assert exploration.violation is None
    assert exploration.exhaustive


def come_and_go():
    yield PutIfAbsent("key", b"")
    yield Delete("key")
    return True


def test_an_echo_makes_a_request_land_once_more():
    """A delayed create brings back what was deleted; without an echo nothing is left."""

    def left(world):
        return "something is left" if world.records else None

    actor = [Actor("a", come_and_go)]
    assert explore(actor, records={}, at_end=left).violation is None
    assert explore(actor, records={}, at_end=left, echoes=1).violation is not None


def test_operations_together_are_taken_one_by_one():
    """Others may come between two operations that are sent side by side."""

    def both():
        yield Together((PutIfAbsent("first", b""), PutIfAbsent("second", b"")))
        return True

    def look():
        first = yield Get("first")
        second = yield Get("second")
        return first is not None and second is None

    exploration = explore(
        [Actor("both", both), Actor("look", look)],
        records={},
        at_end=lambda world: "seen half done" if world.results["look"] else None,
    )
    assert exploration.violation is not None


def test_what_an_actor_does_to_the_world_is_a_fact():
    """An act is seen by the invariants, in the order in which it was done."""

    def act():
        yield Act("deployed")
        return True

    exploration = explore(
        [Actor("a", act), Actor("b", act)],
        records={},
        always=lambda world: "twice" if len(world.facts) > 1 else None,
    )
    assert exploration.violation is not None
    assert exploration.violation.schedule == ("a: acts, deployed", "b: acts, deployed")


def test_a_schedule_that_was_printed_can_be_followed_again():
    """It leads to the same world; one that the protocols do not follow any more is refused."""
    found = explore(actors(claim_after_a_look), records={}, always=two_winners).violation
    assert found
    world = replay(actors(claim_after_a_look), found.schedule, records={})
    assert two_winners(world) == found.message
    with pytest.raises(ValueError, match=r"Line 1 cannot be followed: a: read claim: absent"):
        replay(actors(claim), found.schedule, records={})


def test_time_passes_at_any_moment():
    """Also between two readings of one actor, which a clock that stands still would hide."""
    clock = ExploredClock(NOW, LATER)

    def twice():
        before = clock.now()
        yield Get("something")
        return before, clock.now()

    seen = set()
    explore([Actor("a", twice)], records={}, clock=clock, at_end=lambda world: seen.add(world.results["a"]))
    assert seen == {(NOW, NOW), (NOW, LATER), (LATER, LATER)}


def test_a_time_that_was_read_is_replayed():
    """A decision that the deadline overtakes is found, and its schedule can be followed."""
    clock = ExploredClock(NOW, LATER)

    def late():
        in_time = clock.now() < LATER
        yield Get("something")
        return in_time

    def overtaken(world):
        return "overtaken" if world.results.get("a") and world.now == LATER else None

    found = explore([Actor("a", late)], records={}, clock=clock, always=overtaken).violation
    assert found
    assert overtaken(replay([Actor("a", late)], found.schedule, records={}, clock=clock)) == "overtaken"


def test_who_recovers_another_begins_only_when_that_one_has_crashed():
    """Nobody recovers an actor that came to its end."""
    recovering = [Actor("a", lambda: claim("a")), Actor("b", lambda: claim("b"), recovers="a")]
    ends = set()
    explore(
        [Actor("first", lambda: two_steps()), Actor("b", lambda: claim("b"), recovers="first")],
        records={},
        crashes=1,
        at_end=lambda world: ends.add((bool(world.crashed), world.results.get("b"))),
    )
    assert {(False, None), (True, True)} <= ends
    assert explore(recovering, records={}).ends == 1


def test_a_preemption_is_an_interruption_of_who_could_go_on():
    """With none, actors follow each other in every order; with one, the classic mistake is found."""
    alone = explore(actors(claim_after_a_look), records={}, always=two_winners, preemptions=0)
    assert alone.violation is None
    assert alone.exhaustive
    assert "at most 0 preemptions" in str(alone)
    assert explore(actors(claim_after_a_look), records={}, always=two_winners, preemptions=1).violation
