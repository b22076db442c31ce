"""The first create of a key is the one that is stored, whole, for everybody, and no later one changes it."""

from __future__ import annotations

from swamp_store_contract.processes import workers
from swamp_store_contract.under_test import StoreUnderTest


class FirstCreateWins:
    """`put_if_absent` stores the first record of a key, and everybody reads that one from then on."""

    def test_the_first_create_wins_byte_for_byte(self, under_test: StoreUnderTest) -> None:
        """A create that is told True is the record, exactly as it was given.

        Breaks by: re-encoding text.
        """
        data = b'{"verdict": "ship"}\r\n\x00\xff'
        assert under_test.open().put_if_absent("first/one", data) is True
        assert under_test.raw_get("first/one") == data
        assert under_test.open().get("first/one") == data

    def test_a_lost_create_changes_nothing(self, under_test: StoreUnderTest) -> None:
        """A create that is told False leaves the record as it is.

        Breaks by: writing first, then looking.
        """
        store = under_test.open()
        store.put_if_absent("first/lost", b"first")
        for later in (b"second", b"", b"first and longer"):
            assert store.put_if_absent("first/lost", later) is False
            assert under_test.open().put_if_absent("first/lost", later) is False
        assert under_test.raw_get("first/lost") == b"first"
        assert under_test.raw_keys() == {"first/lost"}

    def test_equal_bytes_do_not_make_a_create_one_s_own(self, under_test: StoreUnderTest) -> None:
        """A second create of the same bytes is lost too.

        Breaks by: comparing contents to settle "exists".
        """
        assert under_test.open().put_if_absent("first/equal", b"same") is True
        assert under_test.open().put_if_absent("first/equal", b"same") is False

    def test_a_record_that_was_put_there_by_others_is_found(self, under_test: StoreUnderTest) -> None:
        """A record is found however it came there.

        Breaks by: an index that only this store's writes update.
        """
        store = under_test.open()
        assert list(store.list("first/")) == []
        under_test.raw_put("first/foreign", b"from elsewhere")
        assert store.get("first/foreign") == b"from elsewhere"
        assert list(store.list("first/")) == ["first/foreign"]
        assert store.put_if_absent("first/foreign", b"mine") is False
        assert under_test.raw_get("first/foreign") == b"from elsewhere"

    def test_a_key_can_be_created_again_after_its_delete(self, under_test: StoreUnderTest) -> None:
        """A delete frees the key for a new record.

        Breaks by: tombstones, caches, versions that stay.
        """
        store, another = under_test.open(), under_test.open()
        for generation in (b"one", b"two", b"three"):
            assert store.put_if_absent("first/again", generation) is True
            assert another.get("first/again") == generation
            another.delete("first/again")
            assert store.get("first/again") is None
        assert under_test.raw_keys() == set()

    def test_another_instance_reads_what_was_written(self, under_test: StoreUnderTest) -> None:
        """What a create or delete returned from, every other instance sees.

        Breaks by: caching reads.
        """
        writer, reader = under_test.open(), under_test.open()
        for number in range(20):
            key = f"first/seen-{number}"
            assert reader.get(key) is None
            writer.put_if_absent(key, b"here")
            assert reader.get(key) == b"here"
            assert list(reader.list("first/seen")) == [key]
            writer.delete(key)
            assert reader.get(key) is None
            assert list(reader.list("first/seen")) == []

    def test_another_process_reads_what_was_written(self, under_test: StoreUnderTest) -> None:
        """What a create or delete returned from, every other process sees.

        Breaks by: buffering writes.
        """
        store = under_test.open()
        with workers(under_test.recipe()) as (other,):
            store.put_if_absent("first/abroad", b"\x00here")
            assert other.ask("get", key="first/abroad") == b"\x00here".hex()
            assert other.ask("create", key="first/abroad", data="there") is False
            assert other.ask("create", key="first/reply", data="there") is True
            assert store.get("first/reply") == b"there"
            assert other.ask("list", prefix="first/") == ["first/abroad", "first/reply"]
            other.ask("delete", key="first/abroad")
            assert store.get("first/abroad") is None
            store.delete("first/reply")
            assert other.ask("list", prefix="") == []
