import pytest
from swamp_core.store import MemoryStore, StoreUnavailable
from swamp_core.testing.faults import Fault, FaultyStore

DOWN = StoreUnavailable("Down")


def test_a_fault_before_leaves_nothing_done() -> None:
    """The store was never asked."""
    memory = MemoryStore()
    store = FaultyStore(memory, Fault("put_if_absent", DOWN, "before"))
    with pytest.raises(StoreUnavailable):
        store.put_if_absent("a", b"1")
    assert memory.records == {}
    assert store.put_if_absent("a", b"1") is True


def test_a_fault_after_loses_only_the_answer() -> None:
    """The store did its work."""
    memory = MemoryStore({"b": b""})
    store = FaultyStore(memory, Fault("put_if_absent", DOWN, "after"), Fault("delete", DOWN, "after"))
    with pytest.raises(StoreUnavailable):
        store.put_if_absent("a", b"1")
    with pytest.raises(StoreUnavailable):
        store.delete("b")
    assert memory.records == {"a": b"1"}
    assert [fault.verb for fault in store.struck] == ["put_if_absent", "delete"]


def test_a_fault_strikes_the_calls_it_names_and_no_other() -> None:
    """By verb, by key, from the n-th call on, so many times."""
    fault = Fault("get", DOWN, "before", on=lambda key: key.startswith("waits/"), first=2, times=2)
    store = FaultyStore(MemoryStore({"waits/1": b"1"}), fault)
    answers: list[bytes | str | None] = []
    for key in ("waits/1", "runs/1", "waits/1", "waits/1", "runs/1", "waits/1"):
        try:
            answers.append(store.get(key))
        except StoreUnavailable:
            answers.append("down")
    assert answers == [b"1", None, "down", "down", None, b"1"]


def test_a_fault_without_end_strikes_every_call() -> None:
    """None is for ever."""
    store = FaultyStore(MemoryStore(), Fault("list", DOWN, "before", times=None))
    for _ in range(5):
        with pytest.raises(StoreUnavailable):
            store.list("")
    assert store.put_if_absent("a", b"") is True


def test_a_listing_passes_through() -> None:
    """Where no fault strikes, the store is the one inside."""
    store = FaultyStore(MemoryStore({"a": b"", "b": b"", "c": b""}), Fault("get", DOWN, "before"))
    assert list(store.list("", start_after="a", limit=1)) == ["b"]
