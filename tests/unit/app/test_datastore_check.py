"""The doctor finds what is wrong with a store, says so check by check, and leaves nothing behind."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from swamp_core.app.datastore_check import check_datastore
from swamp_core.app.datastore_views import DatastoreCheck
from swamp_core.store import MemoryStore, StoreAccessDenied, StoreNotFound, StoreUnavailable

from tests.unit.app.datastores import workspace_over


def failed(result: DatastoreCheck) -> set[str]:
    return {check.name for check in result.checks if not check.ok}


def untried(result: DatastoreCheck) -> set[str]:
    return {check.name for check in result.checks if check.skipped}


def test_a_good_store_passes_and_nothing_stays(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put_if_absent("runs/one", b"kept")
    result = check_datastore(workspace_over(tmp_path, source=store))
    assert result.ok
    assert failed(result) == set()
    assert store.records == {"runs/one": b"kept"}
    assert [check.name for check in result.checks] == [
        *("reachable", "credentials", "may create", "may read", "may list", "may delete"),
        *("second create", "racing creates", "list after create", "list after delete"),
        *("byte order", "odd keys", "read-back", "latency", "clock", "clean-up"),
    ]


class Overwrites(MemoryStore):
    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.records[key] = data
        return True


class ListsLate(MemoryStore):
    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        listed = list(super().list(prefix, start_after=start_after, limit=limit))
        return iter(listed if len(listed) > 1 or "/listed/" not in prefix else [])


class ReadsFromACache(MemoryStore):
    def __init__(self) -> None:
        super().__init__()
        self.cache: dict[str, bytes] = {}

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.cache.setdefault(key, data)
        return super().put_if_absent(key, data)

    def get(self, key: str) -> bytes | None:
        return self.cache.get(key)


class Reverses(MemoryStore):
    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        return iter(sorted(super().list(prefix), reverse=True)[:limit])


class LosesLongNames(MemoryStore):
    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key[:200], data)


class IsText(MemoryStore):
    def put_if_absent(self, key: str, data: bytes) -> bool:
        return super().put_if_absent(key, data.replace(b"\r\n", b"\n"))


class HasAnotherTime(MemoryStore):
    def server_now(self) -> datetime:
        return datetime.now(UTC) + timedelta(minutes=5)


@pytest.mark.parametrize(
    ("broken", "found"),
    [
        (Overwrites, "second create"),
        (ListsLate, "list after create"),
        (ReadsFromACache, "list after delete"),
        (Reverses, "byte order"),
        (LosesLongNames, "odd keys"),
        (IsText, "read-back"),
        (HasAnotherTime, "clock"),
    ],
)
def test_each_broken_promise_is_found(broken: Callable[[], MemoryStore], found: str, tmp_path: Path) -> None:
    store = broken()
    result = check_datastore(workspace_over(tmp_path, source=store))
    assert not result.ok
    assert found in failed(result) - untried(result)
    if broken is not Reverses and broken is not LosesLongNames:
        assert store.records == {}


def test_a_second_create_that_wins_says_not_to_use_the_store(tmp_path: Path) -> None:
    result = check_datastore(workspace_over(tmp_path, source=Overwrites()))
    told = next(check.detail for check in result.checks if check.name == "second create")
    assert "Do not use this store" in told
    assert "byte order" in untried(result)


@pytest.mark.parametrize("verb", ["put_if_absent", "get", "list", "delete"])
def test_each_right_that_is_missing_is_named_and_the_others_are_not(verb: str, tmp_path: Path) -> None:
    store = MemoryStore()

    def denied(*args: object, **options: object) -> object:
        raise StoreAccessDenied("The policy lacks it")

    setattr(store, verb, denied)
    result = check_datastore(workspace_over(tmp_path, source=store))
    names = {"put_if_absent": "may create", "get": "may read", "list": "may list", "delete": "may delete"}
    assert (failed(result) - untried(result)) - {"clean-up"} == {names[verb]}


@pytest.mark.parametrize("error", [StoreUnavailable("No route"), StoreNotFound("No such bucket")])
def test_what_cannot_be_reached_is_not_examined_further(error: Exception, tmp_path: Path) -> None:
    store = MemoryStore()

    def fails(key: str) -> bytes | None:
        raise error

    store.get = fails  # type: ignore[method-assign]
    result = check_datastore(workspace_over(tmp_path, source=store))
    assert failed(result) - untried(result) == {"reachable"}
    assert len(untried(result)) == len(result.checks) - 1
    assert {check.detail for check in result.checks if check.skipped} == {
        "Skipped, because `reachable` failed."
    }


def nothing_to_ask_with() -> StoreAccessDenied:
    error = StoreAccessDenied("No credentials were found", hint="Provide some.")
    error.is_answer = False
    return error


def test_a_service_that_was_never_asked_is_not_told_to_be_reachable(tmp_path: Path) -> None:
    """Without credentials an SDK sends nothing: whether anything would have answered is not known."""

    class AsksNothing(MemoryStore):
        def get(self, key: str) -> bytes | None:
            raise nothing_to_ask_with()

    result = check_datastore(workspace_over(tmp_path, source=AsksNothing()))
    assert failed(result) - untried(result) == {"reachable"}
    assert result.checks[0].detail == "No credentials were found. Provide some."


def test_a_store_that_looks_for_credentials_as_it_is_opened_is_told_in_the_same_way(tmp_path: Path) -> None:
    def opener(setting: object) -> MemoryStore:
        raise nothing_to_ask_with()

    workspace = replace(workspace_over(tmp_path), opener=opener)
    result = check_datastore(workspace)
    assert (result.ok, failed(result) - untried(result)) == (False, {"reachable"})
    assert [check.name for check in result.checks[:3]] == ["reachable", "credentials", "may create"]


def test_a_reason_names_no_record_of_the_examination(tmp_path: Path) -> None:
    result = check_datastore(workspace_over(tmp_path, source=Overwrites()))
    assert not any("store-probes" in check.detail for check in result.checks)


def test_a_right_to_list_that_a_read_needs_too_is_no_fault_of_the_credentials(tmp_path: Path) -> None:
    """Where a service looks for the bucket before it says that a record is absent, both are refused."""

    class LooksForTheBucket(MemoryStore):
        def get(self, key: str) -> bytes | None:
            found = super().get(key)
            return found if found is not None else next(self.list(key))  # type: ignore[return-value]

        def list(
            self, prefix: str, *, start_after: str | None = None, limit: int | None = None
        ) -> Iterator[str]:
            raise StoreAccessDenied("The policy lacks it")

    result = check_datastore(workspace_over(tmp_path, source=LooksForTheBucket()))
    assert (failed(result) - untried(result)) - {"clean-up"} == {"may list"}


def test_credentials_that_are_good_for_nothing_are_told_once(tmp_path: Path) -> None:
    store = MemoryStore()

    def denied(*args: object, **options: object) -> object:
        raise StoreAccessDenied("The token has expired")

    for verb in ("put_if_absent", "get", "list", "delete"):
        setattr(store, verb, denied)
    result = check_datastore(workspace_over(tmp_path, source=store))
    assert failed(result) - untried(result) == {"credentials"}
