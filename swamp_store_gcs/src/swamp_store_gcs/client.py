"""The bucket, as the SDK reaches it: one call here is one request, with all stated that a default could change.

The SDK never repeats a request: it would take an "exists" that speaks of its own lost create for a failure, and
it leaves the checksum of a resumed download unread. What may be sent again is decided by the store, from the
table in `errors`. A reply counts only if it says what Cloud Storage alone says: a generation, a checksum, the
kind of a listing. What the SDK raises passes through; the store translates it.
"""

from __future__ import annotations

import base64
import os
import warnings
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import google.auth
import google_crc32c
from google.auth.credentials import AnonymousCredentials
from google.auth.environment_vars import CREDENTIALS
from google.auth.exceptions import RefreshError, TransportError
from google.auth.transport.requests import AuthorizedSession
from google.cloud import storage  # type: ignore[import-untyped]
from requests import Response, codes
from requests.adapters import HTTPAdapter
from swamp_core.store.errors import RecordTooLarge
from swamp_core.store.keys import RECORD_BYTES_MAX

from swamp_store_gcs.errors import NotTheService, translated, unusable_file
from swamp_store_gcs.options import GcsOptions

PUT_ID = "swamp-put-id"
CONNECT_S = 5.0
READ_S = 20.0
CONNECTIONS_MAX = 64
PAGE_NAMES_MAX = 1000

_SCOPE = "https://www.googleapis.com/auth/devstorage.read_write"
_PAGE_FIELDS = "kind,items(name),nextPageToken"


@dataclass(frozen=True, slots=True)
class Page:
    """Some names of a listing, and the token of the next page; None when this is the last one."""

    names: list[str]
    next_token: str | None


class Bucket:
    """A bucket and its objects by name."""

    def __init__(self, bucket: Any, *, connect_s: float = CONNECT_S, read_s: float = READ_S) -> None:
        self._bucket = bucket
        self._each: dict[str, Any] = {"timeout": (connect_s, read_s), "retry": None}

    def create(self, name: str, data: bytes, put_id: str) -> None:
        """Create the object unless there is a live one of this name, which is `PreconditionFailed` (412).

        `ifGenerationMatch=0` is that condition (https://cloud.google.com/storage/docs/request-preconditions),
        and the only one: an object that is absent has no metageneration to compare. The checksum is for the
        service to compare. Over 8 MiB the SDK sends two requests, and announces the condition in the first.
        """
        blob = self._bucket.blob(name)
        blob.metadata = {PUT_ID: put_id}
        blob.crc32c = _checksum(data)
        blob.upload_from_string(
            data,
            content_type="application/octet-stream",
            if_generation_match=0,
            checksum=None,  # the SDK's own would delete, by name alone, what it takes for damaged
            **self._each,
        )
        if blob.generation is None or (blob.metadata or {}).get(PUT_ID) != put_id:
            raise NotTheService("The reply to the upload does not describe the new object")

    def put_id_of(self, name: str) -> str | None:
        """The put-id beside the object that is there; None when it has none."""
        blob = self._bucket.blob(name)
        blob.reload(**self._each)
        if blob.generation is None:
            raise NotTheService("The reply does not describe an object")
        put_id = (blob.metadata or {}).get(PUT_ID)
        return put_id if isinstance(put_id, str) else None

    def read(self, name: str) -> bytes:
        """The object's bytes, which have the checksum that came with them."""
        blob = self._bucket.blob(name)
        whole = _Whole()
        blob.download_to_file(whole, checksum="crc32c", **self._each)
        if blob.generation is None or blob.crc32c is None:
            raise NotTheService("The reply names no generation and no checksum")
        return whole.getvalue()

    def page(
        self, prefix: str, *, names_max: int, start: str | None = None, token: str | None = None
    ) -> Page:
        """At most so many names with this prefix, from `start` (and `start` itself) or a page's token on.

        Names come in the order of their bytes
        (https://cloud.google.com/storage/docs/json_api/v1/objects/list), and show each create and delete that
        returned before (https://cloud.google.com/storage/docs/consistency).
        """
        iterator = self._bucket.list_blobs(
            prefix=prefix or None,
            start_offset=start,
            page_size=min(names_max, PAGE_NAMES_MAX),
            page_token=token,
            fields=_PAGE_FIELDS,
            **self._each,
        )
        page = next(iterator.pages)
        if page.raw_page.get("kind") != "storage#objects":
            raise NotTheService("The reply is no listing of objects")
        if token is not None and iterator.next_page_token == token:
            raise NotTheService("The listing does not go on where it says that there is more")
        return Page([blob.name for blob in page], iterator.next_page_token)

    def lists(self, name: str) -> bool:
        """Whether a listing has the object, which no reply but Cloud Storage's own tells. It costs one request."""
        token: str | None = None
        while True:
            page = self.page(name, names_max=1, token=token)
            if page.names or page.next_token is None:
                return name in page.names
            token = page.next_token

    def date(self, prefix: str) -> str | None:
        """What the service writes as the date of its reply to one listing, which costs one request."""
        dates: list[str | None] = []
        hooks = self._bucket.client._http.hooks["response"]  # the SDK gives no reply's headers
        hook = lambda reply, *_, **__: dates.append(reply.headers.get("Date"))  # noqa: E731 - it is removed again
        hooks.append(hook)
        try:
            self.page(prefix, names_max=1)
        finally:
            hooks.remove(hook)
        return dates[-1]

    def delete(self, name: str) -> None:
        """Delete the live object of this name; `NotFound` when there is none."""
        self._bucket.blob(name).delete(**self._each)

    def close(self) -> None:
        """Close the connections."""
        self._bucket.client.close()


class _Whole(BytesIO):
    """What has come of an object. One that is larger than any record ends here, before it fills the memory."""

    def write(self, data: Any) -> int:
        """See `BytesIO.write`."""
        if self.tell() + len(data) > RECORD_BYTES_MAX:
            raise RecordTooLarge(f"The object has more than {RECORD_BYTES_MAX} bytes")
        return super().write(data)


def open_bucket(options: GcsOptions, *, connect_s: float = CONNECT_S, read_s: float = READ_S) -> Bucket:
    """The bucket of these options, with Google's application default credentials, or none over plain HTTP."""
    with translated(None):
        credentials = _credentials(options)
        client = storage.Client(
            project=options.project,
            credentials=credentials,
            _http=_session(credentials, read_s),
            client_options={
                "api_endpoint": options.endpoint_url or f"https://storage.{credentials.universe_domain}",
                "universe_domain": credentials.universe_domain,
            },
        )
        # It would read the bucket beside the first request to it, which takes a permission that nothing here
        # needs, and has no switch of its own: https://github.com/googleapis/google-cloud-python/issues/17650
        client._bucket_metadata_cache = None
    return Bucket(
        client.bucket(options.bucket, user_project=options.project), connect_s=connect_s, read_s=read_s
    )


def _credentials(options: GcsOptions) -> Any:
    if not options.sends_credentials:
        return AnonymousCredentials()  # type: ignore[no-untyped-call]
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a person's own credentials have no quota project
            credentials, _ = google.auth.default(scopes=[_SCOPE])
    except (RefreshError, TransportError):
        raise
    except Exception as error:  # Any class: a file that is no key is read as if it were one.
        if file := os.environ.get(CREDENTIALS):
            raise unusable_file(file) from error
        raise
    return credentials


def _session(credentials: Any, refresh_s: float) -> AuthorizedSession:
    """Connections that stay open, as many as a fan-out uses; beyond that, one is opened for each request."""
    session = AuthorizedSession(  # type: ignore[no-untyped-call]
        credentials,
        refresh_status_codes=() if isinstance(credentials, AnonymousCredentials) else (401,),
        refresh_timeout=refresh_s,
    )
    session.max_redirects = 0  # Cloud Storage makes none, and a delete that follows one becomes a read.
    session.hooks["response"].append(_check_delete)
    for scheme in ("https://", "http://"):
        session.mount(scheme, HTTPAdapter(pool_maxsize=CONNECTIONS_MAX, max_retries=0))
    return session


def _check_delete(reply: Response, **_: object) -> None:
    """Raise when a delete is answered with nothing and without the status that says so: Cloud Storage's is 204."""
    if reply.request.method == "DELETE" and reply.status_code == codes.ok and not reply.content:
        raise NotTheService("The reply does not say that the object was deleted")


def _checksum(data: bytes) -> str:
    return base64.b64encode(google_crc32c.value(data).to_bytes(4, "big")).decode()
