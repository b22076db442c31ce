"""A service is tried before anything depends on it: one that lets a second create win is found out."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from threading import Barrier, BrokenBarrierError

import pytest
from swamp_core.store import (
    CheckedStore,
    ConditionalWritesUnsupported,
    MemoryStore,
    StoreAccessDenied,
    StoreUnavailable,
)
from swamp_core.store.probing import (
    NOTE_KEY,
    PROBES,
    WRITERS,
    Note,
    left_behind,
    left_probes,
    note_in,
    server_now,
    short_probe,
    thrown_away,
)

PREFIX = f"{PROBES}this/"


class IgnoresThePrecondition(MemoryStore):
    """Overwrites, and tells everybody that they won."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.records[key] = data
        return True


class LooksThenWrites(MemoryStore):
    """Atomic for one caller after another, and not for callers at once."""

    def __init__(self) -> None:
        super().__init__()
        self.all_have_looked = Barrier(WRITERS)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if key in self.records:
            return False
        with suppress(BrokenBarrierError):
            self.all_have_looked.wait(5)
        self.records[key] = data
        return True


class LoserOverwrites(MemoryStore):
    """Says who won, and stores what came last."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        won = super().put_if_absent(key, data)
        self.records[key] = data
        return won


class FolderByFolder(MemoryStore):
    """Lists what is in a folder before what only begins like its name."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return islice(sorted(super().list(prefix), key=lambda key: key.replace("/", "\0")), limit)


def test_a_store_that_keeps_its_promises_passes_and_nothing_stays() -> None:
    store = MemoryStore()
    store.put_if_absent("runs/one", b"kept")
    assert short_probe(store, PREFIX) == Note(byte_order=True)
    assert store.records == {"runs/one": b"kept"}


@pytest.mark.parametrize("broken", [IgnoresThePrecondition, LooksThenWrites, LoserOverwrites])
def test_a_store_in_which_a_second_create_wins_is_found_out_and_nothing_stays(
    broken: type[MemoryStore],
) -> None:
    store = broken()
    with pytest.raises(ConditionalWritesUnsupported, match=r"told that|changed the record|another's record"):
        short_probe(store, PREFIX)
    assert store.records == {}


def test_a_service_that_lists_folder_by_folder_is_noted() -> None:
    note = short_probe(FolderByFolder(), PREFIX)
    assert note == Note(byte_order=False)
    assert note_in(note.encode()) == note


@pytest.mark.parametrize("data", [b"", b"\xff", b"[]", b"{}", b'{"byteOrder":"yes"}', b"[" * 100_000])
def test_a_note_that_cannot_be_read_is_a_note_of_another_order(data: bytes) -> None:
    """To sort for nothing costs time; to trust a wrong order loses records."""
    assert note_in(data) == Note(byte_order=False)


def test_no_note_says_nothing() -> None:
    assert note_in(None) is None
    assert note_in(Note(byte_order=True).encode()) == Note(byte_order=True)


def test_what_went_wrong_first_is_what_is_told() -> None:
    """A clean-up that fails too hides nothing."""

    class Failing(MemoryStore):
        def get(self, key: str) -> bytes | None:
            raise StoreAccessDenied("No reading here")

        def list(
            self, prefix: str, *, start_after: str | None = None, limit: int | None = None
        ) -> Iterator[str]:
            raise StoreUnavailable("No listing here")

    with pytest.raises(StoreAccessDenied):
        short_probe(Failing(), PREFIX)


def test_what_a_killed_probe_left_is_found_by_its_age() -> None:
    store = MemoryStore()
    for key in (NOTE_KEY, f"{PROBES}b/race", f"{PROBES}d/race", "runs/a"):
        store.put_if_absent(key, b"")
    assert left_probes(store, "c") == [f"{PROBES}b/race"]


def test_a_service_s_clock_is_asked_through_the_checks() -> None:
    class WithClock(MemoryStore):
        def server_now(self) -> datetime:
            return datetime(2026, 12, 2, tzinfo=UTC)

    assert server_now(CheckedStore(WithClock(), "a bucket")) == datetime(2026, 12, 2, tzinfo=UTC)
    assert server_now(CheckedStore(MemoryStore(), "memory")) is None


def test_an_interrupted_probe_leaves_nothing() -> None:
    """Ctrl-C comes in the middle of a probe: what it has created is deleted."""

    class Interrupted(MemoryStore):
        def list(
            self, prefix: str, *, start_after: str | None = None, limit: int | None = None
        ) -> Iterator[str]:
            if limit is not None:
                raise KeyboardInterrupt
            return super().list(prefix)

    store = Interrupted()
    with pytest.raises(KeyboardInterrupt) as raised:
        short_probe(store, PREFIX)
    assert store.records == {}
    assert not hasattr(raised.value, "__notes__")


def test_an_interrupt_whose_clean_up_fails_says_what_stays() -> None:
    """The interrupt is told, with the prefix and the command that deletes what stays."""

    class Failing(MemoryStore):
        def list(
            self, prefix: str, *, start_after: str | None = None, limit: int | None = None
        ) -> Iterator[str]:
            raise StoreUnavailable("No listing here")

    with pytest.raises(KeyboardInterrupt) as raised, thrown_away(Failing(), PREFIX):
        raise KeyboardInterrupt
    assert raised.value.__notes__ == [left_behind(PREFIX)]
