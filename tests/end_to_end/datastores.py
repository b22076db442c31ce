"""Where the state of a repo under test is kept: in its directory, in an S3 bucket, or in a GCS bucket.

A place tells what processes are given to reach it, and lets a test look at records, and spoil them, without a store.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from swamp_core.store import SignalWaitStore, open_store
from swamp_core.store.probing import NOTES
from swamp_store_local.layout import record_path

from tests.servers.server import Server

SUFFIX = "@record"
PREFIX = "state"


class Place(ABC):
    """One datastore, for one repo."""

    one_in: ClassVar[int] = 1
    """Of a long row of cases that a store hardly takes part in, which are to be tried: one in so many."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The setting that names it, as a URL."""

    @property
    @abstractmethod
    def environ(self) -> Mapping[str, str]:
        """What a process is given so that a repo's commands use it."""

    @abstractmethod
    def records(self) -> dict[str, bytes]:
        """Every record, but for the note that the store was tried."""

    @abstractmethod
    def read(self, key: str) -> bytes:
        """A record's bytes."""

    @abstractmethod
    def write(self, key: str, data: bytes) -> None:
        """Put bytes where the record is, or would be."""

    @abstractmethod
    def at(self, directory: Path) -> Place:
        """What a repo in another directory uses, if nothing is set for it alone."""

    @abstractmethod
    def copied(self, directory: Path) -> Place:
        """The same records in another place, for a copy of the repo in the directory."""

    @property
    @abstractmethod
    def looker(self) -> str:
        """A program that prints the records whose keys start with its argument, quickly and without Swamp."""

    @abstractmethod
    def delete(self, key: str) -> None:
        """Take a record away."""

    def open(self) -> SignalWaitStore:
        """The store. One client serves all of a place's callers."""
        return _opened(self.url)

    def restore(self, records: Mapping[str, bytes]) -> None:
        """Let these be the records again."""
        now = self.records()
        for key in now.keys() - records.keys():
            self.delete(key)
        for key, data in records.items():
            if now.get(key) != data:
                self.write(key, data)


@dataclass(frozen=True, slots=True)
class LocalPlace(Place):
    """The default: a directory inside the repo."""

    repo: Path

    @property
    def root(self) -> Path:
        """The store's directory."""
        return self.repo / ".swamp" / "store"

    @property
    def url(self) -> str:
        """See `Place.url`."""
        return f"{self.root.as_uri()}?create=true"

    @property
    def environ(self) -> Mapping[str, str]:
        """Nothing is set."""
        return {}

    def records(self) -> dict[str, bytes]:
        """See `Place.records`."""
        files = (path for path in self.root.rglob(f"*{SUFFIX}") if path.is_file())
        return {str(path.relative_to(self.root)).removesuffix(SUFFIX): path.read_bytes() for path in files}

    def read(self, key: str) -> bytes:
        """See `Place.read`."""
        return Path(record_path(str(self.root), key)).read_bytes()

    def write(self, key: str, data: bytes) -> None:
        """See `Place.write`."""
        path = Path(record_path(str(self.root), key))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def delete(self, key: str) -> None:
        """See `Place.delete`."""
        Path(record_path(str(self.root), key)).unlink()

    @property
    def looker(self) -> str:
        """See `Place.looker`."""
        return '#!/bin/sh\ncat .swamp/store/"$1"*\n'

    def at(self, directory: Path) -> Place:
        """Each repo has its own."""
        return LocalPlace(directory)

    def copied(self, directory: Path) -> Place:
        """The copy of the directory has the copy of the store in it."""
        return LocalPlace(directory)


@dataclass(frozen=True, slots=True)
class BucketPlace(Place):
    """A prefix in a bucket of its own, which the environment names."""

    one_in: ClassVar[int] = 4
    server: Server
    bucket: str

    @property
    def url(self) -> str:
        """See `Place.url`."""
        return self.server.url(self.bucket, PREFIX)

    @property
    def environ(self) -> Mapping[str, str]:
        """The setting, and invented credentials."""
        return {"SWAMP_DATASTORE": self.url, **self.server.environ}

    def records(self) -> dict[str, bytes]:
        """See `Place.records`."""
        keys = [name.removeprefix(f"{PREFIX}/") for name in self.server.names(self.bucket)]
        return {key: self.read(key) for key in keys if not key.startswith(NOTES)}

    def read(self, key: str) -> bytes:
        """See `Place.read`."""
        data = self.server.get_object(self.bucket, f"{PREFIX}/{key}")
        if data is None:
            raise FileNotFoundError(key)
        return data

    def write(self, key: str, data: bytes) -> None:
        """See `Place.write`."""
        self.server.put_object(self.bucket, f"{PREFIX}/{key}", data)

    def delete(self, key: str) -> None:
        """See `Place.delete`."""
        self.server.delete_object(self.bucket, f"{PREFIX}/{key}")

    @property
    def looker(self) -> str:
        """See `Place.looker`."""
        return self.server.looker(self.bucket, PREFIX)

    def at(self, directory: Path) -> Place:
        """Wherever a repo is, the environment names the same bucket."""
        return self

    def copied(self, directory: Path) -> Place:
        """A bucket with the same objects."""
        place = BucketPlace(self.server, self.server.new_bucket())
        for name in self.server.names(self.bucket):
            data = self.server.get_object(self.bucket, name)
            assert data is not None
            self.server.put_object(place.bucket, name, data)
        return place


_opened = lru_cache(maxsize=4)(open_store)  # A client of an SDK is large.

NewPlace = Callable[[Path], Place]
"""Makes an empty place for a repo in a directory."""
