"""A service is tried before anything depends on it: one that lets a second create win is found out."""

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import islice
from random import Random
from threading import Barrier, BrokenBarrierError

import pytest
from swamp_core.store import (
    CheckedStore,
    ConditionalWritesUnsupported,
    MemoryStore,
    OutcomeUnknown,
    StoreAccessDenied,
    StoreUnavailable,
)
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_core.store.probing import (
    PROBES,
    RACES,
    WRITERS,
    Note,
    Trial,
    left_probes,
    note_key,
    read_note,
    server_now,
    short_probe,
    thrown_away,
)

PREFIX = f"{PROBES}this/"
SERVICE = "https://s3.example"


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
    assert short_probe(Trial(store, PREFIX), SERVICE) == Note(SERVICE, byte_order=True)
    assert store.records == {"runs/one": b"kept"}


@pytest.mark.parametrize("broken", [IgnoresThePrecondition, LooksThenWrites, LoserOverwrites])
def test_a_store_in_which_a_second_create_wins_is_found_out_and_nothing_stays(
    broken: type[MemoryStore],
) -> None:
    store = broken()
    with pytest.raises(ConditionalWritesUnsupported, match=r"told that|changed the record|another's record"):
        short_probe(Trial(store, PREFIX), SERVICE)
    assert store.records == {}


def test_a_service_that_lists_folder_by_folder_is_noted() -> None:
    note = short_probe(Trial(FolderByFolder(), PREFIX), SERVICE)
    assert note == Note(SERVICE, byte_order=False)


class IgnoresOneInTen(MemoryStore):
    """Overlooks the precondition now and then, as a cluster does of which one host is old."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self.chance = chance

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if self.chance.random() < 0.1:
            self.records[key] = data
            return True
        return super().put_if_absent(key, data)


def test_a_service_that_ignores_the_precondition_now_and_then_is_found_out() -> None:
    """One of ten: it passes once in 850 probes. Of 300, ten would be a wonder, and with one race, 60 the rule."""
    passed = 0
    for seed in range(300):
        with suppress(ConditionalWritesUnsupported):
            short_probe(Trial(IgnoresOneInTen(Random(seed)), PREFIX), SERVICE)
            passed += 1
    assert passed < 10
    assert 0.9 ** (WRITERS * RACES) < 1 / 800


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"service":"https://s3.example","byteOrder":"yes"}',
        b'{"byteOrder":true}',
        Note("https://elsewhere.example", byte_order=True).encode(),
        b"[" * 100_000,
        bytes(RECORD_BYTES_MAX + 1),
    ],
    ids=lambda data: f"{data[:50]!r}",
)
def test_a_note_that_cannot_be_read_or_is_of_another_service_is_none(data: bytes) -> None:
    """To try a service again costs a moment; to believe what was seen elsewhere loses records."""
    store = CheckedStore(MemoryStore({note_key(SERVICE): data}), "a bucket")
    assert read_note(store, SERVICE) is None


@pytest.mark.parametrize("byte_order", [True, False])
def test_a_note_is_read_as_it_was_written(byte_order: bool) -> None:
    """Services that hold the same records have notes of their own."""
    note = Note(SERVICE, byte_order)
    store = MemoryStore({note_key(SERVICE): note.encode()})
    assert read_note(store, SERVICE) == note
    assert read_note(store, "https://elsewhere.example") is None


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
        short_probe(Trial(Failing(), PREFIX), SERVICE)


def test_what_a_killed_probe_left_is_found_by_its_age() -> None:
    store = MemoryStore()
    for key in (note_key(SERVICE), f"{PROBES}b/race", f"{PROBES}d/race", "runs/a"):
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
        short_probe(Trial(store, PREFIX), SERVICE)
    assert store.records == {}
    assert not hasattr(raised.value, "__notes__")


class Unlisted(MemoryStore):
    """What is there cannot be found any more."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        raise StoreUnavailable("No listing here")


LEFT = "Records may stay."


def cut_off_by(error: BaseException, trial: Trial) -> None:
    """Create something, as far as that may be, and be cut off."""
    with thrown_away(trial):
        with suppress(StoreAccessDenied):
            trial.put_if_absent(f"{PREFIX}a", b"")
        raise error


def test_an_interrupt_whose_clean_up_fails_says_what_stays() -> None:
    """The interrupt is told, and what stays of the trial."""
    trial = Trial(Unlisted(), PREFIX, LEFT)
    with pytest.raises(KeyboardInterrupt) as raised:
        cut_off_by(KeyboardInterrupt(), trial)
    assert raised.value.__notes__ == [LEFT]
    assert trial.may_have_left


def test_an_error_whose_clean_up_fails_says_what_stays() -> None:
    """It is the error that is told, and its hint says of the trial what the error cannot know."""
    with pytest.raises(StoreUnavailable) as raised:
        cut_off_by(StoreUnavailable("Down", hint="Try again."), Trial(Unlisted(), PREFIX, LEFT))
    assert raised.value.hint == f"Try again.\n{LEFT}"


@pytest.mark.parametrize("error", [KeyboardInterrupt, StoreUnavailable])
def test_of_a_trial_that_has_created_nothing_nothing_stays(error: type[BaseException]) -> None:
    """Nothing is said of it then, nor asked of a service that may not even answer."""

    class Denied(Unlisted):
        def put_if_absent(self, key: str, data: bytes) -> bool:
            raise StoreAccessDenied("No creating here")

    trial = Trial(Denied(), PREFIX, LEFT)
    with pytest.raises(error) as raised:
        cut_off_by(error("Down"), trial)
    assert not trial.may_have_left
    assert not hasattr(raised.value, "__notes__")
    assert getattr(raised.value, "hint", None) in (None, StoreUnavailable.default_hint)


@pytest.mark.parametrize("cut_off", [KeyboardInterrupt(), OutcomeUnknown("Lost", put_id="1")], ids=repr)
def test_a_create_that_lands_after_the_first_look_is_deleted_as_well(cut_off: BaseException) -> None:
    """It was cut off on its way."""

    class LandsLate(MemoryStore):
        has_landed = False

        def put_if_absent(self, key: str, data: bytes) -> bool:
            raise cut_off

        def list(
            self, prefix: str, *, start_after: str | None = None, limit: int | None = None
        ) -> Iterator[str]:
            listed = list(super().list(prefix))
            if not self.has_landed:
                self.has_landed = True
                self.records[f"{PREFIX}late"] = b""
            return iter(listed)

    store = LandsLate()
    trial = Trial(store, PREFIX, LEFT)
    with pytest.raises(type(cut_off)), thrown_away(trial):
        trial.put_if_absent(f"{PREFIX}late", b"")
    assert store.records == {}
    assert not trial.may_have_left
