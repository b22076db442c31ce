"""Signalling and listing, against a store in memory: what each costs, and what a listing says of odd records."""

from __future__ import annotations

from datetime import timedelta

import pytest
from swamp_core.cli.tracing import TracedStore
from swamp_core.records import keys
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.waits.listing import list_open_waits
from swamp_core.waits.settling import Settled, UnknownWait, signal_wait
from swamp_core.waits.signals import AlreadySettled, Closed, Expired, InvalidPayload, Repeated, Signal

from tests.explored.runs import MARK, NOW, RUN, WAIT, canceller, remover, suspended_run


@pytest.fixture
def requests() -> list[str]:
    return []


@pytest.fixture
def store(requests):
    return TracedStore(MemoryStore(suspended_run()), requests.append)


def send(store, payload=None, *, key="k", receipt="r", now=NOW):
    signal = Signal(
        payload={"ok": True} if payload is None else payload,
        idempotency_key=key,
        receipt_id=receipt,
        submitted_by="ann",
    )
    return execute(signal_wait(WAIT, signal, lambda: now), store)


def test_a_signal_costs_three_requests(store, requests):
    """A signal is the registration, the outcome and the mark."""
    assert isinstance(send(store), Settled)
    assert requests == [
        f"get {keys.registration(WAIT)}",
        f"put_if_absent {keys.outcome(WAIT)}",
        f"get {MARK}",
    ]


def test_a_signal_that_is_refused_costs_two(store, requests):
    """One that comes too late or to no wait is refused after the registration and the outcome."""
    assert isinstance(send(store, now=NOW + timedelta(hours=1)), Expired)
    assert len(requests) == 2
    requests.clear()
    store.delete(keys.registration(WAIT))
    requests.clear()
    assert isinstance(send(store), UnknownWait)
    assert len(requests) == 2


def test_a_wait_has_one_outcome(store):
    """The first signal is taken; another is told of its receipt, and the same one again is a repeat."""
    first = send(store)
    assert isinstance(first, Settled)
    assert send(store, receipt="other", key="other") == AlreadySettled(first.outcome.receipt)
    assert send(store, receipt="other") == Repeated(first.outcome)
    assert send(store) == Repeated(first.outcome)


def test_a_late_repeat_is_answered_as_long_as_the_run_is_there(store):
    """After the end of the run the receipt is still given; after its removal there is no such wait."""
    first = send(store)
    execute(canceller(), store)
    assert send(store, receipt="late") == Repeated(first.outcome, over=True)
    execute(remover(), store)
    assert isinstance(send(store, receipt="late"), UnknownWait)


def test_a_wait_of_a_cancelled_run_is_closed(store):
    """A signal that comes after the end of the run is not acknowledged."""
    execute(canceller(), store)
    assert isinstance(send(store), Closed)


def test_a_listing_costs_two_requests_and_two_a_wait(store, requests):
    """The open waits are listed without reading a journal."""
    assert [wait.wait_id for wait in execute(list_open_waits("signal"), store).waits] == [WAIT]
    assert len(requests) == 4


@pytest.mark.parametrize("gone", [MARK, keys.registration(WAIT)])
def test_a_wait_is_open_only_with_registration_and_mark(store, gone):
    """What a crash left of a wait is not an open wait."""
    store.delete(gone)
    assert execute(list_open_waits("signal"), store).waits == ()


@pytest.mark.parametrize("key", [keys.registration(WAIT), keys.outcome(WAIT)])
def test_a_record_that_cannot_be_read_is_shown_and_hides_no_other(store, key):
    """A broken record is listed as unreadable; it is never taken for an open wait."""
    store.delete(key)
    store.put_if_absent(key, b"\0" * 20)
    listed = execute(list_open_waits("signal"), store)
    assert listed.waits == ()
    assert [unreadable.key for unreadable in listed.unreadable] == [key]


def test_an_invalid_payload_leaves_the_wait_open(requests):
    """A refused payload changes nothing, and a valid one is taken after it."""
    records = suspended_run()
    schema = b'"schema":{"type":"object","required":["ok"]},"waitKind"'
    records[keys.registration(WAIT)] = records[keys.registration(WAIT)].replace(b'"waitKind"', schema)
    store = TracedStore(MemoryStore(records), requests.append)
    before = dict(records)
    assert isinstance(send(store, payload={}), InvalidPayload)
    assert records == before
    assert isinstance(send(store, payload={"ok": 1}), Settled)
    assert RUN in records[keys.outcome(WAIT)].decode()
