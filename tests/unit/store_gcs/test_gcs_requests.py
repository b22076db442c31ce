"""What goes over the wire: how many requests, and what each says."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from gcs_site import Site
from swamp_core.store import CheckedStore, StoreNotFound
from swamp_core.store.probing import server_now

from tests.servers.faults import DropReply, Duplicate

OVER_8_MIB = b"x" * (8 * 1024 * 1024 + 1)


def query(path: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(path).query)


def test_each_verb_is_one_request(site: Site) -> None:
    """A store that has just been opened asks nothing but what it is asked."""
    site.put("there", b"there")
    counted = {
        "create": (lambda store: store.put_if_absent("new", b"new"), ["POST"]),
        "get": (lambda store: store.get("there"), ["GET"]),
        "list": (lambda store: list(store.list("", limit=1)), ["GET"]),
        "list after": (lambda store: list(store.list("", start_after="new", limit=1)), ["GET"]),
        "delete": (lambda store: store.delete("there"), ["DELETE"]),
    }
    for do, methods in counted.values():
        do(site.open())
        assert site.methods() == methods


def test_a_lost_create_is_two_requests(site: Site, store: CheckedStore) -> None:
    """The upload, and the read that says whose record is there."""
    assert store.put_if_absent("key", b"mine")
    site.methods()
    assert store.put_if_absent("key", b"mine") is False
    assert site.methods() == ["POST", "GET"]


def test_a_lost_reply_costs_one_more_upload_and_one_read(site: Site, store: CheckedStore) -> None:
    """The second upload carries the put-id of the first, so the read can tell that the record is ours."""
    with site.proxy.failing("put_if_absent", DropReply()):
        assert store.put_if_absent("key", b"mine")
    assert site.methods() == ["POST", "POST", "GET"]


def test_a_doubled_create_is_won(site: Site, store: CheckedStore) -> None:
    """A hop may send a request twice, and let us see only the refusal of the second."""
    with site.proxy.failing("put_if_absent", Duplicate("second")):
        assert store.put_if_absent("key", b"mine")
    assert site.methods() == ["POST", "GET"]


def test_a_create_has_one_condition_and_no_other_request_has_any(site: Site, store: CheckedStore) -> None:
    """`ifGenerationMatch=0` alone; a read on a condition could be refused, and nothing here knows what of it."""
    store.put_if_absent("key", b"")
    store.get("key")
    list(store.list(""))
    store.delete("key")
    create, *others = [query(request.path) for request in site.proxy.requests]
    assert create["ifGenerationMatch"] == ["0"]
    conditions = [name for asked in (create, *others) for name in asked if name.startswith("if")]
    assert conditions == ["ifGenerationMatch"]


def test_a_create_over_8_mib_is_on_the_same_condition(site: Site, store: CheckedStore) -> None:
    """The SDK announces it first; the condition goes with the announcement."""
    assert store.put_if_absent("large", OVER_8_MIB)
    first, *_ = site.proxy.requests
    assert query(first.path)["ifGenerationMatch"] == ["0"]
    assert site.methods() == ["POST", "PUT"]
    assert store.get("large") == OVER_8_MIB


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.put_if_absent("key", b""),
        lambda store: store.get("key"),
        lambda store: list(store.list("key")),
        lambda store: store.delete("key"),
    ],
    ids=["put_if_absent", "get", "list", "delete"],
)
def test_a_missing_bucket_is_found_out_by_each_verb(
    site: Site, call: Callable[[CheckedStore], object]
) -> None:
    """It is never an empty store, also where a 404 does not say what is missing."""
    with pytest.raises(StoreNotFound, match="There is no such bucket"):
        call(site.open("nobodys"))


def test_a_page_is_as_small_as_the_limit_and_holds_names_alone(site: Site, store: CheckedStore) -> None:
    """Nothing is sent that nobody asked for."""
    for number in range(5):
        site.put(f"key/{number}", b"")
    assert list(store.list("key/", start_after="key/1", limit=2)) == ["key/2", "key/3"]
    (request,) = site.proxy.requests
    asked = query(request.path)
    assert asked["maxResults"] == ["3"], "Where a listing starts is counted, and left out."
    assert asked["startOffset"] == ["team/key/1"]
    assert asked["fields"] == ["kind,items(name),nextPageToken"]


def test_a_page_is_asked_for_when_the_listing_comes_to_it(site: Site, store: CheckedStore) -> None:
    """A listing that is left early asks no further."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: site.put(f"key/{number:04}", b""), range(1001)))
    listing = store.list("key/")
    assert [next(listing) for _ in range(1000)][-1] == "key/0999"
    assert site.methods() == ["GET"]
    assert list(listing) == ["key/1000"]
    assert site.methods() == ["GET"]


def test_what_is_no_record_is_not_listed_and_takes_nobody_s_place(site: Site, store: CheckedStore) -> None:
    """Another program's objects, and the placeholder that a console makes of a folder, are no keys."""
    for name in ("team/", "team/A", "team/a/", "team/b c", "team/d", "team/e", "team-2/f"):
        site.server.put_object(site.bucket, name, b"")
    assert list(store.list("")) == ["d", "e"]
    assert list(store.list("", limit=2)) == ["d", "e"]


def test_a_store_without_a_prefix_has_the_whole_bucket(site: Site) -> None:
    """Its keys are the objects' names."""
    store = site.open(prefix="")
    assert store.put_if_absent("a/b", b"")
    assert list(store.list("")) == site.server.names(site.bucket) == ["a/b"]


def test_the_pool_is_as_wide_as_a_fan_out(
    site: Site, store: CheckedStore, caplog: pytest.LogCaptureFixture
) -> None:
    """No connection is thrown away and made again while 32 threads read."""
    site.put("there", b"there")
    with ThreadPoolExecutor(32) as pool:
        assert set(pool.map(store.get, ["there"] * 128)) == {b"there"}
    assert "pool is full" not in caplog.text


def test_the_service_tells_the_time(site: Site, store: CheckedStore) -> None:
    """To the second, in one request; the doctor measures the skew of clocks by it."""
    now = server_now(store)
    assert now is not None
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)
    assert site.methods() == ["GET"]
