"""The local store: records are files, a create is a hard link, and the file system decides who wins.

`LocalStore` keeps the promises of `SignalWaitStore`. Which file is which record is in `layout`, what a
half-done create looks like in `staging`, what makes a name last in `disk`, and what an error number means in
`errors`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path

from swamp_core.store.errors import (
    ConditionalWritesUnsupported,
    OutcomeUnknown,
    RecordTooLarge,
    StoreMisconfigured,
    StoreUnavailable,
)
from swamp_core.store.keys import RECORD_BYTES_MAX

from swamp_store_local.disk import (
    DIRECTORY_MODE,
    directories_up_to,
    make_directories,
    make_root,
    sync_directory,
)
from swamp_store_local.errors import translated
from swamp_store_local.layout import STAGING, record_path
from swamp_store_local.listing import Wanted, walk
from swamp_store_local.staging import StagedRecord, sweep

LINK_ATTEMPTS_MAX = 100
_NO_HARD_LINKS = {
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EXDEV,
    errno.EMLINK,
    errno.EINVAL,
}


class LocalStore:
    """A store in a directory that every host of a team can reach, or that one machine keeps to itself.

    What the directory must offer: hard links, and one file system for all of it. FAT, exFAT and some network
    and user-space mounts have none; the first create is then refused with `ConditionalWritesUnsupported`,
    never made in another way. NFS works, including a link whose reply was lost. Names are ASCII and lower
    case, so a disk that folds case or normalizes Unicode is no trap.

    What a create costs: a sync of the file and one of each directory from the record up to the root. What a
    crash can leave: one staged file, which a later process sweeps after a day, and empty directories. What it
    can never leave: part of a record. What a listing costs: the names of each directory that it enters,
    however small `limit` is, because a directory has no order of its own.

    On Windows directories cannot be synced, so a power failure may take the newest records with it; a record
    that another process is reading cannot be deleted at that moment (`StoreUnavailable`); and a path is at
    most 260 characters unless the system allows more.

    Nothing is read or made before the first operation. A root that is missing is `StoreNotFound`, or, with
    `create`, an empty store that is made with its first record.
    """

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        self._root = os.path.abspath(root)
        self._staging = os.path.join(self._root, STAGING)
        self._create = create
        self._ready = False

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`."""
        with translated("put_if_absent", key):
            staged = self._stage(data)
            try:
                return self._publish(staged, record_path(self._root, key))
            finally:
                staged.discard()

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`.

        A file that was opened is read whole, even if its name goes away meanwhile.
        """
        with translated("get", key):
            try:
                return _read(record_path(self._root, key), key)
            except FileNotFoundError:
                self._check_root()
                return None

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. A directory is read when the listing comes to it."""
        return islice(self._keys(Wanted(prefix, start_after), prefix), limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`. Directories that it leaves empty go with it."""
        record = record_path(self._root, key)
        with translated("delete", key):
            self._check_root()
            with suppress(FileNotFoundError):
                os.unlink(record)
            self._prune(record)

    def _keys(self, wanted: Wanted, prefix: str) -> Iterator[str]:
        with translated("list", prefix):
            self._check_root()
            yield from walk(self._root, wanted)

    def _check_root(self) -> None:
        """Raise `StoreNotFound` when the root is missing and may not be.

        Nothing is absent from a store that is.
        """
        if not self._create:
            os.stat(self._root)

    def _stage(self, data: bytes) -> StagedRecord:
        if not self._ready:
            self._prepare()
        try:
            staged = StagedRecord(self._staging, data)
        except FileNotFoundError:
            self._prepare()
            staged = StagedRecord(self._staging, data)
        if not self._ready:
            self._ready = True
            sweep(self._staging, staged)
        return staged

    def _prepare(self) -> None:
        if self._create:
            make_root(self._root)
        with suppress(FileExistsError):
            os.mkdir(self._staging, DIRECTORY_MODE)

    def _publish(self, staged: StagedRecord, record: str) -> bool:
        """Give the staged record its name and make that last, or find another's record under it.

        Only the link decides. A directory on the way that is missing, because nobody made it yet or another
        process pruned it, is made and the link tried again.
        """
        for _ in range(LINK_ATTEMPTS_MAX):
            try:
                os.link(staged.path, record)
            except FileNotFoundError as missing:
                if staged.link_count() == 0:
                    raise StoreUnavailable("The staged record was removed before it was stored") from missing
                make_directories(self._root, record)
                continue
            except OSError as error:
                if not _landed(staged, record, error):
                    if isinstance(error, FileExistsError):
                        self._confirm_that_it_stays(record)
                        return False
                    if _tells_of_no_hard_links(staged, error):
                        raise ConditionalWritesUnsupported(
                            f"The file system of {self._root} does not make hard links there",
                            hint="Put the datastore on one local disk or NFS mount; FAT and some others have none.",
                        ) from error
                    raise
            try:
                self._sync_up_from(record)
            except OSError as error:
                raise OutcomeUnknown(
                    "The record was stored, but the file system did not say that it will last",
                    put_id=staged.put_id,
                ) from error
            return True
        raise StoreUnavailable("The directories of the record were pruned each time that they were made")

    def _confirm_that_it_stays(self, record: str) -> None:
        """Before a create is lost to a record: it is one, and no power failure takes it back afterwards."""
        with suppress(FileNotFoundError):  # It was deleted since.
            if not stat.S_ISREG(os.stat(record).st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), record)
        self._sync_up_from(record)

    def _sync_up_from(self, record: str) -> None:
        for directory in directories_up_to(self._root, record):
            sync_directory(directory)

    def _prune(self, record: str) -> None:
        """Remove the directories that a deleted record left empty, and make what went stay gone."""
        for directory in directories_up_to(self._root, record):
            if directory != self._root and _removed(directory):
                continue
            sync_directory(directory)
            return


def _read(record: str, key: str) -> bytes:
    """The bytes of a record; neither another kind of file nor an endless one holds up whoever asks."""
    with open(record, "rb", opener=_at_once) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise _foreign("What is named like a record is no file", record, key)
        if status.st_size > RECORD_BYTES_MAX:
            raise RecordTooLarge(f"The file has {status.st_size} bytes: {record}", key=key)
        return file.read()


def _at_once(path: str, flags: int) -> int:
    """Open without waiting for whoever may write to a FIFO."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _foreign(detail: str, record: str, key: str) -> StoreMisconfigured:
    return StoreMisconfigured(
        f"{detail}: {record}",
        operation="get",
        key=key,
        hint="Something else writes there: move it away, or give the datastore a directory of its own.",
    )


def _landed(staged: StagedRecord, record: str, error: OSError) -> bool:
    """Whether a link that reported a failure was made.

    On a network file system the reply can be what failed.
    """
    try:
        return staged.is_stored_at(record)
    except OSError:
        raise OutcomeUnknown(
            "The file system failed while the record was stored, and does not say whether it was",
            put_id=staged.put_id,
        ) from error


def _tells_of_no_hard_links(staged: StagedRecord, error: OSError) -> bool:
    return error.errno in _NO_HARD_LINKS or (error.errno == errno.EPERM and not staged.can_be_linked())


def _removed(directory: str) -> bool:
    try:
        os.rmdir(directory)
    except FileNotFoundError:
        return True
    except OSError:
        return False  # it holds something, or may not go: an empty directory is no record
    return True
