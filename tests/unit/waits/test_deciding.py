"""Deciding a gate, against a store in memory: what a decision costs, and that the first one is the only one."""

from __future__ import annotations

from datetime import timedelta

import pytest
from swamp_core.cli.tracing import TracedStore
from swamp_core.engine.cancelling import NoReason
from swamp_core.engine.rejecting import end_rejected
from swamp_core.journal.reading import read_journal
from swamp_core.journal.retrying import retry_run
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.records.families import Approved, Rejected, TimedOut
from swamp_core.run.events import StepReset
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.waits.deciding import AlreadyDecided, Decided, NoGate, decide_gate
from swamp_core.waits.listing import list_open_waits
from swamp_core.waits.settling import UnknownWait
from swamp_core.waits.signals import Closed, Expired

from tests.explored.gates import DEADLINE, GATE, decision, gated_run
from tests.explored.runs import MARK, NOW, RUN, WAIT, ambient, canceller, owner, remover


@pytest.fixture
def requests() -> list[str]:
    return []


@pytest.fixture
def store(requests):
    return TracedStore(MemoryStore(gated_run()), requests.append)


def decide(store, name="ann", *, approve=True, at=NOW, reason=None):
    return execute(decision(name, approve=approve, at=at, reason=reason), store)


def test_a_decision_costs_three_requests(store, requests):
    """A decision is the registration, the outcome and the mark."""
    assert isinstance(decide(store), Decided)
    assert requests == [
        f"get {keys.registration(GATE)}",
        f"put_if_absent {keys.outcome(GATE)}",
        f"get {MARK}",
    ]


@pytest.mark.parametrize(("approve", "kind"), [(True, Approved), (False, Rejected)])
def test_a_decision_keeps_who_when_and_why(store, approve, kind):
    """The outcome says who decided, when, and the reason."""
    answer = decide(store, "ann", approve=approve, reason="the build is red")
    assert isinstance(answer, Decided)
    assert isinstance(answer.outcome, kind)
    kept = answer.outcome.decision
    assert (kept.by, kept.at, kept.reason) == ("ann", NOW, "the build is red")


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("second", [True, False])
def test_a_second_decision_is_shown_the_first(store, first, second):
    """Whoever comes second changes nothing, whatever they want, and is told of the first decision."""
    decided = decide(store, "ann", approve=first)
    assert isinstance(decided, Decided)
    assert decide(store, "bob", approve=second) == AlreadyDecided(decided.outcome)


def test_a_decision_that_is_repeated_under_its_id_is_made_once(store):
    """After a lost reply the same decision is found to have been made."""
    decided = decide(store, "ann")
    assert decide(store, "ann") == decided


def test_a_gate_is_decided_before_its_deadline_and_not_at_it(store):
    """At the very deadline the gate has expired, and saying so settles nothing."""
    assert decide(store, at=DEADLINE) == Expired(DEADLINE)
    assert store.get(keys.outcome(GATE)) is None
    assert isinstance(decide(store, at=DEADLINE - timedelta(milliseconds=1)), Decided)


def test_a_decision_from_before_the_deadline_is_shown_after_it(store):
    """Who comes after the deadline of a decided gate is told who decided it."""
    decided = decide(store, "ann")
    assert decide(store, "bob", at=DEADLINE + timedelta(days=1)) == AlreadyDecided(decided.outcome)


def test_a_gate_that_timed_out_cannot_be_decided_by_a_slow_clock(store):
    """Once somebody has settled the gate as timed out, it has expired for everybody."""
    outcome = TimedOut(wait_id=GATE, workflow="ask", run_id=RUN, job="j", step="sign-off", at=DEADLINE)
    store.put_if_absent(outcome.key(), outcome.encode())
    assert decide(store, at=NOW) == Expired(None)


def test_a_wait_for_a_signal_cannot_be_decided(store):
    """Approving never releases an open wait: it takes a signal and nothing else."""
    protocol = decide_gate(WAIT, approve=True, by="ann", reason=None, decision_id="d", now=lambda: NOW)
    assert execute(protocol, store) == NoGate()
    assert store.get(keys.outcome(WAIT)) is None


def test_a_gate_of_a_cancelled_run_is_closed(store):
    """After the end of its run a gate that was left undecided is closed."""
    execute(canceller(), store)
    assert decide(store) == Closed()


def test_a_decision_is_shown_as_long_as_the_run_is_there(store):
    """After the run's end a second decision is still shown the first; after its removal there is no such gate."""
    decided = decide(store, "ann")
    execute(canceller(), store)
    assert decide(store, "bob") == AlreadyDecided(decided.outcome)
    execute(remover(), store)
    assert decide(store, "bob") == UnknownWait()


@pytest.mark.parametrize("key", [keys.registration(GATE), keys.outcome(GATE)])
def test_a_record_that_cannot_be_read_is_never_decided_over(store, key):
    """What cannot be read is told, and nothing is written."""
    store.delete(key)
    store.put_if_absent(key, b"\0" * 20)
    assert isinstance(decide(store), Unreadable)
    assert decide(store).key == key


def test_a_rejection_ends_the_run_and_leaves_no_step_waiting(store):
    """The end that a rejection brings closes the open wait, and can be repeated."""
    rejected = decide(store, "ann", approve=False).outcome
    ended = execute(end_rejected(rejected, ambient=ambient("ann")), store)
    assert (ended.already, ended.run.waiting()) == (False, {})
    assert ended.run.cancellation.rejected == GATE
    assert store.get(keys.outcome(WAIT)) is not None
    again = execute(end_rejected(rejected, ambient=ambient("bob")), store)
    assert (again.already, again.run) == (True, ended.run)


def test_waits_and_gates_are_listed_apart(store):
    """Each listing has its kind of wait, and the other apart; a record that cannot be read is in both."""
    assert [wait.wait_id for wait in execute(list_open_waits("signal"), store).others] == [GATE]
    assert [wait.wait_id for wait in execute(list_open_waits("signal"), store).waits] == [WAIT]
    assert [wait.wait_id for wait in execute(list_open_waits("approval"), store).waits] == [GATE]
    decide(store)
    assert execute(list_open_waits("approval"), store).waits == ()
    store.delete(keys.registration(WAIT))
    store.put_if_absent(keys.registration(WAIT), b"{}")
    for kind in ("signal", "approval"):
        assert [each.key for each in execute(list_open_waits(kind), store).unreadable] == [
            keys.registration(WAIT)
        ]


def test_a_rejection_that_is_late_does_not_end_the_run_that_was_retried_since(store):
    """Whoever stalled with a rejection finds that no step waits for that gate any more, and writes nothing."""
    rejected = decide(store, "ann", approve=False).outcome
    execute(end_rejected(rejected, ambient=ambient("ann")), store)
    journal = execute(read_journal(RUN), store)
    resets = [
        StepReset(at=NOW, job="j", step=step, reason="It is retried.")
        for step in ("review", "sign-off", "deploy")
    ]
    retried = execute(
        retry_run(journal, resets, owner=owner("bob"), by="bob", inputs={}, now=NOW, entry_id="retry"), store
    )
    assert execute(end_rejected(rejected, ambient=ambient("ann")), store) == NoReason(retried.journal.run)
    assert execute(read_journal(RUN), store).number == retried.journal.number
