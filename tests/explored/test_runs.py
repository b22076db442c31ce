"""A run, in every order: what its driver, a signaller, a canceller and a remover may never bring about.

Each scenario is searched whole, with as many crashes and echoes as it names: `assert_safe` asks for that.
"""

from __future__ import annotations

import pytest
from swamp_core.journal.appending import append
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.records import keys
from swamp_core.records.base import Found, read_record
from swamp_core.records.families import OUTCOME, Accepted
from swamp_core.run.events import CancelRequested
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.testing.explore import Actor, Exploration, World, explore

from tests.explored import runs
from tests.explored.runs import RUN, WAIT


def deployed_by(world: World) -> list[str]:
    return [fact[1] for fact in world.facts if fact[0] == "deploys"]


def one_driver(world: World) -> str | None:
    void = {fact[1] for fact in world.facts if fact[0] == "void"}
    acted = deployed_by(world)
    if len(acted) > 1:
        return f"two drivers acted: {acted}"
    return f"a driver acted on the void entry {acted[0]}" if void.intersection(acted) else None


def signal_kept(world: World) -> str | None:
    told = [name for name, result in world.results.items() if result in runs.ACKNOWLEDGED]
    if not told:
        return None
    if len(told) > 1:
        return f"two signals were acknowledged: {told}"
    if ("late", told[0]) in world.facts:
        return "a signal was acknowledged that came after the end"
    outcome = read_record(OUTCOME, keys.outcome(WAIT), world.records.get(keys.outcome(WAIT)))
    journal = execute(read_journal(RUN), MemoryStore(dict(world.records)))
    if isinstance(journal, Journal):
        kept = isinstance(outcome, Found) and isinstance(outcome.record, Accepted)
        return None if kept else "an acknowledged signal is not kept"
    return None


def nothing_left(world: World) -> str | None:
    left = sorted(set(world.records) - {keys.FORMAT_KEY})
    return f"nothing will remove {left}" if left else None


def consistent_end(world: World) -> str | None:
    journal = execute(read_journal(RUN), MemoryStore(dict(world.records)))
    if not isinstance(journal, Journal):
        return f"the run cannot be read: {journal}"
    if journal.run.ended and journal.run.waiting():
        return "a step waits in a run that is over"
    return None


def first_problem(*checks):
    return lambda world: next((problem for check in checks if (problem := check(world))), None)


def assert_safe(exploration: Exploration) -> None:
    assert exploration.violation is None, str(exploration.violation)
    assert exploration.exhaustive
    assert exploration.ends > 1


def test_driver_signaller_and_canceller_never_lose_a_signal_or_act_twice():
    """Whatever the order of resume, signal and cancel, the signal is kept if acknowledged and one driver acts."""
    actors = [
        Actor("driver", lambda: runs.driver("driver")),
        Actor("signaller", runs.signaller),
        Actor("canceller", runs.canceller),
    ]
    assert_safe(
        explore(
            actors,
            records=runs.suspended_run(),
            always=one_driver,
            at_end=first_problem(signal_kept, consistent_end),
            witness=runs.witness,
        )
    )


def test_two_resumes_and_a_cancel_have_one_driver():
    """Of two hosts that resume a signalled run at once, one deploys, also when a third cancels it."""
    actors = [
        Actor("a", lambda: runs.driver("a")),
        Actor("b", lambda: runs.driver("b")),
        Actor("canceller", runs.canceller),
    ]
    assert_safe(
        explore(
            actors,
            records=runs.signalled(runs.suspended_run()),
            always=one_driver,
            at_end=consistent_end,
            witness=runs.witness,
        )
    )


def appending(token: str, begun):
    """A driver that adds what it holds to be the next entry."""
    event = CancelRequested(at=runs.NOW, by=token)
    appended = yield from append(begun.journal, [event], entry_id=token, owner=token)
    return type(appended).__name__


def test_of_drivers_that_append_at_once_one_wins():
    """The next number is written by one of them; each other is shown what was written."""
    records, begun = runs.started_run()
    actors = [Actor(token, lambda token=token: appending(token, begun)) for token in ("a", "b", "c")]

    def winners(world: World) -> str | None:
        told = sorted(world.results.values())
        return None if told == ["Appended", "Lost", "Lost"] else f"they were told {told}"

    assert_safe(explore(actors, records=records, at_end=winners))


def removing(*others: Actor, records, **bounds) -> Exploration:
    """Explore a removal of the run from another host beside the others: nothing of the run may be left."""
    return explore(
        [*others, Actor("remover", runs.remover)],
        records=records,
        always=one_driver,
        at_end=first_problem(nothing_left, signal_kept),
        witness=runs.witness,
        **bounds,
    )


def test_a_driver_that_resumes_while_the_run_is_removed_leaves_nothing():
    """Whenever the removal comes, the driver stops or is done, and no record of the run is left."""
    records = runs.signalled(runs.suspended_run())
    assert_safe(removing(Actor("driver", lambda: runs.driver("driver")), records=records))


def test_a_stalled_driver_and_a_stalled_signaller_withdraw_what_they_made():
    """Both may wake at any moment of the removal, or after it; neither takes the other's leftover for the run."""
    records = runs.signalled(runs.suspended_run())
    stalled = Actor("driver", runs.stalled_driver(records))
    assert_safe(removing(stalled, Actor("signaller", runs.signaller), records=runs.resumed_by(records)))


def all_or_nothing(world: World) -> str | None:
    present = {key.split("/")[0] for key in world.records} - {keys.FORMAT_KEY}
    whole = {"workflow-runs", "open-runs", "runs", "waits"}
    return None if present in (set(), whole) else f"half a run is left: {sorted(world.records)}"


def test_a_slow_start_that_is_swept_away_is_whole_or_nothing():
    """A start that stalled after its index was written either comes about, or withdraws all that it makes."""
    records = runs.cut_off_start()
    opener = Actor("opener", lambda: runs.indexed_already(runs.opener()))
    sweeper = Actor("sweeper", lambda: runs.sweeper("sweeper"))
    assert_safe(explore([opener, sweeper], records=records, at_end=all_or_nothing))


def test_a_wait_that_is_opened_while_its_run_is_removed_is_withdrawn():
    """A driver that registers a wait for a run that has ended meanwhile removes the registration again."""
    records, begun = runs.started_run()
    assert_safe(removing(Actor("opener", lambda: runs.opening(begun)), records=records))


def test_a_removal_that_is_cut_off_anywhere_is_completed_by_the_next():
    """Whoever crashes in the middle of a removal, another one leaves nothing of the run."""
    first = Actor("remover", runs.remover)
    second = Actor("second", lambda: runs.remover("second"), after=("remover",), may_crash=False)
    exploration = explore(
        [first, second], records=runs.signalled(runs.suspended_run()), at_end=nothing_left, crashes=1
    )
    assert_safe(exploration)


def test_a_driver_that_crashes_anywhere_never_deploys_twice():
    """After a crash the run is recovered and resumed; a deployment that may have been done is not done again."""
    assert_safe(explore(recovering(lambda: runs.driver("a")), **deploying_once()))


def recovering(lost) -> list[Actor]:
    return [
        Actor("a", lost),
        Actor("recoverer", runs.recoverer, after=("a",), may_crash=False),
        Actor("b", lambda: runs.driver("b"), after=("recoverer",), may_crash=False),
    ]


def deploying_once():
    return {
        "records": runs.signalled(runs.suspended_run()),
        "always": one_driver,
        "witness": runs.witness,
        "crashes": 1,
    }


def test_requests_that_land_once_more_later_do_no_harm():
    """A create or delete that takes effect again, at any later moment, gives no second driver."""
    records = runs.signalled(runs.suspended_run())
    actors = [Actor("a", lambda: runs.driver("a")), Actor("canceller", runs.canceller)]
    assert_safe(
        explore(
            actors, records=records, always=one_driver, at_end=signal_kept, witness=runs.witness, echoes=1
        )
    )


def restarting(run_id: str) -> Exploration:
    """A stalled driver, beside a host that removes its run and then starts one under this ID."""
    records = runs.signalled(runs.suspended_run())
    return explore(
        [
            Actor("driver", runs.stalled_driver(records)),
            Actor("remover", runs.remover),
            Actor("restarter", lambda: runs.restarter(run_id), after=("remover",)),
        ],
        records=runs.resumed_by(records),
        always=one_driver,
        witness=runs.witness,
    )


def test_a_new_run_never_lets_the_driver_of_a_removed_one_go_on():
    """A run that is started afresh has an ID of its own, so a stalled driver does not find its mark."""
    assert_safe(restarting("01900000-0000-7000-8000-000000000002"))


SIGNALLED = runs.signalled(runs.suspended_run())

MUTANTS = {
    "rule 1, intent before effect": lambda: explore(
        recovering(lambda: runs.without_rule_1("a")), **deploying_once()
    ),
    "rule 2, the highest entry is deleted last": lambda: explore(
        [
            Actor("driver", runs.stalled_driver(SIGNALLED)),
            Actor("remover", lambda: runs.highest_first(runs.remover())),
        ],
        records=runs.resumed_by(SIGNALLED),
        at_end=nothing_left,
    ),
    "rule 5, a driver reads the mark": lambda: removing(
        Actor("driver", lambda: runs.without_rule_5(runs.stalled_driver(SIGNALLED)())),
        records=runs.resumed_by(SIGNALLED),
    ),
    "rule 5, a signaller reads the mark": lambda: removing(
        Actor("signaller", lambda: runs.without_rule_5(runs.signaller())), records=runs.suspended_run()
    ),
    "rule 6, no ID is used again": lambda: restarting(RUN),
    "the end gives every wait an outcome": lambda: explore(
        [
            Actor("signaller", runs.signaller),
            Actor("canceller", lambda: runs.without_outcomes_at_the_end(runs.canceller())),
        ],
        records=runs.suspended_run(),
        at_end=signal_kept,
        witness=runs.witness,
    ),
}


@pytest.mark.parametrize("rule", MUTANTS)
def test_each_rule_is_needed(rule):
    """With one rule taken away the explorer finds a schedule that breaks a promise."""
    exploration = MUTANTS[rule]()
    assert exploration.violation is not None
    assert exploration.violation.schedule
