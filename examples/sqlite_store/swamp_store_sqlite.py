"""Swamp's control-plane store in an SQLite file, as `sqlite:///srv/swamp.db?create=true`: an example for authors.

A record is a row, and the primary key decides who wins. Nothing is kept between two operations, no connection and
no lock: so a process may fork between them, and a listing that is left half-read holds up nobody.
"""

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from pydantic import BaseModel, ConfigDict
from swamp_core.store import creating, errors, settings

PAGE, LOCK_WAIT_S = 1000, 10.0
TABLE = "CREATE TABLE IF NOT EXISTS swamp (key TEXT PRIMARY KEY, put_id TEXT, data BLOB NOT NULL)"
SETUP = "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON;"
MEANINGS: dict[int, type[errors.StoreError]] = {
    sqlite3.SQLITE_READONLY: errors.StoreAccessDenied,
    sqlite3.SQLITE_NOTADB: errors.StoreMisconfigured,
    sqlite3.SQLITE_CORRUPT: errors.StoreMisconfigured,
    sqlite3.SQLITE_ERROR: errors.StoreMisconfigured,  # no such table: the file is something else's
}


class SqliteOptions(BaseModel):
    """Where the file is, and whether a missing one is made, or is an error: the path may be mistyped."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    path: settings.AbsolutePath
    create: bool = False


@dataclass(frozen=True)
class SqliteStore:
    """See `SignalWaitStore`. For one machine: many network disks do not keep SQLite's locks. Writers take turns.

    A power failure may undo a commit after `synchronous = FULL`, in the default journal mode; so it is EXTRA.
    """

    options: SqliteOptions
    pace: creating.Pace = field(default_factory=creating.Pace)

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """A row is inserted or it is not. When a commit fails to say which, the put-id in the row says it."""
        send, read = partial(self._insert, key, data), partial(self._stored, key)
        return creating.create(send, read, put_id=uuid4().hex, patience=creating.Patience(), pace=self.pace)

    def get(self, key: str) -> bytes | None:
        """The bytes of the row."""
        return next((data for (data,) in self._rows("SELECT data FROM swamp WHERE key = ?", key)), None)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """Page by page, each from the last key on, in the order of bytes: a space sorts before all of a key's."""
        sql = "SELECT key FROM swamp WHERE key >= ? AND key < ? ORDER BY key LIMIT ?"
        start, left = max(prefix, f"{start_after or ''} "), float("inf") if limit is None else limit
        while keys := [key for (key,) in self._rows(sql, start, f"{prefix}\x7f", min(PAGE, left))]:
            yield from keys
            start, left = f"{keys[-1]} ", left - len(keys)

    def delete(self, key: str) -> None:
        """One statement, and so a transaction of its own."""
        self._rows("DELETE FROM swamp WHERE key = ?", key)

    def _insert(self, key: str, data: bytes, put_id: str) -> creating.Reply:
        sql = "INSERT INTO swamp VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING"
        committing = False
        try:
            with self._connected() as db:
                run(db, "BEGIN IMMEDIATE")
                inserted = run(db, sql, key, put_id, data).rowcount == 1
                committing = True
                run(db, "COMMIT")
        except errors.StoreError as error:  # before the commit nothing was stored; from then on, who knows
            if committing:
                return creating.Unclear(error)
            if isinstance(error, errors.StoreUnavailable):
                return creating.NotLanded(error)
            raise
        return creating.Landed() if inserted else creating.Exists()

    def _stored(self, key: str) -> creating.Stored | None:
        rows = self._rows("SELECT put_id FROM swamp WHERE key = ?", key)
        return creating.Stored(rows[0][0]) if rows else None

    def _rows(self, sql: str, *values: object) -> Sequence[tuple[Any, ...]]:
        with self._connected() as db:
            return run(db, sql, *values).fetchall()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        url = f"file:{quote(str(self.options.path))}?mode={'rwc' if self.options.create else 'rw'}"
        try:
            with closing(sqlite3.connect(url, LOCK_WAIT_S, isolation_level=None, uri=True)) as db:
                db.executescript(SETUP + TABLE if self.options.create else SETUP)
                yield db
        except sqlite3.Error as error:
            raise meaning(error, str(self.options.path)) from error


def run(db: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Cursor:
    """Every statement goes through here, so that a test can let any of them fail."""
    return db.execute(sql, values)


def meaning(error: sqlite3.Error, path: str) -> errors.StoreError:
    """What SQLite says, as a store's error. What the table does not know may pass: locked, full, an I/O error."""
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_INTERNAL) & 0xFF
    kind = MEANINGS.get(code, errors.StoreUnavailable)
    if code == sqlite3.SQLITE_CANTOPEN and not os.access(path, os.F_OK):
        kind = errors.StoreNotFound
    elif code == sqlite3.SQLITE_CANTOPEN and not os.access(path, os.R_OK | os.W_OK):
        kind = errors.StoreAccessDenied
    return kind(f"SQLite says `{error}` of {path}")


class SqliteBackend:
    """The type `sqlite`, and the URL scheme of the same name."""

    name = "sqlite"
    options = SqliteOptions

    def from_url(self, url: str) -> Mapping[str, object]:
        """The path and the query of the URL."""
        host, path, given = settings.read_url(url, "path")
        if host:
            raise errors.StoreMisconfigured("The URL is not of the form `sqlite:///srv/swamp.db?create=true`")
        return {"path": path, **given}

    def store_name(self, options: SqliteOptions) -> str:
        """The URL without its query."""
        return f"sqlite://{quote(str(options.path))}"

    def is_proven(self, options: SqliteOptions) -> bool:
        """True: that a key is there once is SQLite's own promise."""
        return True

    def open(self, options: SqliteOptions) -> SqliteStore:
        """Nothing is read or made before the first operation."""
        return SqliteStore(options)


backend = SqliteBackend()
