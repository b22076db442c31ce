"""A signal that comes before its wait is applied once, or held: whoever opens, sends, ends or discards.

Where a scenario says how many preemptions it is bounded by, all schedules are searched in which an actor that could go
on is interrupted at most so often; the others are searched whole.
"""

from __future__ import annotations

from collections.abc import Mapping

from swamp_core.testing.explore import Actor, Exploration, explore

from tests.explored import early
from tests.explored.early import (
    AFTER_TTL,
    completer,
    direct,
    discarder,
    ending,
    held,
    open_already,
    opener,
    running,
    sender,
)
from tests.explored.test_runs import assert_safe, first_problem


def exploring(
    *actors: Actor, records: Mapping[str, bytes], preemptions: int | None = None, crashes: int = 0
) -> Exploration:
    return explore(
        list(actors),
        records=records,
        witness=early.witness,
        always=early.used_once,
        at_end=first_problem(early.nothing_lost, early.nobody_waits_in_vain),
        preemptions=preemptions,
        crashes=crashes,
    )


def test_a_signal_beside_the_opening_of_its_wait():
    """Whichever is first, the wait has the signal in the end."""
    assert_safe(exploring(opener("a"), sender("s"), records=running("a")))


def test_a_signal_beside_the_opening_of_its_wait_where_one_crashes_anywhere():
    """What was acknowledged is used or held all the same, and the same signal sent again is no other."""
    again = sender("t", name="s", actor="again", after=("s",))
    assert_safe(
        exploring(opener("a"), sender("s", name="s"), again, records=running("a"), crashes=1, preemptions=1)
    )


def test_a_signal_beside_the_opening_a_direct_signal_and_the_next_opening():
    """The wait has one of the two, and the next wait the other if it was held. Bounded by two preemptions."""
    actors = [opener("a"), sender("s"), direct("t", "a"), opener("b")]
    assert_safe(exploring(*actors, records={**running("a"), **running("b")}, preemptions=2))


def test_two_signals_beside_two_openings():
    """Bounded by two preemptions."""
    actors = [sender("s"), sender("t"), opener("a"), opener("b")]
    assert_safe(exploring(*actors, records={**running("a"), **running("b")}, preemptions=2))


def test_a_signal_that_is_sent_twice_at_once_beside_the_opening_of_its_wait():
    """Both senders are told of one signal. Bounded by two preemptions."""
    actors = [sender("s", name="s"), sender("t", name="s"), opener("a")]
    assert_safe(exploring(*actors, records=running("a"), preemptions=2))


def test_a_repeated_signal_beside_the_end_of_the_run_that_has_it_and_the_next_opening():
    """It is told of the wait that had it, and the next wait does not get it again. Bounded by two preemptions."""
    records = {**early.used("s", "a"), **running("b")}
    actors = [sender("t", name="s", actor="again"), ending("a"), opener("b")]
    assert_safe(exploring(*actors, records=records, preemptions=2))


def test_a_take_beside_the_forced_deletes_of_both_takers_runs():
    """A signal of which a removed run had the take is free for the next. Bounded by two preemptions."""
    records = {**open_already("a"), **running("b"), **held("s")}
    actors = [completer("a"), ending("a", removing=True), opener("b"), ending("b", removing=True)]
    assert_safe(exploring(*actors, records=records, preemptions=2))


def repeating_beside_a_deletion(rule: early.Rule = iter) -> Exploration:
    records = {**open_already("a"), **running("b"), **held("s")}
    uses, again = completer("a"), sender("t", name="s", actor="again")
    actors = [uses, again, early.forgetter("a", "s", after=(uses.name,)), opener("b", rule=rule)]
    return exploring(*actors, records=records, preemptions=2)


def test_a_repeat_that_stores_again_what_was_used_and_forgotten_gives_it_to_nobody():
    """Its workflow was deleted meanwhile: a signal without its name is void. Bounded by two preemptions."""
    assert_safe(repeating_beside_a_deletion())


def test_who_takes_the_name_for_granted_uses_a_signal_twice():
    """It was stored again by a repeat that stalled before that."""
    assert_violated(repeating_beside_a_deletion(early.without_name), "was used by")


def test_a_discard_beside_an_opening_and_another_signal():
    """Who discards a signal is told whether a wait has it. Bounded by two preemptions."""
    records = {**running("a"), **held("s")}
    assert_safe(
        exploring(opener("a"), discarder("s", and_forgets=True), sender("t"), records=records, preemptions=2)
    )


def test_a_signal_whose_time_is_over_by_some_clocks():
    """A wait has it, or its sender is told that it has expired, and never both. Bounded by two preemptions."""
    records = {**running("a"), **held("s")}
    actors = [opener("a"), sender("t", name="s", now=AFTER_TTL, actor="again"), sender("u", now=AFTER_TTL)]
    assert_safe(exploring(*actors, records=records, preemptions=2))


def test_who_registers_after_delivering_waits_in_vain():
    """The signal is stored between the two, and its sender finds no wait yet."""
    found = exploring(opener("a", rule=early.registers_last), sender("s"), records=running("a"))
    assert_violated(found, "waits beside")


def test_who_stores_after_looking_lets_a_wait_wait_in_vain():
    """The wait is opened between the two, and finds no signal yet."""
    found = exploring(opener("a"), sender("s", rule=early.looks_first), records=running("a"))
    assert_violated(found, "waits beside")


def test_who_does_not_look_whether_the_signal_is_still_there_uses_a_discarded_one():
    """Its last records were gone when it was taken."""
    records = {**running("a"), **held("s")}
    actors = [opener("a", rule=early.without_second_look), discarder("s", and_forgets=True)]
    assert_violated(exploring(*actors, records=records), "was discarded, and used by")


def test_whose_takes_go_before_the_signal_is_used_again():
    """Between the two it is free."""
    records = {**open_already("a"), **running("b"), **held("s")}
    actors = [completer("a", rule=early.takes_first), ending("a"), opener("b")]
    assert_violated(exploring(*actors, records=records, preemptions=2), "was used by")


def test_who_takes_the_mark_for_granted_leaves_a_signal_to_a_run_that_is_gone():
    """Nobody else has it then, and the next wait waits beside it."""
    records = {**open_already("a"), **running("b"), **held("s")}
    actors = [completer("a"), ending("a", removing=True), opener("b", rule=early.without_mark)]
    assert_violated(exploring(*actors, records=records, preemptions=3), "waits beside")


def assert_violated(found: Exploration, message: str) -> None:
    assert found.violation
    assert message in found.violation.message
