"""A delete takes one record away, whoever else deletes it, and nothing beside it."""

from __future__ import annotations

from functools import partial

import pytest

from swamp_store_contract.threads import at_once
from swamp_store_contract.under_test import StoreUnderTest


class DeletesTakeOneRecord:
    """`delete` leaves the key absent, may be repeated by anybody, and never touches another key."""

    def test_a_delete_can_be_repeated(self, under_test: StoreUnderTest) -> None:
        """What is not there can be deleted, before and after.

        Breaks by: "not found" raised to the caller.
        """
        store = under_test.open()
        store.delete("gone/never")
        store.put_if_absent("gone/once", b"here")
        for _ in range(3):
            store.delete("gone/once")
            assert under_test.raw_get("gone/once") is None
        under_test.open().delete("gone/once")
        assert under_test.raw_keys() == set()

    def test_many_may_delete_one_record_at_once(self, under_test: StoreUnderTest) -> None:
        """Each of eight deletes returns, and the record is gone for each.

        Breaks by: looking, then deleting.
        """
        stores = [under_test.open() for _ in range(8)]

        def delete_and_look(index: int, key: str) -> bytes | None:
            stores[index].delete(key)
            return stores[index].get(key)

        for number in range(20):
            key = f"gone/together/{number}/x"
            stores[0].put_if_absent(key, b"here")
            assert at_once([partial(delete_and_look, index, key) for index in range(8)]) == [None] * 8
        assert under_test.raw_keys() == set()

    def test_a_delete_never_touches_a_sibling(self, under_test: StoreUnderTest) -> None:
        """Every other key stays.

        Breaks by: deleting a directory, a prefix, or an "empty" parent too many.
        """
        store = under_test.open()
        keys = ["a", "a/x", "a/x/y", "a-b", "a.b", "ab", "a/xy", "b"]
        for key in keys:
            store.put_if_absent(key, key.encode())
        for gone in ("a/x", "a", "b", "a/xy"):
            store.delete(gone)
            keys.remove(gone)
            assert under_test.raw_keys() == set(keys)
            assert [store.get(key) for key in keys] == [key.encode() for key in keys]

    @pytest.mark.parametrize("prefix", ["tree", "tree/a", "tre", "tree/a/x/y"])
    def test_deleting_what_is_only_a_prefix_deletes_nothing(
        self, under_test: StoreUnderTest, prefix: str
    ) -> None:
        """A key is a record or nothing: no subtree goes with it.

        Breaks by: `rm -r`.
        """
        store = under_test.open()
        store.put_if_absent("tree/a/x", b"here")
        store.delete(prefix)
        assert under_test.raw_keys() == {"tree/a/x"}
        assert store.get("tree/a/x") == b"here"

    @pytest.mark.parametrize("order", [("k", "k/below"), ("k/below", "k")], ids=["short first", "long first"])
    @pytest.mark.parametrize("gone", ["k", "k/below"])
    def test_a_key_may_be_the_prefix_of_another(
        self, under_test: StoreUnderTest, order: tuple[str, str], gone: str
    ) -> None:
        """Both live, in either order of creation, and either can go.

        Breaks by: a file where a directory must be.
        """
        store = under_test.open()
        for key in order:
            assert store.put_if_absent(key, key.encode()) is True
            assert store.put_if_absent(key, b"again") is False
        assert list(store.list("k")) == ["k", "k/below"]
        store.delete(gone)
        (left,) = {"k", "k/below"} - {gone}
        assert (store.get(gone), store.get(left)) == (None, left.encode())
        assert list(store.list("k")) == [left]
        assert store.put_if_absent(gone, b"new") is True
        assert list(store.list("k")) == ["k", "k/below"]
