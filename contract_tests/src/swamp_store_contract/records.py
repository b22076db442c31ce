"""Records: any bytes up to the limit come back whole, to a reader that looks at any moment."""

from __future__ import annotations

from threading import Event

import pytest
from swamp_core.store import RecordTooLarge, StoreError
from swamp_core.store.keys import RECORD_BYTES_MAX

from swamp_store_contract.threads import at_once
from swamp_store_contract.under_test import StoreUnderTest


class RecordsAreWhole:
    """A record is any bytes up to the limit, and comes back as it went in."""

    @pytest.mark.parametrize(
        "data",
        [b"", bytes(range(256)), b"\r\n\x1a", b"\x00" * 4096, b"\x1f\x8b\x08 not gzip"],
        ids=["empty", "all byte values", "line ends", "NULs", "looks compressed"],
    )
    def test_any_bytes_come_back_as_they_are(self, under_test: StoreUnderTest, data: bytes) -> None:
        """No byte is special, and no byte at all is a record too.

        Breaks by: text mode, `if data:`.
        """
        store = under_test.open()
        assert store.put_if_absent("whole/bytes", data) is True
        assert under_test.raw_get("whole/bytes") == data
        assert under_test.open().get("whole/bytes") == data
        assert store.put_if_absent("whole/bytes", b"other") is False
        assert list(store.list("")) == ["whole/bytes"]

    def test_a_record_at_the_limit_is_stored_and_one_over_is_refused(
        self, under_test: StoreUnderTest
    ) -> None:
        """16 MiB is a record, a byte more is `RecordTooLarge`.

        Breaks by: a backend's own, other limit.
        """
        store = under_test.open()
        at_limit = bytes(1024) + b"x" * (RECORD_BYTES_MAX - 2048) + bytes(1024)
        assert store.put_if_absent("whole/limit", at_limit) is True
        assert under_test.open().get("whole/limit") == at_limit
        with pytest.raises(RecordTooLarge) as raised:
            store.put_if_absent("whole/over", at_limit + b"x")
        assert raised.value.key == "whole/over"
        assert under_test.raw_keys() == {"whole/limit"}

    def test_a_record_over_the_limit_is_refused_before_any_io(self, under_test: StoreUnderTest) -> None:
        """The refusal needs no backend, so it is the same where the store is missing.

        Breaks by: checking late.
        """
        store = under_test.open_missing()
        with pytest.raises(StoreError) as raised:
            store.put_if_absent("whole/over", bytes(RECORD_BYTES_MAX + 1))
        assert isinstance(raised.value, RecordTooLarge)

    def test_a_spinning_reader_never_sees_part_of_a_record(self, under_test: StoreUnderTest) -> None:
        """A record appears all at once, by `get` and past the store alike.

        Breaks by: creating the file, then filling it.
        """
        writer, reader = under_test.open(), under_test.open()
        keys = [f"whole/spin{number}" for number in range(40)]
        data = b"0123456789abcdef" * 16 * 1024
        ended = Event()

        def write() -> list[int]:
            try:
                for key in keys:
                    assert writer.put_if_absent(key, data) is True
            finally:
                ended.set()
            return []

        def read() -> list[int]:
            """The length of each record that was not whole, as it was seen."""
            partial = []
            for key in keys:
                seen: bytes | None = None
                while seen is None and not ended.is_set():
                    for seen in (under_test.raw_get(key), reader.get(key)):
                        if seen is not None and seen != data:
                            partial.append(len(seen))
            return partial

        answers = at_once([write, read, read])
        assert answers == [[], [], []], (
            "RecordsAreWhole: a reader saw part of a record (its bytes are listed)."
        )
