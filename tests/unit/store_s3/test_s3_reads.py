"""Reading, listing and deleting on S3: a record whole or none, pages as they are asked for, no stranger believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest
from s3_replies import OpenStore, refusal
from swamp_core.store import RecordTooLarge, StoreNotFound, StoreUnavailable
from swamp_core.store.keys import RECORD_BYTES_MAX
from swamp_store_s3.store import S3Store

from tests.servers.faults import Answer, DropReply, DropRequest, Fault, ResetInBody, Truncate, html
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import S3Server

GATEWAYS = (
    Answer(404),
    Answer(404, b"Not Found\n"),
    Answer(404, b'{"error":"not found"}', (("Content-Type", "application/json"),)),
    Answer(404, b'{"Code":"NoSuchKey"}', (("Content-Type", "application/json"),)),
)
"""What a program on the way says of a route that it has not got."""
LISTING = b"""<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">%s</ListBucketResult>"""


def methods(proxy: FaultProxy) -> list[str]:
    return [request.method for request in proxy.requests]


def test_each_verb_is_one_request(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """What is there and what is not cost the same."""
    store = open_s3()
    store.put_if_absent("a", b"mine")
    proxy.forget()
    assert store.get("a") == b"mine"
    assert store.get("b") is None
    assert list(store.list("", limit=1)) == ["a"]
    assert store.delete("b") is None
    assert store.delete("a") is None
    assert methods(proxy) == ["GET", "GET", "GET", "DELETE", "DELETE"]


@pytest.mark.parametrize(
    "fault", [Truncate(), ResetInBody(), DropReply(), DropRequest(), Answer(500)], ids=str
)
def test_a_reply_that_breaks_off_is_asked_for_again(
    open_s3: OpenStore, proxy: FaultProxy, fault: Fault
) -> None:
    """The record comes whole, at the second try."""
    store = open_s3()
    store.put_if_absent("a", bytes(range(256)) * 40)
    with proxy.failing("get", fault):
        assert store.get("a") == bytes(range(256)) * 40


def shortened(data: bytes) -> Answer:
    """A reply that lost half of the record on its way, from somebody who then counted what was left."""
    headers = {
        "ETag": '"1"',
        "x-amz-request-id": "1",
        "x-amz-meta-swamp-sha256": sha256(data).hexdigest(),
    }
    return Answer(200, data[: len(data) // 2], tuple(headers.items()))


def test_a_record_that_is_shortened_without_a_trace_is_asked_for_again(
    open_s3: OpenStore, proxy: FaultProxy, s3_server: S3Server, bucket: str
) -> None:
    """A service with an endpoint of its own need not give checksums: the record's own tells. Else a signal is lost."""
    store = open_s3()
    store.put_if_absent("a", b"accepted")
    with proxy.failing("get", shortened(b"accepted")):
        assert store.get("a") == b"accepted"
    with proxy.failing("get", shortened(b"accepted"), times=None), pytest.raises(StoreUnavailable):
        store.get("a")
    s3_server.put_object(bucket, "team/a", b"by another program")
    assert store.get("a") == b"by another program"


@pytest.mark.parametrize("fault", [Truncate(), ResetInBody(), DropRequest(), Answer(503)], ids=str)
def test_a_record_that_never_comes_whole_is_unavailable(
    open_s3: OpenStore, proxy: FaultProxy, fault: Fault
) -> None:
    """Part of a record is no record; six tries, with the waits between them, are what fits into three seconds."""
    store = open_s3()
    store.put_if_absent("a", bytes(10_000))
    proxy.forget()
    with proxy.failing("get", fault, times=None), pytest.raises(StoreUnavailable):
        store.get("a")
    assert methods(proxy) == ["GET"] * 6


@pytest.mark.parametrize(
    "page", [html(200), html(404), html(302), html(502), *GATEWAYS, Answer(200)], ids=str
)
def test_a_web_page_is_neither_a_record_nor_its_absence(
    open_s3: OpenStore, proxy: FaultProxy, page: Answer
) -> None:
    """A sign-in page of the network answers for S3: that is said."""
    store = open_s3()
    with proxy.failing("get", page, times=None), pytest.raises(StoreUnavailable) as raised:
        store.get("a")
    assert raised.value.hint


@pytest.mark.parametrize(
    "page",
    [
        html(200),
        html(404),
        Answer(200, b"<html><body>Hello</body></html>", (("Content-Type", "application/xml"),)),
        Answer(200, LISTING % b"<IsTruncated>true</IsTruncated>"),
    ],
    ids=str,
)
def test_a_web_page_is_no_empty_listing(open_s3: OpenStore, proxy: FaultProxy, page: Answer) -> None:
    """A reply that does not say whether there is more is no listing, nor is one that cannot be gone on with."""
    with (
        proxy.failing("list", page, times=None),
        pytest.raises(StoreUnavailable, match="Something else than S3"),
    ):
        list(open_s3().list(""))


def test_a_listing_that_goes_round_in_circles_ends(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """A service that gives the same place to go on from twice would be asked for ever."""
    more = b"<IsTruncated>true</IsTruncated><NextContinuationToken>again</NextContinuationToken>"
    answer = Answer(200, LISTING % more)
    with proxy.failing("list", answer, times=None), pytest.raises(StoreUnavailable):
        list(open_s3(endpoint_url=None).list(""))
    assert len(proxy.requests) == 2


@pytest.mark.parametrize(
    "page", [html(200), html(404), html(302), *GATEWAYS, Answer(200), Answer(202)], ids=str
)
def test_a_web_page_deletes_nothing(open_s3: OpenStore, proxy: FaultProxy, page: Answer) -> None:
    """A delete that no S3 has confirmed is not done."""
    store = open_s3()
    store.put_if_absent("a", b"here")
    with proxy.failing("delete", page, times=None), pytest.raises(StoreUnavailable):
        store.delete("a")
    assert store.get("a") == b"here"


def test_a_delete_of_what_is_not_there_is_done_whatever_the_service_calls_it(
    open_s3: OpenStore, proxy: FaultProxy
) -> None:
    """S3 says 204; some others say 404, of the key. Of the bucket, it is an error."""
    with proxy.failing("delete", refusal(404, "NoSuchKey")):
        open_s3().delete("a")
    with proxy.failing("delete", refusal(404, "NoSuchBucket")), pytest.raises(StoreNotFound):
        open_s3().delete("a")


@pytest.mark.parametrize("fault", [DropReply(), DropRequest(), Answer(500)], ids=str)
def test_lists_and_deletes_are_tried_again(open_s3: OpenStore, proxy: FaultProxy, fault: Fault) -> None:
    """Both may be repeated."""
    store = open_s3()
    store.put_if_absent("a", b"here")
    with proxy.failing("list", fault):
        assert list(store.list("")) == ["a"]
    with proxy.failing("delete", fault):
        store.delete("a")
    assert store.get("a") is None


def test_what_is_too_large_for_a_record_is_not_read(
    open_s3: OpenStore, bucket: str, s3_server: S3Server
) -> None:
    """Somebody else's object of any size takes no memory."""
    s3_server.put_object(bucket, "team/a", bytes(RECORD_BYTES_MAX + 1))
    with pytest.raises(RecordTooLarge, match=f"{RECORD_BYTES_MAX + 1} bytes"):
        open_s3().get("a")


def test_names_that_are_no_keys_are_left_out(open_s3: OpenStore, bucket: str, s3_server: S3Server) -> None:
    """The console makes marks for folders; other programs have capitals. A limit counts keys alone."""
    for name in ("team/", "team/a/", "team/Readme.txt", "team/a/b", "team/c", "team-2/d", "e"):
        s3_server.put_object(bucket, name, b"")
    store = open_s3()
    assert list(store.list("")) == ["a/b", "c"]
    assert list(store.list("", limit=1)) == ["a/b"]
    assert list(store.list("", start_after="a/b", limit=1)) == ["c"]


def test_a_listing_asks_for_no_more_than_it_yields(open_s3: OpenStore, proxy: FaultProxy) -> None:
    """A limit, and a place to start after, are the service's to keep."""
    store = open_s3()
    for number in range(4):
        store.put_if_absent(f"a/{number}", b"")
    proxy.forget()
    assert list(store.list("a/", start_after="a/0", limit=2)) == ["a/1", "a/2"]
    listing = next(request.path for request in proxy.requests if request.verb == "list")
    assert "max-keys=2" in listing
    assert "start-after=team%2Fa%2F0" in listing
    assert "prefix=team%2Fa%2F" in listing


def test_a_bucket_without_a_prefix_is_a_store_too(
    open_s3: OpenStore, bucket: str, s3_server: S3Server
) -> None:
    """The keys are the names of the objects."""
    store = open_s3("")
    assert store.put_if_absent("a/b", b"mine") is True
    assert s3_server.names(bucket) == ["a/b"]
    assert list(store.list("")) == list(store.list("a")) == ["a/b"]


def test_a_versioned_bucket_is_a_store_too(open_s3: OpenStore, bucket: str, s3_server: S3Server) -> None:
    """A delete leaves a marker, under which there is nothing: not read, not listed, and free to be created."""
    versioning = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    assert s3_server.request("PUT", f"/{bucket}?versioning", versioning).status == 200
    store = open_s3()
    for record in (b"first", b"second"):
        assert store.put_if_absent("a", record) is True
        assert store.put_if_absent("a", b"late") is False
        assert store.get("a") == record
        store.delete("a")
        store.delete("a")
        assert store.get("a") is None
        assert list(store.list("")) == []
    versions = s3_server.request("GET", f"/{bucket}?versions").body
    assert versions.count(b"<DeleteMarker>") >= 2, "The test did not meet a delete marker."


def test_the_service_tells_the_time(open_s3: OpenStore) -> None:
    """To the second, in one request."""
    store = open_s3().unchecked
    assert isinstance(store, S3Store)
    now = store.server_now()
    assert now is not None
    assert abs(now - datetime.now(UTC)) < timedelta(minutes=1)
