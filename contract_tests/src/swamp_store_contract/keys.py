"""Keys.

What is refused is refused alike and before anything happens, and what is allowed is stored as it is.
"""

from __future__ import annotations

import pytest
from swamp_core.store import InvalidKey
from swamp_core.store.keys import KEY_BYTES_MAX, SEGMENT_BYTES_MAX

from swamp_store_contract.failures import CALLS
from swamp_store_contract.under_test import StoreUnderTest, Verb

INVALID_KEYS = {
    "empty": "",
    "empty segment": "a//b",
    "leading slash": "/a",
    "trailing slash": "a/",
    "dot": "a/./b",
    "dot dot": "../a",
    "ends in a dot": "a/b.",
    "upper case": "a/B",
    "space": "a b",
    "percent": "%2e%2e/a",
    "backslash": "a\\b",
    "colon": "c:/a",
    "tilde": "a~",
    "at sign": "a@record",
    "NUL": "a\x00b",
    "newline": "a\n",
    "not ASCII": "ä",
    "lone surrogate": "a\ud800",
    "device": "aux",
    "device with a suffix": "a/com1.txt/b",
    "segment over the limit": "a/" + "b" * (SEGMENT_BYTES_MAX + 1),
    "key over the limit": "/".join(["a" * 127] * 4 + ["b"]),
}
INVALID_PREFIXES = sorted(INVALID_KEYS.keys() - {"empty", "trailing slash", "ends in a dot", "device"})

LONGEST_KEY = "/".join(["k" * 127] * 3 + ["l" * SEGMENT_BYTES_MAX])
ODD_KEYS = [
    "0",
    "-",
    "_",
    ".a",
    "..a",
    "a..b",
    "a.record",
    "a.tmp",
    "con-x",
    "console",
    "-rf",
    "a/.b/c",
    "s" * SEGMENT_BYTES_MAX,
    LONGEST_KEY,
    "/".join("d" * 200),
]


class KeysAreCheckedAlike:
    """Every backend refuses the same keys before any I/O, and keeps every other key as it is."""

    @pytest.mark.parametrize("verb", ["put_if_absent", "get", "delete"])
    @pytest.mark.parametrize("key", INVALID_KEYS.values(), ids=INVALID_KEYS.keys())
    def test_an_invalid_key_is_refused(self, under_test: StoreUnderTest, verb: Verb, key: str) -> None:
        """No verb takes it, and nothing is stored.

        Breaks by: leaving the check to a backend or a disk.
        """
        store = under_test.open()
        with pytest.raises(InvalidKey) as raised:
            CALLS[verb](store, key)
        assert raised.value.operation == verb
        assert under_test.raw_keys() == set()

    @pytest.mark.parametrize("name", INVALID_PREFIXES)
    def test_an_invalid_prefix_is_refused(self, under_test: StoreUnderTest, name: str) -> None:
        """No listing leaves the store.

        Breaks by: joining a prefix to a path as it comes.
        """
        under_test.raw_put("a/b", b"here")
        store = under_test.open()
        with pytest.raises(InvalidKey):
            store.list(INVALID_KEYS[name])
        with pytest.raises(InvalidKey):
            store.list("a", start_after=INVALID_KEYS[name])

    def test_an_invalid_key_is_refused_before_any_io(self, under_test: StoreUnderTest) -> None:
        """The refusal needs no backend. It is the same where the store is missing.

        Breaks by: checking late.
        """
        store = under_test.open_missing()
        for verb, call in CALLS.items():
            with pytest.raises(InvalidKey) as raised:
                call(store, "Not/Valid")
            assert raised.value.operation == verb

    @pytest.mark.parametrize("key", ODD_KEYS, ids=lambda key: key if len(key) < 20 else f"{len(key)} bytes")
    def test_an_odd_but_valid_key_is_kept_as_it_is(self, under_test: StoreUnderTest, key: str) -> None:
        """Keys at the limits and odd ones make the whole round.

        Breaks by: escaping, suffixes, path limits.
        """
        assert len(key) <= KEY_BYTES_MAX
        store = under_test.open()
        assert store.put_if_absent(key, b"odd") is True
        assert store.put_if_absent(key, b"again") is False
        assert under_test.raw_keys() == {key}
        assert store.get(key) == b"odd"
        assert list(store.list(key)) == list(store.list("")) == [key]
        store.delete(key)
        assert under_test.raw_keys() == set()

    def test_all_odd_keys_live_side_by_side(self, under_test: StoreUnderTest) -> None:
        """No two keys share a place.

        Breaks by: a suffix, an escape or a directory that another key can spell.
        """
        store = under_test.open()
        keys = [*ODD_KEYS, "a", "a/b", "a/b/c", "a.record/b", "a/record", "a-b", "a_b", "ab"]
        assert [store.put_if_absent(key, key.encode()) for key in keys] == [True] * len(keys)
        assert [store.get(key) for key in keys] == [key.encode() for key in keys]
        assert list(store.list("")) == sorted(keys)
