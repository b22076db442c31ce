"""Broken stores in a directory. Each overrides what it gets wrong, and its first line says how."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from threading import Event, Lock

from swamp_core.store import StoreUnavailable

from swamp_store_local import LocalStore


def linger() -> None:
    """Give the others their turn: what goes wrong between two steps then goes wrong on any machine."""
    Event().wait(0.001)


class BrokenStore(LocalStore):
    """What the broken ones share: where a record is, and a write that is whole but checks nothing."""

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        super().__init__(root, create=create)
        self.root = Path(root)

    def path(self, key: str) -> Path:
        return self.root / f"{key}@record"

    def write(self, key: str, data: bytes) -> None:
        staged = self.root / f"@{os.urandom(8).hex()}"
        with staged.open("wb") as file:
            file.write(data)
            os.fsync(file.fileno())
        self.path(key).parent.mkdir(parents=True, exist_ok=True)
        staged.replace(self.path(key))


class CheckThenWrite(BrokenStore):
    """Looks whether the record is there, then writes it."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if self.path(key).exists():
            return False
        linger()
        self.write(key, data)
        return True


class LockPerInstance(CheckThenWrite):
    """Looks and writes under a lock that another instance does not share."""

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        super().__init__(root, create=create)
        self.lock = Lock()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        with self.lock:
            return super().put_if_absent(key, data)


class LockPerProcess(CheckThenWrite):
    """Looks and writes under a lock that another process does not share."""

    lock = Lock()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        with self.lock:
            return super().put_if_absent(key, data)


class ExclusiveThenWrite(BrokenStore):
    """Creates the file first, and fills it afterwards, piece by piece."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.path(key).parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(self.path(key), os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            return False
        linger()
        for first in range(0, len(data), 4096):
            os.write(descriptor, data[first : first + 4096])
        os.close(descriptor)
        return True


class AnyExistsIsLost(BrokenStore):
    """Takes a directory that another creator made for a record that another creator made."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        try:
            if not self.path(key).parent.is_dir():
                linger()
                self.path(key).parent.mkdir(parents=True)
            return super().put_if_absent(key, data)
        except FileExistsError:
            return False


class PrunedIsLost(BrokenStore):
    """Takes a directory that another process pruned for a lost create."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        try:
            self.path(key).parent.mkdir(parents=True, exist_ok=True)
            linger()
            with self.path(key).open("xb") as record:
                record.write(data)
        except (FileExistsError, FileNotFoundError):
            return False
        return True


class EqualBytesAreMine(BrokenStore):
    """Settles "exists" by comparing the bytes."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key, data) or self.get(key) == data


class LoserOverwrites(BrokenStore):
    """Writes first and looks afterwards."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        there = self.path(key).exists()
        self.write(key, data)
        return not there


class LineEnds(BrokenStore):
    """Treats a record as text."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key, data.replace(b"\r\n", b"\n"))


class EmptyIsAbsent(BrokenStore):
    """Asks whether a record is true rather than whether it is there."""

    def get(self, key: str) -> bytes | None:
        return super().get(key) or None


class LimitOfItsOwn(BrokenStore):
    """Refuses records that every other store takes."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if len(data) > 8 * 1024 * 1024:
            raise StoreUnavailable("Too much")
        return super().put_if_absent(key, data)


class CachedReads(BrokenStore):
    """Remembers what it read."""

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        super().__init__(root, create=create)
        self.cache: dict[str, bytes | None] = {}

    def get(self, key: str) -> bytes | None:
        if key not in self.cache:
            self.cache[key] = super().get(key)
        return self.cache[key]


class ListsItsOwnWrites(BrokenStore):
    """Keeps an index in memory, of its own writes only."""

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        super().__init__(root, create=create)
        self.index: set[str] = set()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.index.add(key)
        return super().put_if_absent(key, data)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return iter([key for key in sorted(self.index) if key.startswith(prefix)][:limit])


class Tombstones(BrokenStore):
    """Remembers that a key was deleted, and refuses it from then on."""

    def __init__(self, root: Path | str, *, create: bool = False) -> None:
        super().__init__(root, create=create)
        self.dead = self.root.with_name("dead")

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return not (self.dead / key).exists() and super().put_if_absent(key, data)

    def delete(self, key: str) -> None:
        super().delete(key)
        (self.dead / key).mkdir(parents=True, exist_ok=True)


class KeptInMemory(BrokenStore):
    """Keeps what it wrote in this process."""

    records: dict[str, bytes] = {}  # noqa: RUF012 - shared by all instances of one process is what is wrong

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return self.records.setdefault(key, data) is data

    def get(self, key: str) -> bytes | None:
        return self.records.get(key)


class DirectoryPrefix(BrokenStore):
    """Takes the prefix for a directory."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        found = super().list(prefix, start_after=start_after)
        return islice((key for key in found if not prefix or key.startswith(f"{prefix.rstrip('/')}/")), limit)


class OrderOfNames(BrokenStore):
    """Sorts the names of each directory, as a walk comes across them."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        found = sorted(super().list(prefix, start_after=start_after), key=lambda key: key.split("/"))
        return islice(found, limit)


class FromForAfter(BrokenStore):
    """Begins a listing at the key that it should begin after."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return islice((key for key in super().list(prefix) if key >= (start_after or "")), limit)


class CutsBeforeItSkips(BrokenStore):
    """Applies the limit before `start_after`."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return (key for key in super().list(prefix, limit=limit) if key > (start_after or ""))


class WholeListFirst(BrokenStore):
    """Builds the whole listing before it yields the first key."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return iter(list(super().list(prefix, start_after=start_after, limit=limit)))


class EndsAtAFailure(BrokenStore):
    """Ends a listing at a failure as if it were complete."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        try:
            yield from super().list(prefix, start_after=start_after, limit=limit)
        except StoreUnavailable:
            return


class LocksWhileItLists(BrokenStore):
    """Refuses to write until a listing was read to its end."""

    listing = False

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        self.listing = True
        yield from super().list(prefix, start_after=start_after, limit=limit)
        self.listing = False

    def delete(self, key: str) -> None:
        if self.listing:
            raise StoreUnavailable("A listing is under way")
        super().delete(key)


class PagesByPosition(BrokenStore):
    """Goes on by position while the positions move."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        for position in count(0, 10):
            page = list(islice(super().list(prefix), position, position + 10))
            yield from page
            if len(page) < 10:
                return


class HidesDotFiles(BrokenStore):
    """Takes a name with a leading dot for something of the system's."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        found = super().list(prefix, start_after=start_after)
        return islice((key for key in found if "/." not in f"/{key}"), limit)


class SuffixOthersCanSpell(BrokenStore):
    """Keeps the key `a` in the place of the key `a.record`."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key.removesuffix(".record"), data)

    def get(self, key: str) -> bytes | None:
        return super().get(key.removesuffix(".record"))


class NoSuffix(BrokenStore):
    """Keeps a record where a directory of the same name would have to be."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if any((self.root / parent).is_file() for parent in Path(f"{key}@record").parents):
            raise StoreUnavailable("Not a directory")
        below = self.root / key
        if below.is_dir():
            raise StoreUnavailable("Is a directory")
        return super().put_if_absent(key, data)


class DeletesSubtree(BrokenStore):
    """Removes everything below the key too."""

    def delete(self, key: str) -> None:
        super().delete(key)
        shutil.rmtree(self.root / key, ignore_errors=True)


class PrunesTooMuch(BrokenStore):
    """Takes a directory without records of its own for an empty one."""

    def delete(self, key: str) -> None:
        super().delete(key)
        parent = self.path(key).parent
        if parent != self.root and not list(parent.glob("*@record")):
            shutil.rmtree(parent, ignore_errors=True)


class AbsentIsAnError(BrokenStore):
    """Raises when there is nothing to delete."""

    def delete(self, key: str) -> None:
        if self.get(key) is None:
            raise StoreUnavailable("Nothing to delete")
        super().delete(key)


class LooksThenDeletes(BrokenStore):
    """Deletes only what it saw, and trips when another was faster."""

    def delete(self, key: str) -> None:
        if self.path(key).exists():
            linger()
            self.path(key).unlink()


class FailureIsAbsent(BrokenStore):
    """Answers None when it could not read."""

    def get(self, key: str) -> bytes | None:
        try:
            return super().get(key)
        except StoreUnavailable:
            return None


class FailureIsEmpty(BrokenStore):
    """Answers an empty record when it could not read."""

    def get(self, key: str) -> bytes | None:
        try:
            return super().get(key)
        except StoreUnavailable:
            return b""
