"""What a create does to a directory: which system calls decide, what lasts, and what is left behind."""

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from swamp_core.store import (
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    StoreError,
    StoreMisconfigured,
    StoreUnavailable,
)
from swamp_store_local.staging import SWEPT_AFTER_S

from swamp_store_local import LocalStore

RECORD = "runs/r1/000001@record"
KEY = "runs/r1/000001"


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    return LocalStore(tmp_path)


def files(root: Path) -> set[str]:
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def os_error(number: int) -> OSError:
    return OSError(number, os.strerror(number))


def instead_of(
    patch: pytest.MonkeyPatch, name: str, replacement: Callable[..., Any], *, on: Callable[[str], bool]
) -> None:
    """Replace a function of `os` for the calls whose first argument passes `on`; the real one comes first."""
    real = getattr(os, name)

    def replaced(*arguments: Any, **options: Any) -> Any:
        if on(str(arguments[0])):
            return replacement(real, *arguments, **options)
        return real(*arguments, **options)

    patch.setattr(os, name, replaced)


def everywhere(_: str) -> bool:
    return True


def test_directories_are_0700_and_files_0600(tmp_path: Path) -> None:
    """Payloads and outputs are nobody else's business on a shared machine."""
    root = tmp_path / "made"
    LocalStore(root, create=True).put_if_absent(KEY, b"here")
    modes = {path.relative_to(root): stat.S_IMODE(path.stat().st_mode) for path in root.rglob("*")}
    assert {mode for path, mode in modes.items() if (root / path).is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if (root / path).is_file()} == {0o600}
    assert stat.S_IMODE(root.stat().st_mode) == 0o700


def test_the_directory_holds_exactly_the_records(store: LocalStore, tmp_path: Path) -> None:
    """Won or lost, a create leaves no file behind but its record."""
    assert store.put_if_absent(KEY, b"first") is True
    assert store.put_if_absent(KEY, b"second") is False
    assert files(tmp_path) == {RECORD}
    store.delete(KEY)
    assert [path.name for path in tmp_path.iterdir()] == ["@staged"]
    assert list((tmp_path / "@staged").iterdir()) == []


def test_a_record_lasts_when_its_create_returns(store: LocalStore, tmp_path: Path) -> None:
    """Its bytes are synced before its name exists, and afterwards every name on the way to it is.

    That holds also when another process made the directories and has not synced them yet.
    """
    (tmp_path / "runs/r1").mkdir(parents=True)
    steps: list[str | int] = []
    with pytest.MonkeyPatch.context() as patch:

        def synced(real: Any, descriptor: int) -> None:
            found = os.fstat(descriptor)
            steps.append(found.st_ino if stat.S_ISDIR(found.st_mode) else f"sync {found.st_size} bytes")
            real(descriptor)

        def linked(real: Any, source: str, target: str) -> None:
            steps.append(f"link {target}")
            real(source, target)

        instead_of(patch, "fsync", synced, on=everywhere)
        instead_of(patch, "link", linked, on=everywhere)
        store.put_if_absent(KEY, b"here")
    directories = [(tmp_path / path).stat().st_ino for path in ("runs/r1", "runs", ".")]
    assert steps == ["sync 4 bytes", f"link {tmp_path / RECORD}", *directories]


def test_nobody_is_told_of_a_record_that_may_not_last(store: LocalStore, tmp_path: Path) -> None:
    """The loser of a create may act on the winner's record, so it makes that last first."""
    store.put_if_absent(KEY, b"here")
    synced: list[int] = []
    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "fsync", lambda _, fd: synced.append(os.fstat(fd).st_ino), on=everywhere)
        assert store.put_if_absent(KEY, b"later") is False
    inodes = [(tmp_path / path).stat().st_ino for path in ("runs/r1", "runs", ".")]
    assert synced[-3:] == inodes


def test_a_link_whose_reply_was_lost_is_a_win(store: LocalStore, tmp_path: Path) -> None:
    """NFS repeats a link whose reply was lost, and reports "exists" of our own: the link count tells."""
    store.put_if_absent("runs/r1/0", b"")
    with pytest.MonkeyPatch.context() as patch:

        def landed(real: Any, source: str, target: str) -> None:
            real(source, target)
            raise os_error(errno.EEXIST)

        instead_of(patch, "link", landed, on=everywhere)
        assert store.put_if_absent(KEY, b"mine") is True
    assert (tmp_path / RECORD).read_bytes() == b"mine"


@pytest.mark.parametrize("number", [errno.EIO, errno.ETIMEDOUT, errno.ESTALE])
def test_a_failed_link_that_landed_is_a_win_and_one_that_did_not_is_unavailable(
    store: LocalStore, number: int
) -> None:
    """After a failure the staged file says whether the link was made."""
    store.put_if_absent("runs/r1/0", b"")

    def landed(real: Any, source: str, target: str) -> None:
        real(source, target)
        raise os_error(number)

    def refused(real: Any, source: str, target: str) -> None:
        raise os_error(number)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", landed, on=everywhere)
        assert store.put_if_absent("runs/r1/1", b"mine") is True
    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", refused, on=everywhere)
        with pytest.raises(StoreUnavailable):
            store.put_if_absent("runs/r1/2", b"mine")
    assert list(store.list("")) == ["runs/r1/0", "runs/r1/1"]


def test_a_backup_that_links_the_staged_file_makes_nobody_win(store: LocalStore, tmp_path: Path) -> None:
    """A second name is no proof; being the very file under the key is."""
    store.put_if_absent(KEY, b"theirs")
    with pytest.MonkeyPatch.context() as patch:

        def backed_up(real: Any, source: str, target: str) -> None:
            real(source, tmp_path / "copy")
            real(source, target)

        instead_of(patch, "link", backed_up, on=everywhere)
        assert store.put_if_absent(KEY, b"mine") is False
    assert store.get(KEY) == b"theirs"


def test_a_staged_record_that_cannot_be_removed_changes_no_answer(store: LocalStore, tmp_path: Path) -> None:
    """A failed unlink after a link is still a win, and after a lost link still a loss."""

    def failing(real: Any, path: str) -> None:
        raise os_error(errno.EIO)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "unlink", failing, on=lambda path: "@staged" in path)
        assert store.put_if_absent(KEY, b"mine") is True
        assert store.put_if_absent(KEY, b"again") is False
    assert len(list((tmp_path / "@staged").iterdir())) == 2
    assert list(store.list("")) == [KEY], "A staged record is never listed."
    assert store.get(KEY) == b"mine"


def test_a_staged_record_that_cannot_be_closed_changes_no_answer(store: LocalStore) -> None:
    """What a network file system says at the close is of a name that nobody needs any more."""
    store.put_if_absent("runs/r1/0", b"")

    def failing(real: Any, descriptor: int) -> None:
        of_a_file = stat.S_ISREG(os.fstat(descriptor).st_mode)
        real(descriptor)
        if of_a_file:
            raise os_error(errno.EIO)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "close", failing, on=everywhere)
        assert store.put_if_absent(KEY, b"mine") is True
        assert store.put_if_absent(KEY, b"again") is False


def test_a_record_that_may_not_last_is_an_unknown_outcome(store: LocalStore, tmp_path: Path) -> None:
    """The link was made and its directory could not be synced: neither a win nor a loss can be promised."""

    def failing(real: Any, descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise os_error(errno.EIO)
        real(descriptor)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "fsync", failing, on=everywhere)
        with pytest.raises(OutcomeUnknown, match="will last"):
            store.put_if_absent(KEY, b"mine")
    assert files(tmp_path) == {RECORD}


@pytest.mark.parametrize(
    ("number", "links_elsewhere"),
    [(errno.ENOTSUP, True), (errno.ENOSYS, True), (errno.EXDEV, True), (errno.EPERM, False)],
)
def test_a_file_system_without_hard_links_is_refused(
    store: LocalStore, tmp_path: Path, number: int, links_elsewhere: bool
) -> None:
    """There is no fallback: the refusal names the path and what to do, and nothing was stored."""

    def refused(real: Any, source: str, target: str) -> None:
        if links_elsewhere and target.endswith("-probe"):
            real(source, target)
        raise os_error(number)

    (tmp_path / "runs/r1").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", refused, on=everywhere)
        with pytest.raises(ConditionalWritesUnsupported) as raised:
            store.put_if_absent(KEY, b"mine")
    assert str(tmp_path) in str(raised.value)
    assert "local disk or NFS" in raised.value.hint
    assert files(tmp_path) == set()


def test_a_link_that_is_not_permitted_here_alone_is_denied(store: LocalStore, tmp_path: Path) -> None:
    """Where links work beside the staged file, the directory is what forbids this one."""

    def refused(real: Any, source: str, target: str) -> None:
        if not target.endswith("-probe"):
            raise os_error(errno.EPERM)
        real(source, target)

    (tmp_path / "runs/r1").mkdir(parents=True)
    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", refused, on=everywhere)
        with pytest.raises(StoreError) as raised:
            store.put_if_absent(KEY, b"mine")
    assert raised.value.code == "store_access_denied"
    assert files(tmp_path) == set()


def test_a_directory_in_the_place_of_a_record_is_no_lost_race(store: LocalStore, tmp_path: Path) -> None:
    """ "Exists" of something that is no record is neither True nor False."""
    (tmp_path / RECORD).mkdir(parents=True)
    with pytest.raises(StoreMisconfigured):
        store.put_if_absent(KEY, b"mine")
    with pytest.raises(StoreMisconfigured):
        store.get(KEY)
    assert list(store.list("")) == [], "It is no record, and must not trouble who reads all that is listed."


def test_a_record_that_is_swept_while_it_is_staged_was_not_stored(store: LocalStore, tmp_path: Path) -> None:
    """A writer that stood still for a day finds its staged file gone, and can begin again."""
    store.put_if_absent("runs/r1/0", b"")

    def swept(real: Any, source: str, target: str) -> None:
        Path(source).unlink()
        real(source, target)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", swept, on=everywhere)
        with pytest.raises(StoreUnavailable, match="removed before it was stored"):
            store.put_if_absent(KEY, b"mine")
    assert store.get(KEY) is None
    assert store.put_if_absent(KEY, b"mine") is True


def test_old_staged_records_are_swept_and_young_ones_are_not(tmp_path: Path) -> None:
    """What a killed process left goes with the first create of a later one, a day afterwards."""
    staging = tmp_path / "@staged"
    staging.mkdir()
    reference = tmp_path / "now"
    reference.touch()
    now_s = reference.stat().st_mtime
    for name, age_s in (("old", SWEPT_AFTER_S + 60), ("young", SWEPT_AFTER_S - 600)):
        (staging / name).touch()
        os.utime(staging / name, (now_s - age_s, now_s - age_s))
    LocalStore(tmp_path).put_if_absent(KEY, b"")
    assert {path.name for path in staging.iterdir()} == {"young"}


def test_a_directory_that_is_pruned_again_and_again_is_never_a_lost_create(
    store: LocalStore, tmp_path: Path
) -> None:
    """The create goes on making the directory, and past its bound says that nothing was stored."""
    pruned = 0

    def prune_first(real: Any, source: str, target: str) -> None:
        nonlocal pruned
        if pruned < times:
            pruned += 1
            raise os_error(errno.ENOENT)
        real(source, target)

    with pytest.MonkeyPatch.context() as patch:
        instead_of(patch, "link", prune_first, on=everywhere)
        times = 60
        assert store.put_if_absent(KEY, b"mine") is True
        times = 10_000
        with pytest.raises(StoreUnavailable, match="pruned"):
            store.put_if_absent("runs/r2/0", b"mine")
    assert files(tmp_path) == {RECORD}


def test_a_root_that_vanishes_under_an_open_store_is_made_again_with_create(tmp_path: Path) -> None:
    """With `create`, a missing root is an empty store at any time."""
    root = tmp_path / "made/of/many"
    store = LocalStore(root, create=True)
    assert store.get(KEY) is None
    assert list(store.list("")) == []
    store.delete(KEY)
    assert not root.exists(), "Nothing but a create makes it."
    store.put_if_absent(KEY, b"one")
    root.rename(tmp_path / "elsewhere")
    assert store.get(KEY) is None
    assert store.put_if_absent(KEY, b"two") is True
    assert store.get(KEY) == b"two"
