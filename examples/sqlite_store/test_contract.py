"""The contract, kept by the SQLite store: how it is opened, read without it, and made to fail.

Raw access is SQLite on a connection of its own. A fault is an error of SQLite, raised at one statement of the store.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import swamp_store_sqlite
from swamp_core.store import CheckedStore, SignalWaitStore
from swamp_core.store.creating import Pace
from swamp_store_contract.suite import StoreContract
from swamp_store_contract.under_test import Fault, Recipe, StoreUnderTest, Verb
from swamp_store_sqlite import SqliteOptions, SqliteStore, backend

DECISIVE: dict[Verb, str] = {
    "put_if_absent": "BEGIN",
    "get": "SELECT data",
    "list": "SELECT key",
    "delete": "DELETE",
}
CODES = {
    Fault.LOST_REQUEST: sqlite3.SQLITE_IOERR,
    Fault.LOST_REPLY: sqlite3.SQLITE_IOERR,
    Fault.CONFLICT: sqlite3.SQLITE_BUSY,
    Fault.DENIED: sqlite3.SQLITE_READONLY,
    Fault.THROTTLED: sqlite3.SQLITE_BUSY,
    Fault.UNAVAILABLE: sqlite3.SQLITE_IOERR,
}


def failure(code: int) -> sqlite3.OperationalError:
    """An error as SQLite raises it."""
    error = sqlite3.OperationalError("no")
    error.sqlite_errorcode = code
    return error


class SqliteUnderTest(StoreUnderTest):
    """A file of this test."""

    create_calls = ("sqlite3.connect", "swamp_store_sqlite.run")

    def __init__(self, directory: Path) -> None:
        self.path = directory / "swamp.db"
        self.elsewhere = directory / "swamp-2.db"
        for path in (self.path, self.elsewhere):
            with closing(sqlite3.connect(path)) as db:
                db.execute(swamp_store_sqlite.TABLE)
        self.now_s = 0.0

    def open(self) -> SignalWaitStore:
        """The store as users get it, but for a sleep that only moves its clock."""
        return self.open_at(self.path)

    def open_elsewhere(self) -> SignalWaitStore:
        """Another file."""
        return self.open_at(self.elsewhere)

    def open_missing(self) -> SignalWaitStore:
        """A file that nobody made."""
        return self.open_at(self.path.with_name("missing.db"))

    def open_at(self, path: Path) -> SignalWaitStore:
        """The store in this file."""
        options = SqliteOptions(path=str(path))
        pace = Pace(clock=lambda: self.now_s, sleep=self._pass, chance=lambda: 1.0)
        return CheckedStore(SqliteStore(options, pace), backend.store_name(options))

    def recipe(self) -> Recipe:
        """Another process opens the store by its URL, and so by the entry point."""
        return Recipe("swamp_core.store:open_store", (f"sqlite://{self.path}",))

    def raw_get(self, key: str) -> bytes | None:
        """The row, read without the store."""
        rows = self._raw("SELECT data FROM swamp WHERE key = ?", key)
        return rows[0][0] if rows else None

    def raw_put(self, key: str, data: bytes) -> None:
        """A row that has no put-id."""
        self._raw("INSERT INTO swamp (key, data) VALUES (?, ?)", key, data)

    def raw_keys(self) -> set[str]:
        """The keys of all rows."""
        return {key for (key,) in self._raw("SELECT key FROM swamp")}

    @contextmanager
    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> Iterator[None]:
        """Let the statement that decides the verb fail. What is lost is lost at the commit, before it or after it."""
        lost = fault in (Fault.LOST_REQUEST, Fault.LOST_REPLY)
        at, left = "COMMIT" if lost else DECISIVE[verb], times
        run = swamp_store_sqlite.run

        def failing(db: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Cursor:
            nonlocal left
            if left == 0 or not sql.startswith(at):
                return run(db, sql, *values)
            if fault is Fault.LOST_REPLY:
                run(db, sql, *values)
            left = None if left is None else left - 1
            raise failure(CODES[fault])

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(swamp_store_sqlite, "run", failing)
            yield

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds

    def _raw(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.path, timeout=60, isolation_level=None)) as db:
            db.execute("PRAGMA synchronous = OFF")  # nobody pulls the plug on a test's own records
            return db.execute(sql, values).fetchall()


class TestSqliteStore(StoreContract):
    """Every promise of a store."""

    @pytest.fixture
    def under_test(self, tmp_path: Path) -> SqliteUnderTest:
        """An empty store."""
        return SqliteUnderTest(tmp_path)
