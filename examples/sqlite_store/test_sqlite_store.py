"""What is SQLite's own: its errors, its files, its URL, and that the command line runs on it."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
import swamp_store_sqlite
from swamp_core.store import (
    StoreAccessDenied,
    StoreError,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
    open_store,
)
from swamp_store_contract.failures import CALLS
from test_contract import SqliteUnderTest, failure


def test_a_failed_commit_that_stored_nothing_is_tried_again(tmp_path: Path) -> None:
    """Whatever a commit says, the next attempt finds out: here, that the file became read-only for a moment."""
    under_test = SqliteUnderTest(tmp_path)
    store, codes = under_test.open(), [sqlite3.SQLITE_READONLY, sqlite3.SQLITE_FULL]
    run = swamp_store_sqlite.run

    def failing(db: sqlite3.Connection, sql: str, *values: object) -> sqlite3.Cursor:
        if sql == "COMMIT" and codes:
            raise failure(codes.pop())
        return run(db, sql, *values)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(swamp_store_sqlite, "run", failing)
        assert store.put_if_absent("k", b"mine") is True
    assert (codes, under_test.raw_get("k")) == ([], b"mine")


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreAccessDenied),
        (sqlite3.SQLITE_CORRUPT_INDEX, StoreMisconfigured),
        (sqlite3.SQLITE_FULL, StoreUnavailable),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreUnavailable),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreUnavailable),
        (sqlite3.SQLITE_CANTOPEN, StoreUnavailable),  # the file can be opened: too many are open already
    ],
)
def test_each_failure_has_its_type(tmp_path: Path, code: int, kind: type[StoreError]) -> None:
    """An extended code means what its first byte means."""
    (tmp_path / "swamp.db").touch()
    assert type(swamp_store_sqlite.meaning(failure(code), str(tmp_path / "swamp.db"))) is kind


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    """What is no datastore is never taken for an empty one, and is left as it is."""
    text, database = tmp_path / "notes.txt", tmp_path / "photos.db"
    text.write_text("These are my notes. " * 100, encoding="utf-8")
    with closing(sqlite3.connect(database)) as db:
        db.execute("CREATE TABLE photos (name TEXT)")
    for path in (text, database):
        before = path.read_bytes()
        store = open_store(f"sqlite://{path}")
        for call in CALLS.values():
            with pytest.raises(StoreMisconfigured):
                call(store, "k")
        assert path.read_bytes() == before


def test_a_file_is_made_only_on_request(tmp_path: Path) -> None:
    """With `create` a missing file is an empty store; a missing directory never is."""
    url = f"sqlite://{tmp_path}/a%20%23%3f/swamp.db?create=true"
    with pytest.raises(StoreNotFound):
        open_store(url).get("k")
    (tmp_path / "a #?").mkdir()
    assert list(open_store(url).list("")) == []
    assert open_store(url).put_if_absent("k", b"mine") is True
    assert open_store({"type": "sqlite", "path": f"{tmp_path}/a #?/swamp.db"}).get("k") == b"mine"


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("sqlite://host/s.db", "not of the form"),
        ("sqlite:///s.db#x", "has a `#`"),
        ("sqlite:///s.db?path=/t", "says its path twice"),
        ("sqlite://", "`path` of the sqlite store is wrong: it must be an absolute path"),
        ({"type": "sqlite", "path": "s.db"}, "wrong: it must be an absolute path, such as `/srv/swamp`"),
    ],
)
def test_a_setting_that_means_something_else_is_refused(setting: str | dict[str, object], says: str) -> None:
    """A host, a fragment and a second path are no part of a file's URL, and a whole path is needed."""
    with pytest.raises(StoreMisconfigured, match=re.escape(says)):
        open_store(setting)


def test_the_command_line_runs_on_it(tmp_path: Path, installed: Path) -> None:
    """One setting chooses it: the example of `swamp init` runs to its wait, and another process finds that."""
    here = Path(__file__).parent
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join([str(here), str(installed)])}
    environ["SWAMP_DATASTORE"] = f"sqlite://{tmp_path}/swamp.db?create=true"

    def swamp(*words: str) -> str:
        command = [sys.executable, "-m", "swamp_core", *words]
        return subprocess.run(
            command, cwd=tmp_path, env=environ, check=True, capture_output=True, text=True, timeout=60
        ).stdout

    swamp("init")
    swamp("workflow", "run", "release", "--input", "env=dev")
    assert '"release"' in swamp("workflow", "waits", "--json")
    assert "sqlite" in swamp("datastore", "stores")
    assert "sqlite://" in swamp("datastore", "show")
