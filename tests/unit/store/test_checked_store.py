from collections.abc import Iterator

import pytest
from swamp_core.store import (
    CheckedStore,
    InvalidKey,
    MemoryStore,
    RecordTooLarge,
    SignalWaitStore,
    StoreError,
    StoreUnavailable,
)
from swamp_core.store.keys import RECORD_BYTES_MAX


class Untouchable(MemoryStore):
    """An adapter that must not be reached."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        raise AssertionError("reached")

    def get(self, key: str) -> bytes | None:
        raise AssertionError("reached")

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        raise AssertionError("reached")

    def delete(self, key: str) -> None:
        raise AssertionError("reached")


class Terse(MemoryStore):
    """An adapter whose errors say nothing about where."""

    def get(self, key: str) -> bytes | None:
        raise StoreUnavailable("Down")

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        yield "a"
        raise StoreUnavailable("Down")


def test_what_is_not_allowed_never_reaches_the_adapter() -> None:
    """Bad keys, bad prefixes, bad places to go on from, and records over the limit."""
    store = CheckedStore(Untouchable(), "nowhere")
    for call in (
        lambda: store.put_if_absent("A", b""),
        lambda: store.get("a/"),
        lambda: store.delete("/a"),
        lambda: store.list("../a"),
        lambda: store.list("a", start_after="a//b"),
    ):
        with pytest.raises(InvalidKey) as raised:
            call()
        assert raised.value.store == "nowhere"
    with pytest.raises(RecordTooLarge):
        store.put_if_absent("a", bytes(RECORD_BYTES_MAX + 1))
    with pytest.raises(ValueError, match="limit"):
        store.list("a", limit=-1)
    assert list(store.list("a", limit=0)) == []


def test_an_error_that_does_not_say_where_is_completed() -> None:
    """Whatever an adapter leaves out, its caller is told."""
    store = CheckedStore(Terse(), "memory")
    with pytest.raises(StoreUnavailable, match=r"Down \(at get `a/b` in memory\)\."):
        store.get("a/b")
    listing = store.list("a/")
    assert next(listing) == "a"
    with pytest.raises(StoreUnavailable, match=r"Down \(at list `a/` in memory\)\."):
        next(listing)


def test_what_an_error_says_itself_is_kept() -> None:
    """The adapter knows better than its wrapping."""

    class Precise(MemoryStore):
        def get(self, key: str) -> bytes | None:
            raise StoreError("Down", operation="head", key="inner", store="bucket b")

    with pytest.raises(StoreError, match=r"\(at head `inner` in bucket b\)"):
        CheckedStore(Precise(), "memory").get("a")


def test_answers_pass_through_as_they_are() -> None:
    """The checks add nothing to what a store says."""
    store = CheckedStore(MemoryStore(), "memory")
    assert isinstance(store, SignalWaitStore)
    assert store.put_if_absent("a/b", b"1") is True
    assert store.put_if_absent("a/b", b"2") is False
    assert store.get("a/b") == b"1"
    assert list(store.list("a", start_after="a/", limit=3)) == ["a/b"]
    store.delete("a/b")
    assert store.get("a/b") is None


def test_what_is_read_and_larger_than_any_record_is_none() -> None:
    """Something else stored it, and an adapter need not look at sizes."""
    store = CheckedStore(MemoryStore({"a": bytes(RECORD_BYTES_MAX + 1), "b": bytes(8)}), "memory")
    with pytest.raises(RecordTooLarge) as raised:
        store.get("a")
    assert (raised.value.operation, raised.value.key, raised.value.store) == ("get", "a", "memory")
    assert store.get("b") == bytes(8)
