"""A listing is every key with the prefix, once, in byte order, and no other, whatever happens meanwhile."""

from __future__ import annotations

from itertools import islice
from random import Random
from threading import Event

import pytest
from swamp_core.store import StoreUnavailable

from swamp_store_contract.threads import at_once
from swamp_store_contract.under_test import Fault, StoreUnderTest

MORE_THAN_TWO_PAGES = 2501
LIMITS = [None, 0, 1, 3, 100]
TWINS = ["a", "a-b/z", "a.b", "a/x", "a/x/y", "ab/y", "b"]


class ListingsAreComplete:
    """`list` yields each key that starts with the prefix once, in byte order, as they are asked for."""

    @pytest.mark.parametrize(
        ("prefix", "expected"),
        [
            ("", TWINS),
            ("a", ["a", "a-b/z", "a.b", "a/x", "a/x/y", "ab/y"]),
            ("a/", ["a/x", "a/x/y"]),
            ("a/x", ["a/x", "a/x/y"]),
            ("a/x/", ["a/x/y"]),
            ("a-", ["a-b/z"]),
            ("a-b/z", ["a-b/z"]),
            ("ab", ["ab/y"]),
            ("a/y", []),
            ("c/d/e", []),
            ("b/", []),
            ("a..", []),
        ],
    )
    def test_the_prefix_is_a_string(
        self, under_test: StoreUnderTest, prefix: str, expected: list[str]
    ) -> None:
        """`a` finds `a`, `a/x`, `ab/y` and `a-b/z`.

        Breaks by: taking a prefix for a directory.
        """
        for key in TWINS:
            under_test.raw_put(key, b"here")
        assert list(under_test.open().list(prefix)) == expected

    def test_keys_come_in_byte_order(self, under_test: StoreUnderTest) -> None:
        """`-` and `.` come before `/`, and `/` before digits and letters.

        Breaks by: the order of a directory walk, a locale's order.
        """
        chance = Random(2501)
        keys = {
            "/".join("".join(chance.choices("az-.0_", k=chance.randint(0, 2))) + "z" for _ in range(depth))
            for depth in (1, 2, 3)
            for _ in range(60)
        }
        for key in keys:
            under_test.raw_put(key, b"")
        store = under_test.open()
        for prefix in ("", "a", "az", "az/", "z-", "-"):
            assert list(store.list(prefix)) == sorted(key for key in keys if key.startswith(prefix))

    @pytest.mark.parametrize("prefix", ["", "a", "a/"])
    @pytest.mark.parametrize("start_after", [None, "a", "a-b/z", "a.", "a/", "a/x", "a/x/y", "ab", "b", "c"])
    def test_start_after_and_limit_cut_the_listing(
        self, under_test: StoreUnderTest, prefix: str, start_after: str | None
    ) -> None:
        """A listing can be gone on with and cut short.

        Breaks by: "from" for "after", cutting before skipping.
        """
        for key in TWINS:
            under_test.raw_put(key, b"here")
        matching = [key for key in TWINS if key.startswith(prefix) and key > (start_after or "")]
        store = under_test.open()
        listed = {limit: list(store.list(prefix, start_after=start_after, limit=limit)) for limit in LIMITS}
        assert listed == {limit: matching[:limit] for limit in LIMITS}

    def test_a_listing_may_be_left_and_gone_on_with(self, under_test: StoreUnderTest) -> None:
        """Whoever has enough keys stops, and nothing is held up by a listing that was begun.

        Breaks by: a listing that locks until it is read to its end.
        """
        for number in range(30):
            under_test.raw_put(f"left/{number:02}", b"")
        store = under_test.open()
        listing = store.list("left/")
        assert list(islice(listing, 2)) == ["left/00", "left/01"]
        answers = at_once([lambda: store.delete("left/00"), lambda: store.put_if_absent("left/30", b"new")])
        assert answers == [None, True]
        del listing
        assert list(store.list("left/", start_after="left/28")) == ["left/29", "left/30"]

    def test_a_listing_asks_as_it_goes_and_is_never_cut_short(self, under_test: StoreUnderTest) -> None:
        """A backend that fails after the first key fails the listing, at the first key it did not ask for.

        Breaks by: building the whole list first, an error that ends a listing as if it were complete.
        """
        keys = [f"lazy/{n // 50:04}/{n % 50:04}" for n in range(MORE_THAN_TWO_PAGES)]
        for key in keys:
            under_test.raw_put(key, b"")
        store = under_test.open()
        listing = store.list("lazy/")
        seen = [next(listing)]
        with under_test.inject(store, "list", Fault.UNAVAILABLE, times=None), pytest.raises(StoreUnavailable):
            seen.extend(listing)
        assert seen == keys[: len(seen)]
        assert list(store.list("lazy/")) == keys

    @pytest.mark.parametrize("shape", ["flat", "nested"])
    def test_more_than_two_pages_are_listed_once_each(self, under_test: StoreUnderTest, shape: str) -> None:
        """2,501 keys, each once.

        Breaks by: stopping at a page of a thousand, a page's last key twice.
        """
        width = MORE_THAN_TWO_PAGES if shape == "flat" else 50
        keys = [f"many/{n // width:04}/{n % width:04}" for n in range(MORE_THAN_TWO_PAGES)]
        for key in keys:
            under_test.raw_put(key, b"")
        store = under_test.open()
        assert list(store.list("many/")) == keys
        assert list(store.list("many/", start_after=keys[998], limit=1003)) == keys[999:2002]

    def test_a_listing_beside_creates_and_deletes_misses_no_key_that_stays(
        self, under_test: StoreUnderTest
    ) -> None:
        """What was there before and stays is listed once, in order. What was deleted before is not.

        Breaks by: paging by position while the positions move.
        """
        stay = [f"busy/{n:03}/stay" for n in range(60)]
        for key in stay:
            under_test.raw_put(key, b"")
        under_test.raw_put("busy/000/gone", b"")
        writer, reader = under_test.open(), under_test.open()
        reader.delete("busy/000/gone")
        ended = Event()

        def come_and_go() -> list[str]:
            while not ended.is_set():
                for number in range(0, 60, 7):
                    writer.put_if_absent(f"busy/{number:03}/come", b"")
                    writer.put_if_absent(f"busy/{number:03}a", b"")
                for number in range(0, 60, 7):
                    writer.delete(f"busy/{number:03}/come")
                    writer.delete(f"busy/{number:03}a")
            return []

        def look() -> list[str]:
            wrong = []
            try:
                for _ in range(25):
                    seen = list(reader.list("busy/"))
                    if seen != sorted(set(seen)):
                        wrong.append(f"out of order or twice: {seen}")
                    if [key for key in seen if key.endswith("/stay")] != stay or "busy/000/gone" in seen:
                        wrong.append(f"a key that stays is missing, or one that went is there: {seen}")
            finally:
                ended.set()
            return wrong

        assert at_once([look, come_and_go]) == [[], []]
