"""One key, one open wait: whoever claims, settles, ends or removes, in every order.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

from swamp_core.records.families import Release
from swamp_core.testing.explore import Actor, Exploration, explore

from tests.explored import claims
from tests.explored.claims import KEY, LATER, NOW, WORKFLOW, claimant, ending, holding, running
from tests.explored.test_runs import assert_safe, first_problem


def exploring(*actors: Actor, records, at_end=(claims.holds, claims.one_record), **bounds):
    return explore(
        list(actors), records=records, always=claims.one_holder, at_end=first_problem(*at_end), **bounds
    )


def released(number: int = 4):
    return claims.records_of(Release(workflow=WORKFLOW, key_name=KEY, number=number))


def test_of_three_claimants_one_opens_its_wait():
    """The others are told who holds the key."""
    assert_safe(exploring(*map(claimant, "abc"), records=running(*"abc")))


def test_two_claimants_where_one_crashes_anywhere():
    """A claim that was left is taken over by its own wait, and holds off others until it is over."""
    assert_safe(exploring(*map(claimant, "ab"), records={**running(*"ab"), **released()}, crashes=1))


def test_claimants_beside_the_end_of_the_holder():
    """Whenever the holder's run ends, at most one of the others takes the key, and no claim of that run is left."""
    records = {**holding("a"), **running(*"bc")}
    assert_safe(exploring(ending("a"), claimant("b"), claimant("c"), records=records))


def test_a_claimant_beside_the_removal_of_its_own_run():
    """A claim that was made for a run that is removed meanwhile leaves nothing that holds the key."""
    records = {**running(*"ab"), **released()}
    assert_safe(exploring(ending("a", removing=True), claimant("a"), claimant("b"), records=records))


def test_an_overdue_holder_is_settled_by_who_needs_the_key():
    """Of two claimants that find the holder overdue one takes the key."""
    records = {**holding("a", deadline=LATER), **running(*"bc")}
    assert_safe(exploring(claimant("b", LATER), claimant("c", LATER), records=records))


def test_a_delayed_create_or_delete_changes_nothing():
    """A request that takes effect once more, later, neither frees the key nor holds it."""
    records = {**holding("a"), **running("b")}
    assert_safe(exploring(ending("a"), claimant("b"), records=records, at_end=[claims.holds], echoes=1))


def test_who_is_refused_is_told_of_a_wait_that_held_the_key_meanwhile():
    """The holder may change while somebody looks: they are told of one that held the key at a moment of their call."""
    records = {**holding("a"), **running(*"bc")}
    actors = [ending("a", removing=True), claimant("b"), claimant("c")]
    assert_safe(explore(actors, records=records, witness=claims.witness, always=claims.named_a_holder))


def test_who_stalled_between_look_and_claim_takes_nothing():
    """B found the key free and stalled. Since then A held it, and its run ends while C claims."""
    assert_safe(exploring(*a_stalled_claimant(), records=HELD_SINCE))


def test_without_rule_2_a_key_is_held_twice():
    """A claim that is deleted while it is the highest lets numbers begin anew, below that of who stalled."""
    ends = Actor("end of a", lambda: claims.without_rule_2(ending("a").start()))
    assert_held_twice(exploring(ends, *a_stalled_claimant()[1:], records=HELD_SINCE))


def test_without_rule_3_a_key_is_held_twice():
    """A claim that is not the highest counts for who does not look."""
    ends, _, claims_now = a_stalled_claimant()
    wakes = claims.stalled(claimant("b", NOW, claims.without_rule_3), released())
    assert_held_twice(exploring(ends, wakes, claims_now, records=HELD_SINCE))


def test_who_takes_the_holder_s_mark_for_granted_is_told_of_a_wait_that_is_over():
    """The second look before "held": what the run that is removed had held is nobody's while they look."""
    blind = claimant("b", NOW, claims.without_second_look)
    found = explore(
        [ending("a", removing=True), blind],
        records={**holding("a"), **running("b")},
        witness=claims.witness,
        always=claims.named_a_holder,
    )
    assert found.violation
    assert "which it did at no moment" in found.violation.message


def test_without_rule_4_a_key_is_held_twice():
    """A claim that cannot be read is no free key: its wait may be open. Who takes it for a release opens a second."""
    records = {**holding("a"), **running("b")}
    spoiled = {**records, claims.keys_of(records)[0]: b"{"}
    assert_held_twice(exploring(claimant("b", NOW, claims.without_rule_4), records=spoiled, at_end=()))
    kept = exploring(claimant("b"), records=spoiled, at_end=())
    assert kept.violation is None
    assert kept.exhaustive


def test_without_rule_5_a_claim_is_left():
    """A claim of a run that is removed meanwhile is one that nobody supersedes."""
    claims_late = claimant("a", NOW, claims.without_rule_5)
    found = exploring(ending("a", removing=True), claims_late, records={**running("a"), **released()})
    assert found.violation
    assert "nothing will remove the claim of a" in found.violation.message


HELD_SINCE = {**holding("a", number=5), **running(*"bc")}


def a_stalled_claimant() -> tuple[Actor, Actor, Actor]:
    """The end of the holder, who stalled before the holder claimed, and another claimant."""
    return ending("a"), claims.stalled(claimant("b"), {**running("b"), **released()}), claimant("c")


def assert_held_twice(found: Exploration) -> None:
    assert found.violation
    assert "two waits are open" in found.violation.message
