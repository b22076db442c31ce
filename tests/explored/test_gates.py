"""A gate, in every order: what those who decide it, its deadline, a cancel and a driver may never bring about.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

import pytest
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import OUTCOME, Accepted, Approved, Cancelled, Rejected
from swamp_core.testing.explore import Actor, World, explore

from tests.explored import gates, runs
from tests.explored.gates import GATE
from tests.explored.test_runs import assert_safe, first_problem, nothing_left, signal_kept

APPROVER = Actor("approver", gates.approver)
REJECTER = Actor("rejecter", gates.rejecter)
RESUMER = Actor("resumer", gates.resumer)
CANCELLER = Actor("canceller", runs.canceller)
SIGNALLER = Actor("signaller", runs.signaller)


def outcome_in(world: World, wait_id: str = GATE):
    return read_record(OUTCOME, keys.outcome(wait_id), world.records.get(keys.outcome(wait_id)))


def decided_once(world: World) -> str | None:
    """Who is told that they decided the gate has decided it, and nobody else has."""
    told = [name for name, result in world.results.items() if result == "Decided"]
    if len(told) > 1:
        return f"two decisions were acknowledged: {told}"
    kinds = {"approver": Approved, "rejecter": Rejected}
    outcome = outcome_in(world)
    kept = not told or (isinstance(outcome, Found) and isinstance(outcome.record, kinds[told[0]]))
    return None if kept else f"the decision of the {told[0]} is not kept: {outcome}"


def deploys_only_what_was_approved(world: World) -> str | None:
    if not world.facts:
        return None
    outcome = outcome_in(world)
    approved = isinstance(outcome, Found) and isinstance(outcome.record, Approved)
    return None if approved else "it was deployed, and nobody approved it"


def settled(world: World) -> str | None:
    """No step waits in a run that is over, and a run whose gate was rejected is."""
    journal = gates.run_in(world.records)
    if not isinstance(journal, Journal):
        return f"the run cannot be read: {journal}"
    run, outcome = journal.run, outcome_in(world)
    if run.ended and (run.waiting() or run.running_steps()):
        return "a step waits or runs in a run that is over"
    marked = keys.mark(run.workflow, run.run_id, run.mark) in world.records
    if (
        run.ended and marked and not world.crashed
    ):  # After a crash the next who looks for open runs deletes it.
        return "the mark of an ended run is left"
    if isinstance(outcome, Found) and isinstance(outcome.record, Rejected):
        expected = "failed" if run.cancellation and run.cancellation.rejected else "cancelled"
        return None if run.status == expected else f"the gate was rejected, and the run is {run.status}"
    if world.results.get("resumer") == "Appended" and not run.cancellation and run.status == "running":
        return "a run that was resumed is neither ended nor suspended"
    return None


ENDS = {
    Accepted: ("succeeded", None, False),
    Approved: ("succeeded", None, False),
    Rejected: ("failed", "approval_rejected", False),
    Cancelled: ("failed", "cancelled", True),
}
"""How a step has ended whose wait has an outcome of this kind: its status, the code of its error, and if cut off."""


def ended_as_answered(world: World) -> str | None:
    """However a run was ended, and by whom, each step that waited has ended as the outcome of its wait says."""
    run = gates.run_in(world.records).run
    for wait_id, wait in run.waits.items() if run.ended else ():
        step, reading = run.step(wait.job, wait.step), outcome_in(world, wait_id)
        assert isinstance(reading, Found), "a run has ended that has a wait without an outcome"
        ended = (step.status, step.error.code if step.error else None, step.cut_off)
        expected = ENDS.get(type(reading.record), ended)
        if ended != expected:
            return f"{wait.step} ended as {ended}, and its outcome is {reading.record.outcome}"
    return None


def exploring(*actors: Actor, records=None, **bounds):
    return explore(
        list(actors),
        records=gates.gated_run() if records is None else records,
        always=deploys_only_what_was_approved,
        at_end=first_problem(decided_once, settled, ended_as_answered, signal_kept),
        **bounds,
    )


def test_of_an_approval_a_rejection_and_the_deadline_one_settles_the_gate():
    """Whatever the order, the gate has one outcome, and the run ends as that one says."""
    assert_safe(exploring(APPROVER, REJECTER, RESUMER))


def test_a_cancel_beside_two_decisions_leaves_no_step_waiting():
    """A cancel and a rejection both end the run: one of them is its reason, and both find it ended."""
    assert_safe(exploring(APPROVER, REJECTER, CANCELLER))


def test_a_cancel_beside_a_rejection_and_a_resume_leaves_no_step_waiting():
    """Three processes that end the run each in its own way end it once."""
    rejecter = Actor("rejecter", gates.completer)
    records = gates.rejected(gates.gated_run(beside=False))
    assert_safe(exploring(rejecter, RESUMER, CANCELLER, records=records))


def test_a_rejection_beside_a_driver_ends_the_run():
    """A driver that suspends the run finds the rejection, or the rejecter finds the run suspended: neither misses."""
    records = gates.gated_run(suspended=False)
    driver = Actor("driver", gates.living_driver(records))
    assert_safe(exploring(driver, REJECTER, records=records))


def test_a_rejection_that_crashes_anywhere_is_completed_by_a_resume():
    """Once its outcome is stored a rejection holds: the next resume ends the run, running nothing."""
    resumer = Actor("resumer", lambda: gates.resumer(at=runs.NOW), after=("rejecter",), may_crash=False)
    assert_safe(exploring(REJECTER, resumer, crashes=1))


def test_a_rejection_that_crashes_anywhere_is_completed_by_a_repeat():
    """Who rejects again, or comes second, completes what was cut off."""
    completer = Actor("completer", gates.completer, after=("rejecter",), may_crash=False)
    assert_safe(exploring(REJECTER, completer, crashes=1))


@pytest.mark.parametrize("ender", [REJECTER, CANCELLER], ids=lambda ender: ender.name)
def test_whoever_ends_a_run_applies_the_signal_that_was_accepted_beside_it(ender):
    """A signal that was acknowledged has made its step succeed, whoever ends the run, and however late it came."""
    assert_safe(exploring(ender, SIGNALLER, APPROVER))


@pytest.mark.parametrize("ender", [REJECTER, CANCELLER], ids=lambda ender: ender.name)
@pytest.mark.parametrize("second", ["resumer", "canceller again"])
def test_an_end_that_is_cut_off_anywhere_applies_the_signal_all_the_same(ender, second):
    """Wherever who ends a run crashes, the next who ends it makes the same of the same answers."""
    start = {"resumer": gates.resumer, "canceller again": lambda: runs.canceller("again")}[second]
    last = Actor(second, start, after=(ender.name, "signaller"), may_crash=False)
    assert_safe(exploring(ender, SIGNALLER, last, crashes=1))


def test_a_driver_that_is_to_end_applies_the_signal_that_was_accepted():
    """A driver that is told to end the run while it suspends it applies the same answers as anybody else."""
    records = gates.gated_run(suspended=False)
    driver = Actor("driver", gates.living_driver(records))
    assert_safe(exploring(driver, REJECTER, SIGNALLER, records=records))


def test_a_decision_of_a_run_that_is_removed_leaves_nothing():
    """A decision that wakes after the removal of the run is withdrawn, and ends nothing."""
    actors = [REJECTER, Actor("remover", runs.remover)]
    assert_safe(explore(actors, records=gates.gated_run(), at_end=nothing_left))


def test_a_deadline_that_is_judged_while_the_run_is_removed_leaves_nothing():
    """A resume that stalled before it settled an overdue gate withdraws that when it wakes after the removal."""
    actors = [RESUMER, Actor("remover", runs.remover)]
    assert_safe(explore(actors, records=gates.gated_run(beside=False), at_end=nothing_left))
