"""The GCS store: records are objects, a create is an upload on condition, and the service decides who wins.

`GcsStore` keeps the promises of `SignalWaitStore`. How a request is made is in `client`, what a failure means in
`errors`, and how a create learns whether it won in `swamp_core.store.creating`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from typing import TypeVar
from uuid import uuid4

from google.api_core.exceptions import NotFound, PreconditionFailed
from swamp_core.store.creating import (
    Exists,
    Landed,
    NotLanded,
    Pace,
    Patience,
    Reply,
    Stored,
    Unclear,
    create,
)
from swamp_core.store.errors import StoreUnavailable
from swamp_core.store.keys import is_key
from swamp_core.store.repeating import repeated
from swamp_core.store.service_clock import date_said

from swamp_store_gcs.client import PAGE_NAMES_MAX, Bucket
from swamp_store_gcs.errors import (
    Missing,
    NotTheService,
    Verb,
    meaning_of,
    missing,
    store_error,
    translated,
)

T = TypeVar("T")


class GcsStore:
    """A store in a bucket of Google Cloud Storage, or under a prefix of one.

    What the bucket must offer: the permissions storage.objects.create, get, list and delete, and no retention
    policy or hold, which would refuse deletes. Versioning and soft delete do no harm: only live objects are
    seen, and old ones cost what they cost. A life-cycle rule that deletes objects deletes records, which
    nothing here can tell from a bug. Objects that are no records (another program's, a folder's placeholder)
    are not listed.

    What it costs: one request for a create, a read and a delete, and one for each page of a thousand names. A
    create that finds a record takes a second one, to read whose it is. Over 8 MiB the SDK makes two of a
    create. Another service that does not say what it did not find is asked for a listing then. One object's
    name takes about one write a second: a key that is deleted and created faster waits
    (https://cloud.google.com/storage/quotas). Requests that fail are sent again for half a minute at most.

    What another service at `endpoint_url` must do: honour `ifGenerationMatch=0`, also for uploads over 8 MiB,
    and give generations and CRC32C checksums in its replies. One that ignores the condition lets two creates
    win, and this store cannot see it.
    """

    def __init__(
        self,
        bucket: Bucket,
        start: str = "",
        *,
        patience: Patience | None = None,
        pace: Pace | None = None,
    ) -> None:
        self.bucket = bucket
        self._start = start
        self._patience = patience or Patience()
        self._pace = pace or Pace()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        """See `SignalWaitStore.put_if_absent`. The story of a lost reply is in `swamp_core.store.creating`."""
        name = self._start + key
        return create(
            lambda put_id: self._send(name, data, put_id),
            lambda: self._stored(name),
            put_id=uuid4().hex,
            patience=self._patience,
            pace=self._pace,
        )

    def get(self, key: str) -> bytes | None:
        """See `SignalWaitStore.get`. The bytes have the checksum that the service keeps of them."""
        return self._ask("get", lambda: self._unless_absent(self._start + key, self.bucket.read))

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        """See `SignalWaitStore.list`. A page is asked for when the listing comes to it."""
        return islice(self._keys(prefix, start_after, limit), limit)

    def delete(self, key: str) -> None:
        """See `SignalWaitStore.delete`. What a repeated delete does not find any more is gone."""
        self._ask("delete", lambda: self._unless_absent(self._start + key, self.bucket.delete))

    def server_now(self) -> datetime | None:
        """What time it is on the service, to the second. It costs one request."""
        return date_said(self._ask("list", lambda: self.bucket.date(self._start)))

    def close(self) -> None:
        """Close the connections to the service. Nothing is lost if this is left out."""
        self.bucket.close()

    def _send(self, name: str, data: bytes, put_id: str) -> Reply:
        """One attempt of a create, and what its reply means."""
        try:
            self.bucket.create(name, data, put_id)
        except PreconditionFailed:
            return Exists()
        except Exception as error:
            cause = store_error(error, "put_if_absent")
            if not isinstance(cause, StoreUnavailable):
                raise cause from error
            return Unclear(cause) if meaning_of(error, "put_if_absent").in_doubt else NotLanded(cause)
        return Landed()

    def _stored(self, name: str) -> Stored | None:
        with translated("put_if_absent"):
            return self._unless_absent(name, lambda name: Stored(self.bucket.put_id_of(name)))

    def _keys(self, prefix: str, start_after: str | None, limit: int | None) -> Iterator[str]:
        start = None if start_after is None else self._start + start_after
        names_max = PAGE_NAMES_MAX if limit is None else limit + (start is not None)
        token: str | None = None
        while True:
            page = self._ask(
                "list",
                lambda token=token: self.bucket.page(  # type: ignore[misc]
                    self._start + prefix, names_max=names_max, start=start, token=token
                ),
            )
            keys = (name.removeprefix(self._start) for name in page.names if name != start)
            yield from filter(is_key, keys)
            token = page.next_token
            if token is None:
                return

    def _unless_absent(self, name: str, request: Callable[[str], T]) -> T | None:
        """What the request gives, or None when the service says that there is no such object.

        A missing bucket is a 404 too, and so is a gateway that finds no way to the service for a moment. Where the
        reply does not say that it is the object, a listing does: nobody else answers one.
        """
        try:
            return request(name)
        except NotFound as error:
            match missing(error):
                case Missing.SOMETHING_ELSE:
                    raise
                case Missing.NOT_SAID if self.bucket.lists(name):
                    raise NotTheService("An object is listed, and was not found") from error
        return None

    def _ask(self, verb: Verb, request: Callable[[], T]) -> T:
        """The result of a request that may be repeated."""
        return repeated(translated(verb)(request), patience=self._patience, pace=self._pace)
