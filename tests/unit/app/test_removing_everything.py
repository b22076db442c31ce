"""Whatever happened to runs, and whoever died on the way: when all are deleted, nothing is left in the store."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from itertools import count

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.removals import DYING, FILES, KEYS, Hosts, repo


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return repo(tmp_path_factory.mktemp("repo"))


def of(items, number):
    return items[number % len(items)] if items else None


def run(swamp, hosts, number):
    swamp.run(sorted(FILES)[number % len(FILES)])


def signal(swamp, hosts, number):
    if wait := of(swamp.waits().waits, number):
        swamp.signal(wait.wait_id, {"n": number})


def signal_by_key(swamp, hosts, number):
    sent = {"n": number % 3}
    ttl = timedelta(minutes=5 * number) if number % 4 else None
    swamp.signal_by_key("keyed", KEYS[number % 2], sent, idempotency_key=NAMES[number % 3], ttl=ttl)


def discard(swamp, hosts, number):
    if held := of(swamp.early_signals().signals, number):
        swamp.discard_early_signal(held.id)


def decide(swamp, hosts, number):
    if gate := of(swamp.approvals().waits, number):
        (swamp.approve if number % 2 else swamp.reject)(gate.run_id, gate.step)


def resume(swamp, hosts, number):
    if run_id := of(hosts.run_ids(), number):
        swamp.resume(run_id)


def retry(swamp, hosts, number):
    if failed := of(swamp.history(status="failed").runs, number):
        swamp.retry(failed.id)


def cancel(swamp, hosts, number):
    if run_id := of(hosts.run_ids(), number):
        swamp.cancel(run_id, keep_children=number % 3 == 0)


def recover(swamp, hosts, number):
    if lost := of(swamp.history(status="interrupted").runs, number):
        swamp.recover(lost.id, acknowledge_unknown=True)


def delete(swamp, hosts, number):
    if run_id := of(hosts.run_ids(), number):
        swamp.delete_run(run_id, force=number % 2 == 0)


def collect(swamp, hosts, number):
    swamp.collect(timedelta(minutes=number))


def delete_workflow(swamp, hosts, number):
    swamp.delete_workflow(sorted(FILES)[number % len(FILES)], force=number % 2 == 0)


def let_time_pass(swamp, hosts, number):
    hosts.clock.move(timedelta(minutes=10 * number))


NAMES = (None, "one", "two")
ACTIONS = (
    run,
    signal,
    signal_by_key,
    discard,
    decide,
    resume,
    retry,
    cancel,
    recover,
    delete,
    collect,
    delete_workflow,
    let_time_pass,
)
STEPS = st.tuples(
    st.sampled_from(ACTIONS) | st.sampled_from((run, signal_by_key)),
    st.integers(0, 12),
    st.none() | st.integers(1, 25),
    st.booleans(),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, max_size=14))
def test_after_any_history_the_deletion_of_all_runs_leaves_nothing(directory, steps):
    """Runs, signals, decisions, cancels, timeouts, retries, deletions and collections, with kills in the middle.

    What is held for a key stays until its time is over; of the key one release.
    """
    hosts = Hosts(directory)
    for action, number, dies_at, after in steps:
        swamp, _ = hosts.process(dies_at, after=after)
        with suppress(*DYING):
            action(swamp, hosts, number)
    hosts.delete_everything()
    assert [key for key in hosts.left() if not key.startswith("early-")] == []
    hosts.forget_signals()
    assert hosts.left() == []


def waiting_tree(hosts):
    swamp, _ = hosts.process()
    run_id = swamp.run("nest").run.id
    wait, *_ = swamp.waits().waits
    swamp.signal(wait.wait_id, {})
    return run_id


FINISHERS = {
    "the same deletion": lambda swamp, run_id: swamp.delete_run(run_id, force=True),
    "a collection": lambda swamp, run_id: swamp.collect(timedelta(0)),
    "the deletion of its workflow": lambda swamp, run_id: swamp.delete_workflow("nest", force=True),
}


@pytest.mark.parametrize("finisher", FINISHERS)
@pytest.mark.parametrize("after", [False, True])
def test_a_deletion_that_dies_at_any_write_is_finished(directory, finisher, after):
    """At each write of a forced deletion of a tree the process dies; whatever is done next removes the rest."""
    for dies_at in count(1):
        hosts = Hosts(directory)
        run_id = waiting_tree(hosts)
        swamp, mortal = hosts.process(dies_at, after=after)
        with suppress(*DYING):
            swamp.delete_run(run_id, force=True)
        if not mortal.dead:
            assert dies_at > 20
            return
        hosts.clock.move(timedelta(hours=1))
        with suppress(*DYING):  # The run may be gone already, and nobody knows it then.
            FINISHERS[finisher](hosts.process()[0], run_id)
        if not hosts.run_ids():
            assert hosts.left() == []
        hosts.delete_everything()
        assert hosts.left() == []


@pytest.mark.parametrize("workflow", sorted(FILES))
def test_a_run_that_dies_at_any_write_is_removed(directory, workflow):
    """At each write of a run its driver dies; the run, if it came about, is deleted, and the rest is collected."""
    for dies_at in count(1):
        hosts = Hosts(directory)
        swamp, mortal = hosts.process(dies_at, after=dies_at % 2 == 0)
        with suppress(*DYING):
            swamp.run(workflow)
        if not mortal.dead:
            return
        hosts.delete_everything()
        assert hosts.left() == []


def test_a_collection_beside_runs_that_go_on_touches_none(directory):
    """Runs that wait, nested and alone, are as they were after a collection of everything that is over."""
    hosts = Hosts(directory)
    swamp, _ = hosts.process()
    for name in sorted({*FILES} - {"keyed"}):  # That one is nested in `over`, and would find its key held.
        swamp.run(name)
    swamp.delete_workflow("fail")
    before = dict(hosts.store.records)
    hosts.clock.move(timedelta(days=400))
    assert swamp.collect(timedelta(0)).records == 0
    assert hosts.store.records == before
