"""What the operating system refuses: each error its type, what was there untouched, no litter."""

import errno
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from swamp_core.store import (
    RecordTooLarge,
    SignalWaitStore,
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
)
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_store_local.errors import MEANINGS, translated

from swamp_store_local import LocalStore

EXPECTED = {
    errno.ENOSPC: StoreUnavailable,
    errno.EDQUOT: StoreUnavailable,
    errno.EIO: StoreUnavailable,
    errno.ESTALE: StoreUnavailable,
    errno.EMFILE: StoreUnavailable,
    errno.EROFS: StoreAccessDenied,
    errno.EACCES: StoreAccessDenied,
    errno.EPERM: StoreAccessDenied,
    errno.ENOTDIR: StoreMisconfigured,
    errno.EISDIR: StoreMisconfigured,
    errno.ENAMETOOLONG: StoreMisconfigured,
    errno.ELOOP: StoreMisconfigured,
    errno.ENOENT: StoreNotFound,
}
CALLS: dict[str, Callable[[SignalWaitStore], object]] = {
    "put_if_absent": lambda store: store.put_if_absent("a/new", b"new"),
    "get": lambda store: store.get("a/old"),
    "list": lambda store: list(store.list("")),
    "delete": lambda store: store.delete("a/old"),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    LocalStore(tmp_path).put_if_absent("a/old", b"old")
    return tmp_path


def records(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("number", "expected"), EXPECTED.items(), ids=lambda value: getattr(value, "code", None)
)
def test_each_error_number_has_its_type_and_names_the_path(number: int, expected: type[StoreError]) -> None:
    """One table, the cause kept, the path in the sentence, but for the store's own: that is named by its URL."""
    cause = OSError(number, os.strerror(number), "/srv/swamp/a")
    with pytest.raises(StoreError) as raised, translated("get", "a"):
        raise cause
    assert type(raised.value) is expected
    assert raised.value.__cause__ is cause
    assert ("/srv/swamp/a" in str(raised.value)) == (expected is not StoreNotFound)
    assert str(raised.value).endswith(".")


def test_no_line_of_the_table_is_untested() -> None:
    """A new line comes with what it is expected to be."""
    assert MEANINGS.keys() - {errno.EFBIG} <= EXPECTED.keys()


@pytest.mark.parametrize("name", ["open", "write", "fsync", "link"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EIO])
def test_a_create_that_fails_at_any_step_leaves_no_trace(root: Path, name: str, number: int) -> None:
    """A full disk, a read-only one, a denied one: a typed error, and the directory as it was."""
    before = records(root)

    def failing(*_: Any, **__: Any) -> Any:
        raise OSError(number, os.strerror(number))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, name, failing)
        with pytest.raises(EXPECTED[number]) as raised:
            LocalStore(root).put_if_absent("a/new", b"new")
    assert type(raised.value) is EXPECTED[number]
    assert records(root) == before
    assert LocalStore(root).put_if_absent("a/new", b"new") is True


def test_a_disk_that_fills_up_within_a_record_leaves_no_part_of_it(root: Path) -> None:
    """Half of the bytes went out before the error: none of them is a record, or stays."""
    before, real = records(root), os.write

    def half(descriptor: int, data: memoryview) -> int:
        if len(data) <= 500:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, data[: len(data) // 2])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", half)
        with pytest.raises(StoreUnavailable, match="full"):
            LocalStore(root).put_if_absent("a/new", bytes(1000))
    assert records(root) == before


def test_a_short_write_is_gone_on_with(root: Path) -> None:
    """The system may take fewer bytes than it was given; the record is whole all the same."""
    real = os.write
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:7]))
        assert LocalStore(root).put_if_absent("a/new", bytes(range(100))) is True
    assert LocalStore(root).get("a/new") == bytes(range(100))


@pytest.mark.parametrize("verb", CALLS)
def test_a_root_that_is_a_file_is_misconfigured(tmp_path: Path, verb: str) -> None:
    """A path to a file is no empty store."""
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StoreMisconfigured):
        CALLS[verb](LocalStore(tmp_path / "file"))
    with pytest.raises(StoreMisconfigured):
        CALLS[verb](LocalStore(tmp_path / "file/below", create=True))


@pytest.mark.parametrize("verb", CALLS)
def test_a_file_in_the_place_of_a_directory_is_misconfigured(tmp_path: Path, verb: str) -> None:
    """Something else wrote there: every verb that meets it says so."""
    (tmp_path / "a").write_bytes(b"not a directory")
    store = LocalStore(tmp_path)
    if verb == "list":
        with pytest.raises(StoreMisconfigured):
            list(store.list("a/"))
    else:
        with pytest.raises(StoreMisconfigured):
            CALLS[verb](store)
    assert (tmp_path / "a").read_bytes() == b"not a directory"


def a_directory(path: Path) -> None:
    path.mkdir()


def a_fifo(path: Path) -> None:
    os.mkfifo(path)


@pytest.mark.parametrize("make", [a_directory, a_fifo])
def test_what_is_named_like_a_record_and_is_none_is_told_of_at_once(
    root: Path, make: Callable[[Path], None]
) -> None:
    """Nobody waits for a FIFO's writer; the sentence names the key and the path."""
    make(root / "a/odd@record")
    with pytest.raises(StoreMisconfigured) as raised:
        LocalStore(root).get("a/odd")
    assert (raised.value.operation, raised.value.key) == ("get", "a/odd")
    assert str(root / "a/odd@record") in str(raised.value)


def test_a_file_that_is_larger_than_any_record_is_not_read(root: Path) -> None:
    """Nobody reads an endless file; the sentence names the key and the path."""
    path = root / "a/odd@record"
    path.touch()
    os.truncate(path, RECORD_BYTES_MAX + 1)
    with pytest.raises(RecordTooLarge, match=re.escape(str(path))) as raised:
        LocalStore(root).get("a/odd")
    assert raised.value.key == "a/odd"


@pytest.mark.parametrize("make", [a_directory, a_fifo])
def test_what_is_no_record_troubles_no_other_key(root: Path, make: Callable[[Path], None]) -> None:
    """A listing leaves it out, so that whoever reads what is listed can; a create under its name is refused."""
    make(root / "a/odd@record")
    store = LocalStore(root)
    assert [(key, store.get(key)) for key in store.list("")] == [("a/old", b"old")]
    with pytest.raises(StoreMisconfigured):
        store.put_if_absent("a/odd", b"new")


@contextmanager
def as_an_ordinary_user() -> Iterator[None]:
    """The superuser is denied nothing, so for a while the tests are somebody else."""
    is_superuser = os.geteuid() == 0
    if is_superuser:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_superuser:
            os.seteuid(0)


@pytest.mark.parametrize("verb", CALLS)
def test_a_directory_that_is_closed_to_this_user_is_denied(verb: str) -> None:
    """The real thing: permissions that the system itself enforces."""
    with as_an_ordinary_user(), TemporaryDirectory() as directory:
        root = Path(directory)
        LocalStore(root).put_if_absent("a/old", b"old")
        (root / "a").chmod(0)
        try:
            with pytest.raises(StoreAccessDenied):
                CALLS[verb](LocalStore(root))
        finally:
            (root / "a").chmod(0o700)


def test_a_directory_that_cannot_be_pruned_is_no_failed_delete(root: Path) -> None:
    """The record is gone, which is what was asked; an empty directory is no record."""

    def failing(_: str) -> None:
        raise OSError(errno.EBUSY, os.strerror(errno.EBUSY))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "rmdir", failing)
        LocalStore(root).delete("a/old")
    assert LocalStore(root).get("a/old") is None
    assert list(LocalStore(root).list("")) == []


def test_a_delete_lasts_when_it_returns(root: Path) -> None:
    """Also one that found nothing: another process may have deleted it and not synced yet."""
    LocalStore(root).put_if_absent("a/other", b"")
    synced: list[int] = []
    real = os.fsync

    def recording(descriptor: int) -> None:
        synced.append(os.fstat(descriptor).st_ino)
        real(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", recording)
        for _ in range(2):
            LocalStore(root).delete("a/old")
        LocalStore(root).delete("a/other")
    inode_of_root = root.stat().st_ino
    assert len(synced) == 3
    assert synced[0] == synced[1] != inode_of_root
    assert synced[2] == inode_of_root, "The directory went too: the one above it is what must last."
