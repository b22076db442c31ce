"""Which directories a listing enters, and what in them is a record."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_store_local.listing import Wanted

from swamp_store_local import LocalStore

PARTS = st.text(alphabet="ab-.0", min_size=1, max_size=3).filter(lambda part: not part.endswith("."))
STARTS = st.lists(PARTS, min_size=1, max_size=3).map(lambda parts: "/".join(parts) + "/")


@given(prefix=st.text(alphabet="ab-./", max_size=6), after=st.none() | st.text(alphabet="ab-./", max_size=6))
def test_a_directory_is_entered_when_it_may_hold_a_wanted_key(prefix: str, after: str | None) -> None:
    """Leaving one out never hides a key: the decision agrees with looking into it."""
    wanted = Wanted(prefix, after)
    for start in ("a/", "a-/", "a.b/", "ab/", "a/b/", "b/"):
        keys = [f"{start}{tail}" for tail in ("a", "b", "a/b", "-", "0/b", "b/a/b", "ab")]
        if any(wanted.holds(key) for key in keys):
            assert wanted.may_lie_below(start)


@given(start=STARTS, tail=PARTS, cut=st.integers(0, 12), after=st.none() | STARTS)
def test_no_wanted_key_lies_below_a_directory_that_is_left_out(
    start: str, tail: str, cut: int, after: str | None
) -> None:
    """For any directory, any prefix of a key in it, and any place to go on from."""
    key = start + tail
    wanted = Wanted(key[:cut], after)
    if wanted.holds(key):
        assert wanted.may_lie_below(start)


def test_a_listing_enters_only_directories_that_can_match(tmp_path: Path) -> None:
    """What looks for one run reads no other run's directory, and nothing before the place it goes on from."""
    store = LocalStore(tmp_path)
    for key in ("runs/r1/1", "runs/r2/1", "runs/r3/1", "runs/r3x/1", "waits/w1"):
        store.put_if_absent(key, b"")
    entered: list[str] = []
    real = os.scandir

    def recording(path: str) -> Any:
        entered.append(Path(path).relative_to(tmp_path).as_posix())
        return real(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "scandir", recording)
        assert list(store.list("runs/r3")) == ["runs/r3/1", "runs/r3x/1"]
        assert entered == ["runs", "runs/r3", "runs/r3x"]
        entered.clear()
        assert next(store.list("runs/", start_after="runs/r2/1")) == "runs/r3/1"
        assert entered == ["runs", "runs/r2", "runs/r3"]
        entered.clear()
        assert list(store.list("runs/r2/1")) == ["runs/r2/1"]
        assert entered == ["runs/r2"]


def test_what_others_drop_into_the_directory_is_no_record(tmp_path: Path) -> None:
    """Files and directories whose names no key can have are left alone and never listed."""
    store = LocalStore(tmp_path)
    store.put_if_absent("a/b", b"here")
    for name in (
        "README.md",
        ".DS_Store",
        "a/.nfs000001",
        "a/c",
        "A@record",
        "@record",
        "a/c.@record",
        "x y@record",
    ):
        (tmp_path / name).write_bytes(b"foreign")
    (tmp_path / "lost+found").mkdir()
    (tmp_path / "lost+found/k@record").write_bytes(b"foreign")
    assert list(store.list("")) == ["a/b"]
    store.delete("a/b")
    assert (tmp_path / "a/c").read_bytes() == b"foreign"


def test_a_directory_that_is_pruned_under_a_listing_holds_nothing(tmp_path: Path) -> None:
    """Its name was read, and then its last record was deleted."""
    store = LocalStore(tmp_path)
    for key in ("a/1", "b/1", "c/1"):
        store.put_if_absent(key, b"")
    listing = store.list("")
    assert next(listing) == "a/1"
    store.delete("b/1")
    assert list(listing) == ["c/1"]
