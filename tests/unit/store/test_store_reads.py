"""One object that is larger than any record hides no record beside it."""

from swamp_core.records.base import Unreadable, read_record
from swamp_core.records.families import Registration
from swamp_core.store import CheckedStore, MemoryStore, get_many, perform
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_core.store.operations import Get, Together
from swamp_core.store.reads import TooLarge, read

STORE = CheckedStore(MemoryStore({"a": b"1", "large": bytes(RECORD_BYTES_MAX + 1)}), "memory")


def test_many_records_are_read_past_one_that_is_too_large() -> None:
    assert get_many(STORE, ["a", "large", "none"]) == {"a": b"1", "large": TooLarge(), "none": None}
    assert isinstance(read(STORE, "large"), TooLarge)


def test_a_protocol_is_sent_what_stands_for_it() -> None:
    """It decides what that means, as of any record; nobody takes it for absent."""
    small, large, none = perform(Together((Get("a"), Get("large"), Get("none"))), STORE)
    assert (small, isinstance(large, TooLarge), none) == (b"1", True, None)
    assert perform(Get("large"), STORE) is not None


def test_it_is_unreadable() -> None:
    reading = read_record(Registration, "waits/a", TooLarge())
    assert reading == Unreadable("waits/a", "it is larger than any record")
