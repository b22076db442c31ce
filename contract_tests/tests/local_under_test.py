"""The local store, under the contract.

Raw access reads and writes the files, and faults are the system's errors.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from swamp_core.store import SignalWaitStore, open_store
from swamp_store_contract.under_test import Fault, Recipe, StoreUnderTest, Verb

SUFFIX = "@record"
TARGETS: dict[Verb, str] = {
    "put_if_absent": "os.link",
    "get": "swamp_store_local.store.open",
    "list": "os.scandir",
    "delete": "os.unlink",
}
ERRNOS = {
    Fault.LOST_REQUEST: errno.EIO,
    Fault.CONFLICT: errno.ENOENT,  # another process prunes the directory each time that it is made
    Fault.DENIED: errno.EACCES,
    Fault.THROTTLED: errno.EMFILE,
    Fault.UNAVAILABLE: errno.EIO,
}


class LocalUnderTest(StoreUnderTest):
    """A store in a directory of this test."""

    create_calls = ("os.mkdir", "os.open", "os.write", "os.fsync", "os.link", "os.close", "os.unlink")

    def __init__(self, directory: Path) -> None:
        self.root = directory / "store"
        self.root.mkdir()
        self.elsewhere = directory / "store-2"
        self.elsewhere.mkdir()
        self.missing = directory / "missing"

    def open(self) -> SignalWaitStore:
        return self.open_at(self.root)

    def open_elsewhere(self) -> SignalWaitStore:
        return self.open_at(self.elsewhere)

    def open_missing(self) -> SignalWaitStore:
        return self.open_at(self.missing)

    def open_at(self, directory: Path) -> SignalWaitStore:
        return open_store(directory.as_uri())

    def recipe(self) -> Recipe:
        return Recipe("swamp_core.store:open_store", (self.root.as_uri(),))

    def raw_get(self, key: str) -> bytes | None:
        try:
            return (self.root / (key + SUFFIX)).read_bytes()
        except FileNotFoundError:
            return None

    def raw_put(self, key: str, data: bytes) -> None:
        path = self.root / (key + SUFFIX)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def raw_keys(self) -> set[str]:
        files = self.root.rglob("*" + SUFFIX)
        return {file.relative_to(self.root).as_posix().removesuffix(SUFFIX) for file in files}

    @contextmanager
    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> Iterator[None]:
        """Let the one system call that decides the verb fail; a lost reply is one that was carried out."""
        with pytest.MonkeyPatch.context() as patch:
            if fault is Fault.LOST_REPLY and times is None:
                _carry_out_and_lose_touch(patch)
            elif fault is Fault.LOST_REPLY:
                _fail(patch, TARGETS[verb], errno.EEXIST, times, carried_out=True)  # as NFS repeats a link
            else:
                _fail(patch, TARGETS[verb], ERRNOS[fault], times, carried_out=False)
            yield


def _fail(
    patch: pytest.MonkeyPatch, target: str, number: int, times: int | None, *, carried_out: bool
) -> None:
    left = times
    real: Callable[..., Any] = open if target.endswith(".open") else getattr(os, target.removeprefix("os."))

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal left
        if left == 0:
            return real(*arguments, **options)
        if carried_out:
            real(*arguments, **options)
        left = None if left is None else left - 1
        raise OSError(number, os.strerror(number))

    patch.setattr(target, failing, raising=False)


def _carry_out_and_lose_touch(patch: pytest.MonkeyPatch) -> None:
    """Make the link, and from then on let the file system answer nothing about it."""
    link = os.link

    def link_and_fail(source: str, target: str) -> None:
        link(source, target)
        _fail(patch, "os.fstat", errno.EIO, None, carried_out=False)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    patch.setattr("os.link", link_and_fail)
