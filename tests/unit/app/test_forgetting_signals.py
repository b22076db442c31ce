"""What was held for a key is collected when its time is over for long, and when no run is there that used it."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from itertools import count

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.journal.early import KEPT_AFTER_EXPIRY
from swamp_core.records import keys

from tests.removals import DYING, Hosts, repo

TTL = timedelta(minutes=10)
SENT = {"n": 1}
MOMENT = timedelta(milliseconds=1)
TAKEN = {"early-signals": 1, "early-names": 1, "early-takes": 1}


@pytest.fixture
def hosts(tmp_path):
    return Hosts(repo(tmp_path))


def send(hosts, *, name="one", payload=SENT, dies_at=None, after=False):
    swamp, mortal = hosts.process(dies_at, after=after)
    with suppress(*DYING):
        return swamp.signal_by_key("keyed", "k", payload, idempotency_key=name, ttl=TTL)
    assert mortal.dead
    return None


def run(hosts, dies_at=None, *, after=False):
    swamp, mortal = hosts.process(dies_at, after=after)
    with suppress(*DYING):
        return swamp.run("keyed").run.id
    assert mortal.dead
    return None


def families(hosts):
    """How many records there are of each family of early signals."""
    names = Counter(key.split("/")[0] for key in hosts.store.records)
    return {name: each for name, each in names.items() if name.startswith("early-")}


def stays(hosts):
    """Nothing of what was held is collected."""
    before = {key: each for key, each in hosts.store.records.items() if key.startswith("early-")}
    hosts.collect()
    assert {key: each for key, each in hosts.store.records.items() if key.startswith("early-")} == before


def died_when(hosts, act, wanted):
    """Let processes die at ever later writes of `act`, each in a copy of the store, until it is as `wanted`."""
    before = dict(hosts.store.records)
    for dies_at in count(1):
        for after in (False, True):
            hosts.store.records.clear()
            hosts.store.records.update(before)
            done = act(dies_at, after)
            if families(hosts) == wanted:
                return
            assert done is None, f"the store was never as {wanted}"


def only_outcome_is(hosts, text):
    outcomes = [data for key, data in hosts.store.records.items() if key.startswith(keys.OUTCOMES)]
    return len(outcomes) == 1 and text in outcomes[0]


def test_a_signal_that_has_expired_stays_for_as_long_as_a_clock_may_be_slow(hosts):
    """Then it goes, with its name, and leaves nothing."""
    send(hosts)
    hosts.clock.move(TTL + KEPT_AFTER_EXPIRY - MOMENT)
    stays(hosts)
    hosts.clock.move(MOMENT)
    assert hosts.collect().records == 2
    assert hosts.left() == []


def test_a_signal_that_is_held_is_not_collected(hosts):
    """However often the rest of the store is."""
    send(hosts)
    stays(hosts)
    assert run(hosts)
    (wait,) = hosts.process()[0].waits().waits
    assert wait.key == "l"


def test_what_is_told_of_a_discarded_signal_goes_when_it_would_have(hosts):
    """Until then a request that is late could store it again."""
    receipt = send(hosts).receipt
    hosts.process()[0].discard_early_signal(receipt.id)
    assert families(hosts) == {"early-names": 1, "early-takes": 1}
    hosts.clock.move(TTL + KEPT_AFTER_EXPIRY - MOMENT)
    stays(hosts)
    hosts.clock.move(MOMENT)
    assert hosts.collect().records == 2
    assert hosts.left() == []


def test_a_repeat_is_told_what_became_of_a_signal_as_long_as_its_run_is_there(hosts):
    """However long ago it was; then what is told goes, at once if the signal's time is over."""
    held = send(hosts)
    run_id = run(hosts)
    hosts.process()[0].cancel(run_id)
    hosts.clock.move(timedelta(days=90))
    swamp, _ = hosts.process()
    assert swamp.collect(timedelta(days=1_000)).records == 0
    assert send(hosts).receipt.id == held.receipt.id
    swamp.delete_run(run_id)
    assert families(hosts) == {"early-names": 1, "early-takes": 2}
    assert hosts.collect().records == 3
    assert hosts.left() == []


def test_what_a_deleted_run_used_is_not_forgotten_before_its_time(hosts):
    """A request that is late would store it again, and the next run would have it."""
    send(hosts)
    run_id = run(hosts)
    hosts.process()[0].delete_run(run_id, force=True)
    stays(hosts)
    hosts.clock.move(TTL + KEPT_AFTER_EXPIRY)
    assert hosts.collect().records == 3
    assert hosts.left() == []


def test_a_name_whose_sender_died_before_the_signal_goes_in_its_time(hosts):
    """The sender may only be slow, or repeat it."""
    died_when(hosts, lambda at, after: send(hosts, dies_at=at, after=after), {"early-names": 1})
    hosts.clock.move(TTL + KEPT_AFTER_EXPIRY - MOMENT)
    stays(hosts)
    hosts.clock.move(MOMENT)
    assert hosts.collect().records == 1
    assert hosts.left() == []


def delivered_by_who_died(hosts):
    """A signal is the outcome of a wait, and who gave it to that died before it was ended."""
    send(hosts)
    before = dict(hosts.store.records)
    for dies_at in count(1):
        hosts.store.records.clear()
        hosts.store.records.update(before)
        assert run(hosts, dies_at, after=True) is None
        if families(hosts) == TAKEN and only_outcome_is(hosts, b'"accepted"'):
            return


def test_a_signal_that_was_used_is_ended_when_who_delivered_it_died(hosts):
    """Its run may go on, and ends it only then."""
    delivered_by_who_died(hosts)
    assert hosts.collect().records == 1
    assert families(hosts) == {"early-names": 1, "early-takes": 2}
    assert b'"used"' in end_of(hosts)


def test_wherever_the_end_of_a_run_was_cut_off_a_dry_run_tells_what_is_deleted(hosts):
    """A used signal that goes with its run is counted no second time."""
    delivered_by_who_died(hosts)
    before = dict(hosts.store.records)
    hosts.clock.move(timedelta(hours=1))
    for dies_at in count(1):
        hosts.store.records.clear()
        hosts.store.records.update(before)
        swamp, mortal = hosts.process(dies_at, after=True)
        with suppress(*DYING):
            swamp.cancel(hosts.run_ids()[0])
        hosts.collect()
        if not mortal.dead:
            assert dies_at > 5
            return


def end_of(hosts):
    """What stands as the highest take of the only signal."""
    return min((key, data) for key, data in hosts.store.records.items() if key.startswith(keys.EARLY_TAKES))[
        1
    ]


def test_a_signal_that_a_wait_is_about_to_have_stays(hosts):
    """Whoever took it may come to give it to the wait yet, or somebody else does."""
    send(hosts)
    died_when(hosts, lambda at, after: run(hosts, at, after=after), TAKEN)
    hosts.clock.move(TTL)
    stays(hosts)
    hosts.clock.move(timedelta(minutes=45))
    stays(hosts)


def test_a_signal_whose_end_is_written_goes_when_who_wrote_it_died(hosts):
    """What is told of it stays until its time."""
    receipt = send(hosts).receipt

    def discard(dies_at, after):
        with suppress(*DYING):
            return hosts.process(dies_at, after=after)[0].discard_early_signal(receipt.id)

    died_when(hosts, discard, TAKEN)
    assert hosts.collect().records == 1
    assert families(hosts) == {"early-names": 1, "early-takes": 1}
    hosts.clock.move(TTL + KEPT_AFTER_EXPIRY)
    assert hosts.collect().records == 2
    assert hosts.left() == []


def test_a_take_of_a_signal_that_is_gone_is_collected(hosts):
    """Who took it was stalled until all of it was gone, and died before they saw that."""
    send(hosts)
    died_when(hosts, lambda at, after: run(hosts, at, after=after), TAKEN)
    for prefix in (keys.EARLY_SIGNALS, keys.EARLY_NAMES):
        hosts.store.delete(next(iter(hosts.store.list(prefix))))
    hosts.collect()
    assert families(hosts) == {}


def test_what_cannot_be_read_stays(hosts):
    """Nobody knows when its time is over, nor whether a wait has it."""
    receipt = send(hosts).receipt
    for key in (
        keys.early_signal("keyed", "k", "other"),
        keys.early_take("keyed", "k", receipt.id, 1),
        keys.early_take("keyed", "k", "another", 1),
        keys.early_name("keyed", "l", "name"),
    ):
        hosts.store.put_if_absent(key, b"what is this?")
    hosts.clock.move(timedelta(days=400))
    stays(hosts)


class Counted:
    """The store as one process sees it, with the requests that concern early signals."""

    def __init__(self, store):
        self.store, self.asked = store, []

    def __getattr__(self, verb):
        def asking(key, *args, **options):
            if key.startswith("early-"):
                self.asked.append((verb, key))
            return getattr(self.store, verb)(key, *args, **options)

        return asking


def requests_of_a_collection(hosts):
    swamp, mortal = hosts.process()
    mortal._store = counted = Counted(hosts.store)
    assert swamp.collect(timedelta(days=1_000), dry_run=True).records == 0
    return len(counted.asked)


def test_a_collection_lists_what_is_held_three_times_however_many_runs_used_signals(hosts):
    """What a finished run used is known from the run, and is not read."""
    assert requests_of_a_collection(hosts) == 3
    for number in range(3):
        send(hosts, name=f"signal-{number}")
        hosts.process()[0].cancel(run(hosts))
    assert families(hosts) == {"early-names": 3, "early-takes": 6}
    assert requests_of_a_collection(hosts) == 3


def test_the_deletion_of_a_workflow_deletes_what_is_held_for_its_keys(hosts):
    """Also what no wait has had, what was discarded, what cannot be read, and what is told of it."""
    discarded = send(hosts, name="one").receipt
    hosts.process()[0].discard_early_signal(discarded.id)
    send(hosts, name="two")
    run(hosts)
    send(hosts, name="three")
    hosts.store.put_if_absent(keys.early_signal("keyed", "k", "other"), b"what is this?")
    other = keys.early_signal("keyed2", "k", "other")
    hosts.store.put_if_absent(other, b"what is this?")
    hosts.process()[0].delete_workflow("keyed", force=True)
    assert hosts.left() == [other]


def test_a_workflow_of_which_there_is_only_what_is_held_can_be_deleted(hosts):
    """No run and no file of it are there, but it is known; afterwards it is not."""
    send(hosts)
    (hosts.directory / "workflows" / "keyed.yaml").unlink()
    swamp, _ = hosts.process()
    assert swamp.delete_workflow("keyed").records == 2
    assert hosts.left() == []
    with pytest.raises(Refused, match="no workflow"):
        swamp.delete_workflow("keyed")


def test_the_deletion_of_a_workflow_that_dies_is_finished_by_the_next(hosts):
    """At each write of it."""
    send(hosts, name="one")
    run(hosts)
    send(hosts, name="two")
    before = dict(hosts.store.records)
    for dies_at in count(1):
        hosts.store.records.clear()
        hosts.store.records.update(before)
        swamp, mortal = hosts.process(dies_at, after=True)
        with suppress(*DYING):
            swamp.delete_workflow("keyed", force=True)
        if not mortal.dead:
            assert dies_at > 10
            return
        (hosts.directory / "workflows" / "keyed.yaml").unlink(missing_ok=True)
        hosts.clock.move(timedelta(hours=1))
        with suppress(Refused):  # It may be gone already.
            hosts.process()[0].delete_workflow("keyed", force=True)
        assert hosts.left() == []
        repo(hosts.directory)


def test_what_a_run_used_that_is_kept_is_told_after_the_deletion_of_its_workflow(hosts):
    """A run that is nested in one of another workflow stays, and a repeat of its signal is no new signal."""
    held = send(hosts)
    hosts.process()[0].run("over")
    hosts.process()[0].delete_workflow("keyed", force=True)
    assert families(hosts) == {"early-names": 1, "early-takes": 2}
    again = send(hosts)
    assert (again.status, again.receipt.id) == ("repeated", held.receipt.id)


def test_a_run_that_cannot_be_read_gives_up_its_key_when_it_is_deleted_by_force(hosts):
    """The next run has the key, and not the signal that this one used."""
    send(hosts)
    run_id = run(hosts)
    newest = next(iter(hosts.store.list(keys.entries(run_id))))
    hosts.store.records[newest] = b"what is this?"
    hosts.process()[0].delete_run(run_id, force=True)
    assert hosts.left() == sorted(key for key in hosts.store.records if key.startswith("early-"))
    run(hosts)
    (wait,) = hosts.process()[0].waits().waits
    assert wait.key == "k"
