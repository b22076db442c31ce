"""Two stores in one backend never see each other: not by key, not by listing, not by deleting."""

from __future__ import annotations

from swamp_store_contract.under_test import StoreUnderTest


class StoresKeepApart:
    """A prefix, bucket or directory is a world of its own."""

    def test_two_stores_never_see_each_other(self, under_test: StoreUnderTest) -> None:
        """The same key is two records.

        Breaks by: a prefix without its slash, a cache that all stores share.
        """
        here, there = under_test.open(), under_test.open_elsewhere()
        assert here.put_if_absent("apart/k", b"here") is True
        assert there.get("apart/k") is None
        assert list(there.list("")) == []
        assert there.put_if_absent("apart/k", b"there") is True
        assert there.put_if_absent("apart/only-there", b"there") is True
        assert list(here.list("")) == ["apart/k"]
        assert here.get("apart/k") == b"here"
        there.delete("apart/k")
        assert here.get("apart/k") == b"here"
        here.delete("apart/only-there")
        assert list(there.list("")) == ["apart/only-there"]
        assert under_test.raw_keys() == {"apart/k"}
