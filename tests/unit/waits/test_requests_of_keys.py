"""What a key costs, counted in requests to the store: the same however many runs are behind it.

Apart from what claiming costs, an opener registers its wait, and lists what is held for its key: one request each.
"""

from collections import Counter
from collections.abc import Iterator

import pytest
from swamp_core.journal.claims import release_key
from swamp_core.records import keys
from swamp_core.records.families import Accepted, Hold, Receipt
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.waits.by_key import Delivered, SignalByKey, Stored, signal_by_key
from swamp_core.waits.claiming import Acquired, claim_key
from swamp_core.waits.opening import open_wait
from swamp_core.waits.signals import Signal

from tests.explored import claims
from tests.explored.claims import KEY, NOW, WORKFLOW, claim_of, running
from tests.explored.early import ending, held, open_already, registration_of

RUNS = 10_000


class Requests:
    """A store in memory that notes what it is asked, as `verb family`."""

    def __init__(self, records: dict[str, bytes]) -> None:
        self.store = MemoryStore(records)
        self.sent: list[str] = []

    def _note(self, verb: str, key: str) -> None:
        self.sent.append(f"{verb} {key.split('/')[0]}")

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self._note("put", key)
        return self.store.put_if_absent(key, data)

    def get(self, key: str) -> bytes | None:
        self._note("get", key)
        return self.store.get(key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        self._note("list", prefix)
        return self.store.list(prefix, start_after=start_after, limit=limit)

    def delete(self, key: str) -> None:
        self._note("delete", key)
        self.store.delete(key)


def finished_runs() -> dict[str, bytes]:
    """What 10,000 runs have left that had the key one after another: index, journal, outcome, the end of a signal."""
    records = {}
    for number in range(RUNS):
        name = f"{number:08x}"
        records[keys.run_index(WORKFLOW, f"run-{name}")] = b"{}"
        records[keys.entry(f"run-{name}", 1)] = b"{}"
        records[keys.outcome(name)] = b"{}"
        records[keys.early_name(WORKFLOW, KEY, name)] = b"{}"
        records[keys.early_take(WORKFLOW, KEY, name, 1)] = b"{}"
    return records


@pytest.fixture(params=[0, RUNS], ids=["no run", "10,000 runs"])
def behind(request) -> dict[str, bytes]:
    """What is in the store already."""
    return finished_runs() if request.param else {}


def settled(wait: str) -> dict[str, bytes]:
    """The records of a wait that has held the key and was signalled; its run has not gone on yet."""
    receipt = Receipt(id="s", wait_id=wait, received_at=NOW, submitted_by="ann", idempotency_key="k")
    of_wait = {"wait_id": wait, "workflow": WORKFLOW, "run_id": f"run-{wait}", "job": "j", "step": "review"}
    outcome = Accepted(**of_wait, at=NOW, receipt=receipt, payload={}, key_name=KEY)
    return {**open_already(wait), outcome.key(): outcome.encode()}


def ended(wait: str) -> dict[str, bytes]:
    """What is left of a wait that has held the key, once its run is over."""
    store = MemoryStore(settled(wait))
    execute(ending(wait).start(), store)
    return dict(store.records)


def test_a_key_that_was_never_used_costs_four_requests_to_claim(behind):
    """The listing, the claim, the look whether it is the highest, and the mark."""
    store = Requests({**behind, **running("b")})
    assert execute(claim_key(claim_of("b"), lambda: NOW), store) == Acquired()
    assert store.sent == ["list wait-keys", "put wait-keys", "list wait-keys", "get open-runs"]


@pytest.mark.parametrize(("before", "most"), [(settled, 7), (ended, 6)])
def test_a_key_that_was_used_costs_seven_requests_to_claim(behind, before, most):
    """What stands there is read too, and the wait that it names, and the lower claim deleted; a release names none."""
    store = Requests({**behind, **before("a"), **running("b")})
    assert execute(claim_key(claim_of("b"), lambda: NOW), store) == Acquired()
    assert len(store.sent) == most
    lower = Counter(store.sent)["delete wait-keys"]
    assert lower == 1


@pytest.mark.parametrize("uses", [1, 20])
def test_a_key_costs_the_same_however_often_it_was_used(uses):
    """No claim of before stays behind to be read or deleted."""
    store = Requests({})
    for number in range(uses + 1):
        store.sent.clear()
        store.store.records |= running(f"w{number}")
        assert execute(open_wait(registration_of(f"w{number}"), lambda: NOW), store) is None
        cost = Counter(store.sent)
        execute(ending(f"w{number}").start(), store)
    assert cost.total() == 6 + 2, cost
    assert cost["put waits"] == cost["list early-signals"] == 1


def test_a_claim_that_is_taken_over_costs_no_more(behind):
    """A recovered driver claims again: its claim is found, confirmed, and nothing else is written."""
    store = Requests({**behind, **open_already("a")})
    assert execute(claim_key(claim_of("a"), lambda: NOW), store) == Acquired()
    assert store.sent == ["list wait-keys", "get wait-keys", "list wait-keys", "get open-runs"]


def test_a_wait_without_a_key_costs_its_registration(behind):
    """One request, and none for keys."""
    store = Requests({**behind, **running("a")})
    assert execute(open_wait(claims.registration_of("a"), lambda: NOW), store) is None
    assert store.sent == ["put waits"]


def sent(*, is_named: bool = False) -> SignalByKey:
    message = Signal({"of": "s"}, "name-s", "s", "sender")
    return SignalByKey(WORKFLOW, KEY, message, is_named=is_named, hold=Hold())


def test_a_signal_by_key_costs_six_requests(behind):
    """With nothing held and no idempotency key: what is held, the claim, and then what a signal by wait ID costs."""
    store = Requests({**behind, **open_already("a")})
    result = execute(signal_by_key(sent(), lambda: NOW), store)
    assert isinstance(result, Delivered)
    direct = ["get waits", "put wait-outcomes", "get open-runs"]
    assert store.sent == ["list early-signals", "list wait-keys", "get wait-keys", *direct]


@pytest.mark.parametrize("is_named", [False, True])
def test_what_it_costs_to_hold_a_signal_is_bounded(behind, is_named):
    """The same with 10,000 runs behind the key, though each of them used a signal that was held."""
    store = Requests({**behind, **ended("a")})
    assert isinstance(execute(signal_by_key(sent(is_named=is_named), lambda: NOW), store), Stored)
    assert len(store.sent) == (10 if is_named else 9), store.sent


def test_what_it_costs_to_take_a_signal_is_bounded(behind):
    """An opener beside a signal that is held takes it with 15 requests more than it costs to look."""
    store = Requests({**behind, **running("b"), **held("s")})
    assert execute(open_wait(registration_of("b"), lambda: NOW), store) is None
    assert keys.outcome("b") in store.store.records
    assert len(store.sent) == 4 + 2 + 15, store.sent


def test_a_release_of_what_was_not_claimed_costs_one_request():
    """The end of a run whose claim was superseded long ago lists the key, and no more."""
    store = Requests({})
    execute(release_key(WORKFLOW, KEY, "run-a"), store)
    assert store.sent == ["list wait-keys"]
