from collections.abc import Iterator
from threading import Barrier, Thread, current_thread
from typing import Any

import pytest
from swamp_core.store import MemoryStore, StoreUnavailable, execute, get_many, perform
from swamp_core.store.fan_out import FAN_OUT, fan_out
from swamp_core.store.operations import (
    Delete,
    Get,
    List,
    Operation,
    Protocol,
    PutIfAbsent,
    Together,
    side_by_side,
)


def test_each_operation_gives_what_the_store_gives() -> None:
    """An operation is the call, as a value."""
    store = MemoryStore()
    assert perform(PutIfAbsent("a", b"1"), store) is True
    assert perform(PutIfAbsent("a", b"2"), store) is False
    assert perform(Get("a"), store) == b"1"
    assert perform(PutIfAbsent("b", b"2"), store) is True
    assert perform(List("", start_after="a", limit=5), store) == ["b"]
    assert perform(Delete("a"), store) is None
    assert perform(Together((Get("a"), Get("b"))), store) == [None, b"2"]
    assert perform(Together(()), store) == []


def test_a_protocol_is_sent_each_result_and_gives_what_it_returns() -> None:
    """A protocol reads like a function and does no I/O of its own."""

    def claim() -> Iterator[Any]:
        won = yield PutIfAbsent("claim", b"mine")
        record = yield Get("claim")
        return won, record

    assert execute(claim(), MemoryStore({"claim": b"theirs"})) == (False, b"theirs")  # type: ignore[arg-type]


def test_a_failure_is_raised_in_the_protocol_where_it_happened() -> None:
    """The protocol decides what a failed operation means for it."""

    class Down(MemoryStore):
        def get(self, key: str) -> bytes | None:
            raise StoreUnavailable("Down")

    def careful() -> Iterator[Operation]:
        try:
            yield Get("a")
        except StoreUnavailable:
            yield PutIfAbsent("b", b"instead")
        return "went on"  # type: ignore[return-value]

    def careless() -> Iterator[Operation]:
        yield Get("a")

    store = Down()
    assert execute(careful(), store) == "went on"  # type: ignore[arg-type]
    assert store.records == {"b": b"instead"}
    with pytest.raises(StoreUnavailable):
        execute(careless(), store)  # type: ignore[arg-type]


def test_many_records_come_back_under_their_keys() -> None:
    """Found and absent alike, in the order asked for, each read once."""
    reads: list[str] = []

    class Counting(MemoryStore):
        def get(self, key: str) -> bytes | None:
            reads.append(key)
            return super().get(key)

    store = Counting({f"k{number}": bytes([number]) for number in range(50)})
    keys = [f"k{number}" for number in range(49, -2, -1)] + ["k3"]
    found = get_many(store, iter(keys))
    assert list(found) == keys[:-1]
    assert found["k3"] == b"\x03"
    assert found["k-1"] is None
    assert sorted(reads) == sorted(keys[:-1])
    assert get_many(store, []) == {}


def test_calls_are_made_side_by_side() -> None:
    """As many wait for each other as the fan-out allows: one after another, this would never end."""
    barrier = Barrier(FAN_OUT)
    assert fan_out(lambda number: (barrier.wait(timeout=30), number)[1], range(FAN_OUT)) == list(
        range(FAN_OUT)
    )


def test_one_call_needs_no_thread() -> None:
    """A single read is made where it is asked for."""
    assert fan_out(lambda _: current_thread(), ["one"]) == [current_thread()]


def test_the_first_failure_is_raised_after_every_call_has_ended() -> None:
    """Nothing is still writing when the caller decides what a failure means."""
    ended: list[int] = []
    started = Barrier(3)

    def call(number: int) -> None:
        started.wait(timeout=30)
        if number == 1:
            raise StoreUnavailable("One is down")
        ended.append(number)

    with pytest.raises(StoreUnavailable, match="One is down"):
        fan_out(call, [0, 1, 2])
    assert sorted(ended) == [0, 2]


def test_a_listing_in_memory_is_what_was_there_when_it_began() -> None:
    """Threads that create meanwhile disturb no listing."""
    store = MemoryStore({"a": b"", "b": b""})
    listing = store.list("")
    thread = Thread(target=store.put_if_absent, args=("aa", b""))
    thread.start()
    thread.join()
    assert list(listing) == ["a", "b"]


def test_protocols_go_side_by_side_in_as_many_rounds_as_the_longest_takes() -> None:
    """What several ask next is asked at once, and each is sent what it asked for, in the form it asked for."""

    def reads(keys: str) -> Protocol[list[bytes | None]]:
        found: list[bytes | None] = []
        for key in keys:
            found.append((yield Get(key)))
        both: list[bytes | None] = yield Together((Get("a"), Get("b")))
        listed: list[str] = yield List("")
        return [*found, *both, *map(str.encode, listed)]

    rounds: list[Operation] = []

    def watched(protocol: Protocol[Any]) -> Protocol[Any]:
        operation = next(protocol)
        while True:
            rounds.append(operation)
            try:
                operation = protocol.send((yield operation))
            except StopIteration as stop:
                return stop.value

    store = MemoryStore({"a": b"1", "b": b"2"})
    alone = [execute(reads(keys), store) for keys in ("", "abc", "b")]
    assert execute(watched(side_by_side([reads(keys) for keys in ("", "abc", "b")])), store) == alone
    assert len(rounds) == 5
    assert execute(side_by_side([]), store) == []
