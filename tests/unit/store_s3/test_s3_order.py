"""Services that list in another order than by bytes: what is yielded is in byte order all the same."""

from __future__ import annotations

from dataclasses import dataclass, field
from io import BytesIO
from typing import Any

import pytest
from botocore.exceptions import ClientError
from hypothesis import given
from hypothesis import strategies as st
from s3_replies import ELSEWHERE
from swamp_core.store.probing import PROBES, Note, note_key
from swamp_store_s3.store import S3Store

NOTE_KEY = note_key(ELSEWHERE)
KEYS = ["a-b", "a.b", "a/b", "a/c", "a0b", "b"]


@dataclass
class FolderByFolder:
    """A service that lists folder by folder: `a/b` before `a-b`. Its pages have at most `page` names."""

    objects: dict[str, bytes]
    page: int = 1000
    asked: list[str] = field(default_factory=list)

    def list_objects_v2(self, **request: Any) -> dict[str, Any]:
        self.asked.append("list")
        names = sorted(
            (name for name in self.objects if name.startswith(request["Prefix"])),
            key=lambda name: name.split("/"),
        )
        after = request.get("ContinuationToken") or request.get("StartAfter") or ""
        names = [name for name in names if name.split("/") > after.split("/")]
        most = min(request["MaxKeys"], self.page)
        reply: dict[str, Any] = {
            "Contents": [{"Key": name} for name in names[:most]],
            "IsTruncated": len(names) > most,
        }
        return reply | ({"NextContinuationToken": names[most - 1]} if len(names) > most else {})

    def get_object(self, **request: Any) -> dict[str, Any]:
        self.asked.append("get")
        if request["Key"] not in self.objects:
            reply: Any = {"Error": {"Code": "NoSuchKey"}, "ResponseMetadata": {"HTTPStatusCode": 404}}
            raise ClientError(reply, "GetObject")
        return {
            "Body": BytesIO(self.objects[request["Key"]]),
            "ETag": '"1"',
            "Metadata": {},
            "ResponseMetadata": {},
        }


def opened(service: Any, *, endpoint_url: str | None = ELSEWHERE) -> S3Store:
    return S3Store(service, "bucket", "team", endpoint_url=endpoint_url)


def service_with(keys: list[str], note: Note | None, page: int = 1000) -> FolderByFolder:
    objects = {f"team/{key}": b"" for key in keys}
    if note is not None:
        objects[f"team/{NOTE_KEY}"] = note.encode()
    return FolderByFolder(objects, page)


def test_a_listing_that_comes_whole_is_sorted() -> None:
    """One request, and no look for a note."""
    service = service_with(KEYS, None)
    assert list(opened(service).list("")) == KEYS
    assert service.asked == ["list"]


@given(
    keys=st.sets(st.sampled_from([*KEYS, "a", "a/b/c", "a-b/c", "b/a", "b-a"])),
    prefix=st.sampled_from(["", "a", "a/", "b"]),
    after=st.sampled_from([None, "a", "a-b", "a/b", "b"]),
    limit=st.sampled_from([None, 1, 2, 5]),
    page=st.integers(1, 4),
)
def test_where_a_note_says_so_any_listing_is_sorted(
    keys: set[str], prefix: str, after: str | None, limit: int | None, page: int
) -> None:
    """Whatever is asked for, it is what a sorted list would give."""
    service = service_with(sorted(keys), Note(ELSEWHERE, byte_order=False), page)
    listed = list(opened(service).list(prefix, start_after=after, limit=limit))
    matching = sorted(key for key in {*keys, NOTE_KEY} if key.startswith(prefix) and key > (after or ""))
    assert listed == matching[:limit]


def test_the_note_is_read_once() -> None:
    """It does not change, so a second listing does not ask again."""
    service = service_with(KEYS, Note(ELSEWHERE, byte_order=True))
    store = opened(service)
    for _ in range(3):
        assert len(list(store.list("a", limit=2))) == 2
    assert service.asked == ["list", "get", "list", "list"]


def test_a_note_that_is_not_there_yet_is_looked_for_again() -> None:
    """Until then it may list in any order, so that its listings are sorted. The first run writes the note."""
    service = service_with(KEYS, None)
    store = opened(service)
    assert list(store.list("b", limit=1)) == ["b"]
    assert list(store.list("a", limit=1)) == ["a-b"]
    assert service.asked == ["list", "list", "get", "list"]
    service.objects[f"team/{NOTE_KEY}"] = Note(ELSEWHERE, byte_order=True).encode()
    for _ in range(2):
        assert list(store.list("a", limit=1)) == ["a/b"]
    assert service.asked[4:] == ["list", "get", "list"]


@pytest.mark.parametrize("limit", [None, 1])
def test_aws_itself_is_never_asked_for_a_note(limit: int | None) -> None:
    """It promises byte order."""
    service = service_with(["b"], Note(ELSEWHERE, byte_order=False))
    assert [*opened(service, endpoint_url=None).list("", start_after="a", limit=limit)][:1] == ["b"]
    assert service.asked == ["list"]


@pytest.mark.parametrize(
    "foreign",
    [
        {note_key("http://elsewhere.example"): Note("http://elsewhere.example", byte_order=True).encode()},
        {NOTE_KEY: Note("http://elsewhere.example", byte_order=True).encode()},
        {NOTE_KEY: b"{"},
        {"store-probe": b'{"format":1,"kind":"store-probe","byteOrder":true}'},
    ],
    ids=["another service's", "another service's under this one's key", "unreadable", "of no service"],
)
def test_a_note_of_another_service_is_not_trusted(foreign: dict[str, bytes]) -> None:
    """It came with the records when a bucket was copied: this service may list in any order, so that is sorted."""
    service = service_with(KEYS, None)
    service.objects |= {f"team/{key}": data for key, data in foreign.items()}
    assert list(opened(service).list("a", limit=1)) == ["a-b"]


def test_where_the_service_is_tried_its_listings_are_given_as_they_come() -> None:
    """Else a listing that is sorted here would be taken for one in byte order there."""
    service = service_with([f"{PROBES}x/{key}" for key in KEYS], None)
    assert list(opened(service).list(f"{PROBES}x/a", limit=1)) == [f"{PROBES}x/a/b"]
    assert service.asked == ["list"]
