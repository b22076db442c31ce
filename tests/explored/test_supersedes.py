"""A supersede, in every order: no decision that was acknowledged is lost to it, and no gate stays closed in vain.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

import pytest
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import OUTCOME, Cancelled
from swamp_core.testing.explore import Actor, World, explore

from tests.explored import gates, runs, supersedes
from tests.explored.test_gates import deploys_only_what_was_approved, ended_as_answered, settled
from tests.explored.test_runs import assert_safe, first_problem, nothing_left

SUPERSEDER = Actor("superseder", supersedes.superseder)
APPROVER = Actor("approver", gates.approver)
OTHER = Actor("other", supersedes.approver_of_the_other)
REJECTER = Actor("rejecter", gates.rejecter)
RESUMER = Actor("resumer", lambda: gates.resumer(at=runs.NOW))
DECIDES = {"approver": "sign-off", "other": "review", "rejecter": "sign-off"}


def last_resumer(*after: str) -> Actor:
    return Actor("last", lambda: gates.resumer("last", at=runs.NOW), after=after, may_crash=False)


def no_decision_lost(world: World) -> str | None:
    """Who was told that they decided a gate has done so: it is applied, or the run still waits for it to be."""
    run = gates.run_in(world.records).run
    for name, step in DECIDES.items():
        if world.results.get(name) != "Decided":
            continue
        if run.status == "cancelled":
            return f"the decision of the {name} was acknowledged, and the run superseded"
        decided = [
            each for each, wait in run.waits.items() if wait.step == step and not is_closed(world, each)
        ]
        if not any(run.waits[each].status == "applied" or each in run.waiting() for each in decided):
            return f"the decision of the {name} was acknowledged, and nobody waits for it"
    return None


def told_as_it_is(world: World) -> str | None:
    run = gates.run_in(world.records).run
    superseded = world.results.get("superseder") == "Superseded"
    return f"it was superseded, and is {run.status}" if superseded and run.status != "cancelled" else None


def asked_or_over(world: World) -> str | None:
    """A run that goes on can be decided, or resumed: no gate of it is closed for ever."""
    run = gates.run_in(world.records).run
    drives = {"Resumed", "Lost"} & set(world.results.values())
    if run.ended or (run.status == "running" and drives):  # A real driver goes on, and asks again.
        return None
    closed = [wait.step for wait_id, wait in run.waiting().items() if is_closed(world, wait_id)]
    return f"nobody can decide {closed}, nor is it asked again" if closed else None


def is_closed(world: World, wait_id: str) -> bool:
    key = keys.outcome(wait_id)
    reading = read_record(OUTCOME, key, world.records.get(key))
    return isinstance(reading, Found) and isinstance(reading.record, Cancelled)


def exploring(*actors: Actor, records, resumed: bool = True, at_end=None, **bounds):
    last = [last_resumer(*(actor.name for actor in actors))] if resumed else []
    checks = [settled, no_decision_lost, told_as_it_is]
    return explore(
        [*actors, *last],
        records=records,
        at_end=at_end or first_problem(*checks, *([asked_or_over] if resumed else [])),
        **bounds,
    )


def test_of_an_approval_and_a_supersede_one_wins():
    """An approval that is acknowledged keeps its run; one that comes too late is told that the gate was closed."""
    exploration = exploring(SUPERSEDER, APPROVER, RESUMER, records=supersedes.one_gate())
    assert_safe(exploration)


def test_a_rejection_beside_a_supersede_ends_the_run_once():
    """A run whose gate was rejected has failed for that; else it was superseded."""
    assert_safe(exploring(SUPERSEDER, REJECTER, RESUMER, records=supersedes.one_gate()))


def test_of_two_gates_no_decision_is_lost():
    """One gate is closed and the other one approved: that decision holds, and the closed gate is asked again."""
    assert_safe(exploring(SUPERSEDER, OTHER, RESUMER, records=supersedes.two_gates()))


def test_two_decisions_beside_a_supersede_hold():
    """Whichever of the gates it comes to first, neither decision is lost."""
    assert_safe(exploring(SUPERSEDER, OTHER, REJECTER, records=supersedes.two_gates()))


@pytest.mark.parametrize("records", [supersedes.one_gate, supersedes.two_gates])
def test_a_supersede_that_crashes_anywhere_leaves_a_run_that_goes_on_or_is_over(records):
    """A resume asks again what it has closed; nothing that was decided meanwhile is lost."""
    approver = OTHER if records is supersedes.two_gates else APPROVER
    assert_safe(exploring(SUPERSEDER, approver, records=records(), crashes=1))


def test_a_supersede_that_crashes_anywhere_is_completed_by_the_next():
    """Gates that were closed by a supersede that was cut off are in the way of none that comes after it."""
    second = Actor("second", lambda: supersedes.superseder("second"), after=("superseder",), may_crash=False)

    def superseded(world: World) -> str | None:
        status = gates.run_in(world.records).run.status
        return None if status == "cancelled" else f"the run is {status}"

    assert_safe(
        exploring(
            SUPERSEDER, second, records=supersedes.two_gates(), resumed=False, at_end=superseded, crashes=1
        )
    )


def test_a_gate_that_is_asked_again_can_be_approved_under_a_slow_supersede():
    """A supersede that stalled since it closed the gate does not end the run once another gate was approved."""
    approver = Actor("approver", supersedes.approver_of_what_is_asked)
    assert_safe(exploring(SUPERSEDER, RESUMER, approver, records=supersedes.one_gate()))


def test_two_supersedes_at_once_end_the_run_once():
    """Two new runs take the place of the same one: it is cancelled, and at most one of them says that it was by it."""
    second = Actor("second", lambda: supersedes.superseder("second"))

    def once(world: World) -> str | None:
        told = [name for name, result in world.results.items() if result == "Superseded"]
        run = gates.run_in(world.records).run
        return (
            None
            if len(told) < 2 and run.status == "cancelled"
            else f"{told} superseded it; it is {run.status}"
        )

    assert_safe(exploring(SUPERSEDER, second, records=supersedes.one_gate(), resumed=False, at_end=once))


def test_a_supersede_that_wakes_after_the_removal_of_the_run_leaves_nothing():
    """The outcomes that it makes then are withdrawn."""
    actors = [SUPERSEDER, Actor("remover", runs.remover)]
    assert_safe(explore(actors, records=supersedes.one_gate(), at_end=nothing_left))


def test_what_is_decided_in_a_superseded_run_has_ended_as_it_was_decided():
    """Whoever ends the run, each gate has ended as its outcome says."""

    ended = first_problem(ended_as_answered, deploys_only_what_was_approved)
    assert_safe(exploring(SUPERSEDER, REJECTER, OTHER, records=supersedes.two_gates(), at_end=ended))


MUTANTS = {
    "a supersede closes the gates before it asks for the end": lambda: exploring(
        Actor("superseder", supersedes.without_closing_first), APPROVER, records=supersedes.one_gate()
    ),
    "it asks for the end only of a run that waits for what it has closed": lambda: exploring(
        Actor("superseder", supersedes.without_looking_at_the_run),
        RESUMER,
        Actor("approver", supersedes.approver_of_what_is_asked),
        records=supersedes.one_gate(),
    ),
}


@pytest.mark.parametrize("rule", MUTANTS)
def test_each_rule_is_needed(rule):
    """With one rule taken away the explorer finds a schedule that loses a decision."""
    exploration = MUTANTS[rule]()
    assert exploration.violation is not None
    assert exploration.violation.schedule
