"""The S3 store: records are objects, a create is a conditional put, and S3 decides who wins.

`S3Store` keeps the promises of `SignalWaitStore`. How the SDK is asked is in `client`, what its answers mean in
`errors`, pages of keys in `listing`, and what a create makes of a lost reply in `swamp_core.store.creating`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import datetime
from hashlib import sha256
from itertools import chain, islice
from typing import TYPE_CHECKING, TypeVar
from uuid import uuid4

from botocore.exceptions import ClientError
from swamp_core.store.creating import Landed, Pace, Patience, Reply, Stored, Unclear, create
from swamp_core.store.errors import RecordTooLarge, StoreError, StoreUnavailable
from swamp_core.store.keys import RECORD_BYTES_MAX, is_key
from swamp_core.store.probing import PROBES, Note, read_note
from swamp_core.store.repeating import repeated
from swamp_core.store.service_clock import date_said

from swamp_store_s3.errors import code_of, create_reply, foreign, is_deleted, is_foreign, translated
from swamp_store_s3.listing import Page, page_of, pages

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import (
        GetObjectOutputTypeDef,
        HeadObjectOutputTypeDef,
        ListObjectsV2RequestTypeDef,
        PutObjectOutputTypeDef,
    )

T = TypeVar("T")

PUT_ID = "swamp-put-id"
"""The name of the metadata that holds a record's put-id."""
SHA256 = "swamp-sha256"
"""The name of the metadata that holds the checksum of a record, for services that keep none."""


class S3Store:
    """A store in a bucket of S3, or of a service that keeps S3's promises.

    What the service must offer: `PutObject` with `If-None-Match: *` that lets exactly one of several creates
    win, also at the same moment, and replies that hold from then on for every reader. S3 promises both
    (https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-writes.html,
    https://docs.aws.amazon.com/AmazonS3/latest/userguide/Welcome.html#ConsistencyModel). Other services may
    ignore or refuse the header: `swamp datastore check` tells.

    What it costs: a create, a get and a delete are one request each, a listing one for each thousand keys. A
    create that loses, or whose reply was lost, is two or more: it looks whose record is there. Requests that fail
    are sent again for half a minute at most.

    A versioned bucket works. A delete leaves a delete marker there, and old versions stay until a lifecycle
    rule for noncurrent versions takes them. No rule may expire or archive current versions, and no other
    writer may overwrite records.

    Objects under the prefix whose names are no keys, such as the marks of folders, are left out of listings.
    Directory buckets (S3 Express) list in no order, and are refused.
    """

    def __init__(
        self,
        client: S3Client,
        bucket: str,
        prefix: str = "",
        *,
        endpoint_url: str | None = None,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._client = client
        self._bucket = bucket
        self._start = f"{prefix}/" if prefix else ""
        self._service = endpoint_url
        self._note: Note | None = None
        self._patience = patience or Patience()
        self._pace = pace or Pace()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`.

        1. The put is conditional and sent once: 200 with an ETag is a win (`send`).
        2. 412 says that a record is there; whose, the put-id in its metadata says (`stored`).
        3. 409, which S3 says when another request for the key came in between, and "slow down" stored nothing;
           they, and what is not known, are sent again with the same put-id.
        4. When the patience ends in doubt, that is said: `OutcomeUnknown`, never a guess.
        """
        return create(
            lambda put_id: self.send(key, data, put_id),
            lambda: self.stored(key),
            put_id=uuid4().hex,
            patience=self._patience,
            pace=self._pace,
        )

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`. A reply that breaks off is asked for again."""
        return self._ask("get", lambda: self._read(key))

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. A page is asked for when the listing comes to it."""
        return islice(self._keys(prefix, start_after, limit), limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`."""
        self._ask("delete", lambda: self._delete(key))

    def send(self, key: str, data: bytes, put_id: str) -> Reply:
        """One attempt of a create, and what its reply means."""
        try:
            reply = self._client.put_object(
                Bucket=self._bucket,
                Key=self._start + key,
                Body=data,
                ContentType="application/octet-stream",
                IfNoneMatch="*",
                Metadata={PUT_ID: put_id, SHA256: sha256(data).hexdigest()},
            )
            _check_object(reply)
        except StoreError as error:
            return Unclear(error)
        except Exception as error:  # The SDK promises no class of its own for what goes wrong in it.
            return create_reply(error)
        return Landed()

    def stored(self, key: str) -> Stored | None:
        """The put-id of the record that is there."""
        with translated("read_back"):
            try:
                reply = self._client.head_object(Bucket=self._bucket, Key=self._start + key)
            except ClientError as error:
                if code_of(error) == "404":  # The reply to a HEAD has no body, and so no code.
                    return None
                raise
            _check_object(reply)
            return Stored(reply["Metadata"].get(PUT_ID))

    def server_now(self) -> datetime | None:
        """What time it is on the service, to the second. It costs one request."""
        reply = self._ask(
            "list",
            lambda: self._client.list_objects_v2(Bucket=self._bucket, Prefix=self._start, MaxKeys=1),
        )
        return date_said(reply["ResponseMetadata"]["HTTPHeaders"].get("date"))

    def _read(self, key: str) -> bytes | None:
        try:
            reply = self._client.get_object(Bucket=self._bucket, Key=self._start + key)
        except ClientError as error:
            if code_of(error) == "NoSuchKey":
                return None
            raise
        with closing(reply["Body"]) as body:
            _check_object(reply)
            _check_size(reply)
            data = body.read()  # It raises when fewer bytes come than the reply has said.
        if reply["Metadata"].get(SHA256, "") not in ("", sha256(data).hexdigest()):
            raise StoreUnavailable("What came back is not the record that was stored")
        return data

    def _delete(self, key: str) -> None:
        try:
            reply = self._client.delete_object(Bucket=self._bucket, Key=self._start + key)
        except ClientError as error:
            if code_of(error) != "NoSuchKey":  # S3 itself does not say that.
                raise
        else:
            if not is_deleted(reply["ResponseMetadata"]):
                raise foreign("what it gave is no word of a delete")

    def _page(self, request: ListObjectsV2RequestTypeDef) -> Page:
        return self._ask("list", lambda: page_of(self._client.list_objects_v2(**request)))

    def _keys(self, prefix: str, start_after: str | None, limit: int | None) -> Iterator[str]:
        after = None if start_after is None else self._start + start_after
        for name in self._names(self._start + prefix, after, limit):
            key = name.removeprefix(self._start)
            if is_key(key):
                yield key

    def _names(self, prefix: str, after: str | None, limit: int | None) -> Iterator[str]:
        """The names of objects in byte order, whatever order the service has.

        A service that may have another one is asked for whole prefixes until it has been seen to have this one: a
        part of a listing is the part that its own order makes.
        """
        found = pages(self._page, self._bucket, prefix, start_after=after, limit=limit)
        first = next(found)
        if self._service and after is None and first.next_token is None:
            yield from sorted(first.names)
        elif self._service and not self._is_in_order(self._service, prefix):
            whole = pages(self._page, self._bucket, prefix)
            names = sorted(chain.from_iterable(page.names for page in whole))
            yield from (name for name in names if after is None or name > after)
        else:
            yield from first.names
            yield from chain.from_iterable(page.names for page in found)

    def _is_in_order(self, service: str, prefix: str) -> bool:
        """Whether the service was seen to list in byte order, asked until there is a note of it.

        Where it is tried, what it lists is given as it comes.
        """
        if prefix.startswith(self._start + PROBES):
            return True
        if self._note is None:
            self._note = read_note(self, service)
        return self._note is not None and self._note.byte_order

    def _ask(self, verb: str, request: Callable[[], T]) -> T:
        """The result of a request that may be repeated."""
        return repeated(translated(verb)(request), patience=self._patience, pace=self._pace)


def _check_object(
    reply: GetObjectOutputTypeDef | HeadObjectOutputTypeDef | PutObjectOutputTypeDef,
) -> None:
    """Raise when a success does not speak of an object: somebody else than S3 gave it."""
    if not reply.get("ETag") or is_foreign(reply["ResponseMetadata"]):
        raise foreign("what it gave is no object")


def _check_size(reply: GetObjectOutputTypeDef) -> None:
    """Raise before an object is read that is larger than any record."""
    length = reply.get("ContentLength", 0)
    if length > RECORD_BYTES_MAX:
        raise RecordTooLarge(f"The object has {length} bytes")
