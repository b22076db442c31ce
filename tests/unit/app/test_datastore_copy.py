"""A copy brings every record over, goes on where it was cut off, and never mixes two datastores."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.datastore_copy import copy_datastore
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Workspace
from swamp_core.store import (
    CheckedStore,
    MemoryStore,
    RecordTooLarge,
    StoreMisconfigured,
    StoreNotFound,
    StoreUnavailable,
    open_store,
)
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_core.store.probing import PROBES

from tests.unit.app.datastores import SOURCE, TARGET, workspace_over

KEYS = st.sampled_from(
    ["format", "runs/a/1", "runs/a/2", "waits/w", "wait-outcomes/w", "open-runs/r/a/1", "workflow-runs/r/a"]
)
RECORDS = st.dictionaries(KEYS, st.binary(max_size=8), min_size=1)


def filled(records: dict[str, bytes]) -> MemoryStore:
    store = MemoryStore()
    store.records.update(records)
    return store


@given(records=RECORDS, there=st.data())
def test_whatever_an_earlier_copy_brought_over_the_target_ends_equal(
    records: dict[str, bytes], there: st.DataObject
) -> None:
    brought = there.draw(st.sets(st.sampled_from(sorted(records))))
    source, target = filled(records), filled({key: records[key] for key in brought})
    result = copy_datastore(workspace_over(Path(), source=source, target=target), SOURCE, TARGET)
    assert target.records == source.records == records
    assert (result.copied, result.skipped) == (len(records) - len(brought), len(brought))
    assert result.verified == len(records)


@given(records=RECORDS, others=st.dictionaries(KEYS, st.binary(max_size=8), min_size=1))
def test_a_target_with_anything_else_is_refused_and_left_as_it_is(
    records: dict[str, bytes], others: dict[str, bytes]
) -> None:
    others["runs/other/1"] = b"foreign"
    target = filled(others)
    with pytest.raises(Refused) as refused:
        copy_datastore(workspace_over(Path(), source=filled(records), target=target), SOURCE, TARGET)
    assert refused.value.code == "target_not_empty"
    assert target.records == others


def test_a_record_of_other_bytes_under_the_same_key_is_another_record() -> None:
    target = filled({"format": b"2"})
    with pytest.raises(Refused) as refused:
        copy_datastore(
            workspace_over(Path(), source=filled({"format": b"1", "runs/a/1": b""}), target=target),
            SOURCE,
            TARGET,
        )
    assert refused.value.code == "target_not_empty"
    assert refused.value.details == {"key": "format", "records": 1}
    assert target.records == {"format": b"2"}


def test_a_refused_target_says_what_is_there() -> None:
    records = {"format": b"2", "workflow-runs/r/a": b"", "workflow-runs/r/b": b""}
    workspace = workspace_over(Path(), source=filled({"format": b"1"}), target=filled(records))
    with pytest.raises(Refused) as refused:
        copy_datastore(workspace, SOURCE, TARGET)
    assert refused.value.message == (
        "TO is not empty: file:///target holds 2 records that are no copies of those in FROM, such as "
        "`workflow-runs/r/a`. 2 runs are kept there."
    )
    assert refused.value.details == {"key": "workflow-runs/r/a", "records": 2}


@pytest.mark.parametrize("verb", ["put_if_absent", "get", "list", "delete"])
@pytest.mark.parametrize("end", ["FROM", "TO"])
def test_whatever_fails_is_told_as_that_of_its_own_end(end: str, verb: str) -> None:
    """With two stores in one command, the URL alone does not say which word is to be corrected."""
    stores = {"FROM": filled({"format": b"1", "runs/a/1": b""}), "TO": filled({"format": b"1"})}

    def fails(*args: object, **options: object) -> object:
        raise StoreUnavailable("No route")

    setattr(stores[end], verb, fails)
    workspace = workspace_over(Path(), source=stores["FROM"], target=stores["TO"])
    if (end, verb) in {("FROM", "put_if_absent"), ("FROM", "delete")}:
        copy_datastore(workspace, SOURCE, TARGET)  # Nothing is written to what is copied.
        return
    with pytest.raises(StoreUnavailable) as raised:
        copy_datastore(workspace, SOURCE, TARGET)
    assert str(raised.value).startswith(f"{end}: No route (at ")
    told, _, stays = str(raised.value).partition("Records may stay")
    assert "store-probes" not in told
    assert bool(stays) == (end == "TO" and verb in {"list", "delete"})


@pytest.mark.parametrize("end", ["FROM", "TO"])
def test_what_cannot_be_opened_is_told_as_that_of_its_own_end(end: str) -> None:
    workspace = workspace_over(Path(), source=filled({"format": b"1"}), target=MemoryStore())
    settings = {"FROM": SOURCE, "TO": TARGET, end: "somewhere"}
    workspace = replace(workspace, opener=open_store)
    with pytest.raises(StoreMisconfigured) as raised:
        copy_datastore(workspace, settings["FROM"], settings["TO"])
    assert raised.value.detail.startswith(f"{end}: ")


def test_nobody_is_told_to_make_what_is_to_be_copied(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    missing, target = (tmp_path / "missing").as_uri(), f"{(tmp_path / 'new').as_uri()}?create=true"
    with pytest.raises(StoreNotFound) as raised:
        copy_datastore(workspace, missing, target)
    assert raised.value.hint == "Correct FROM: its bucket, directory or prefix."
    with pytest.raises(Refused, match="FROM holds no record"):
        copy_datastore(workspace, f"{missing}?create=true", target)
    assert not (tmp_path / "missing").exists()


def test_what_makes_a_run_visible_comes_last() -> None:
    order: list[str] = []

    class Target(MemoryStore):
        def put_if_absent(self, key: str, data: bytes) -> bool:
            if key in records:
                order.append(key)
            return super().put_if_absent(key, data)

    records = {f"runs/a/{number:02}": b"" for number in range(40)}
    records |= {
        "format": b"",
        "open-runs/r/a/1": b"",
        "workflow-runs/r/a": b"",
        "waits/w": b"",
        "wait-outcomes/w": b"",
    }
    copy_datastore(workspace_over(Path(), source=filled(records), target=Target()), SOURCE, TARGET)
    assert order.index("wait-outcomes/w") < 41
    assert all(
        order.index(key) >= 32 for key in ("format", "open-runs/r/a/1", "workflow-runs/r/a", "waits/w")
    )


@pytest.mark.parametrize("cut_off_at", range(1, 6))
def test_a_copy_that_fails_at_any_record_is_gone_on_with(cut_off_at: int) -> None:
    class Fails(MemoryStore):
        left = cut_off_at

        def put_if_absent(self, key: str, data: bytes) -> bool:
            self.left -= 1
            if self.left == 0:
                raise StoreUnavailable("The connection broke")
            return super().put_if_absent(key, data)

    records = {f"runs/a/{number}": b"%d" % number for number in range(5)}
    source, target = filled(records), Fails()
    workspace = workspace_over(Path(), source=source, target=target)
    with pytest.raises(StoreUnavailable):
        copy_datastore(workspace, SOURCE, TARGET)
    result = copy_datastore(workspace, SOURCE, TARGET)
    assert target.records == records
    assert result.copied + result.skipped == result.verified == 5


@pytest.mark.parametrize("change", ["added", "removed"])
def test_a_source_that_changes_meanwhile_is_refused(change: str) -> None:
    class Changes(MemoryStore):
        def get(self, key: str) -> bytes | None:
            found = super().get(key)
            if change == "added":
                self.records["runs/a/9"] = b"new"
            else:
                self.records.pop("runs/a/1", None)
            return found

    source = Changes()
    source.records.update({"runs/a/1": b"1", "runs/a/2": b"2"})
    with pytest.raises(Refused) as refused:
        copy_datastore(workspace_over(Path(), source=source, target=MemoryStore()), SOURCE, TARGET)
    assert refused.value.code == "source_changed"


class Inside(MemoryStore):
    """A store whose records are part of another's, below a prefix."""

    def __init__(self, outer: MemoryStore, prefix: str) -> None:
        super().__init__()
        self.outer, self.prefix = outer, prefix

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return self.outer.put_if_absent(self.prefix + key, data)

    def get(self, key: str) -> bytes | None:
        return self.outer.get(self.prefix + key)

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return (key.removeprefix(self.prefix) for key in self.outer.list(self.prefix + prefix))

    def delete(self, key: str) -> None:
        self.outer.delete(self.prefix + key)


@pytest.mark.parametrize("prefix", ["", "sub/"], ids=["itself", "a place inside"])
def test_a_datastore_is_not_copied_to_itself_nor_into_itself(prefix: str) -> None:
    """Whatever the two are called, and without a record that stays."""
    source = filled({"format": b"1"})
    with pytest.raises(Refused) as refused:
        copy_datastore(workspace_over(Path(), source=source, target=Inside(source, prefix)), SOURCE, TARGET)
    assert refused.value.code == "invalid_input"
    assert source.records == {"format": b"1"}


def test_a_source_without_a_record_is_a_mistyped_one() -> None:
    """To say that all is copied would send every host to an empty store."""
    target = MemoryStore()
    with pytest.raises(Refused) as refused:
        copy_datastore(workspace_over(Path(), source=MemoryStore(), target=target), SOURCE, TARGET)
    assert refused.value.code == "nothing_to_copy"
    assert target.records == {}


def test_what_is_larger_than_any_record_is_not_copied(tmp_path: Path) -> None:
    """It is named, and what to do with it; then the same command goes on."""
    source = filled({"runs/a/1": b"", "runs/a/2": bytes(RECORD_BYTES_MAX + 1)})
    target = MemoryStore()
    workspace = workspace_over(tmp_path, source=CheckedStore(source, SOURCE), target=target)
    with pytest.raises(RecordTooLarge) as raised:
        copy_datastore(workspace, SOURCE, TARGET)
    assert str(raised.value) == (
        f"FROM: The record has {RECORD_BYTES_MAX + 1} bytes (at get `runs/a/2` in {SOURCE}). "
        "Something else than Swamp stored it: move it out of FROM, then copy again."
    )
    source.delete("runs/a/2")
    copy_datastore(workspace, SOURCE, TARGET)
    assert target.records == source.records


@pytest.mark.parametrize("verb", ["put_if_absent", "list", "delete", "get"])
@pytest.mark.parametrize("failing", range(1, 8))
def test_a_copy_that_fails_once_leaves_nothing_of_what_it_tried(verb: str, failing: int) -> None:
    """Not even where it is the clean-up that fails."""
    target, count = MemoryStore(), 0
    call = getattr(target, verb)

    def fails_once(*args: object, **options: object) -> object:
        nonlocal count
        count += 1
        if count == failing:
            raise StoreUnavailable("No route")
        return call(*args, **options)

    setattr(target, verb, fails_once)
    with suppress(StoreUnavailable):
        copy_datastore(
            workspace_over(Path(), source=filled({"format": b"1", "runs/a/1": b""}), target=target),
            SOURCE,
            TARGET,
        )
    assert not [key for key in target.records if key.startswith(PROBES)]
