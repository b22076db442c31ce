"""The store: what each reply means, in one table, and a create that only its put-id decides."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPException
from urllib.parse import quote, urlencode
from uuid import uuid4

from swamp_core.store import CheckedStore, StoreAccessDenied, StoreError, StoreNotFound, StoreUnavailable
from swamp_core.store.creating import Exists, Landed, NotLanded, Pace, Patience, Stored, Unclear, create
from swamp_core.store.creating import Reply as CreateReply
from swamp_store_contract.under_test import Verb

from reference_network.server import PAGE
from reference_network.transport import Reply, Transport


class NetworkStore:
    """A bucket as a store."""

    def __init__(self, transport: Transport, bucket: str, patience: Patience, pace: Pace) -> None:
        self.transport = transport
        self._bucket = bucket
        self._patience = patience
        self._pace = pace

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return create(
            lambda put_id: self.send(key, data, put_id),
            lambda: self.stored(key),
            put_id=uuid4().hex,
            patience=self._patience,
            pace=self._pace,
        )

    def get(self, key: str) -> bytes | None:
        reply = self._ask("get", "GET", self._path(key))
        return None if reply.status == 404 else reply.body

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        after, left = start_after or "", limit
        while left is None or left > 0:
            most = PAGE if left is None else min(PAGE, left)
            query = urlencode({"prefix": prefix, "after": after, "most": most})
            page = json.loads(self._ask("list", "GET", f"/{self._bucket}/?{query}").body)
            yield from page
            if len(page) < most:
                return
            after, left = page[-1], None if left is None else left - len(page)

    def delete(self, key: str) -> None:
        self._ask("delete", "DELETE", self._path(key))

    def send(self, key: str, data: bytes, put_id: str) -> CreateReply:
        """One attempt of a create, and what its reply means."""
        headers = {"If-None-Match": "*", "X-Put-Id": put_id}
        try:
            reply = self.transport.request("put_if_absent", "PUT", self._path(key), data, headers)
        except ConnectionRefusedError as error:
            return NotLanded(StoreUnavailable(f"No connection was made: {error}"))
        except (OSError, HTTPException) as error:
            return Unclear(error)
        match reply.status:
            case 200:
                return Landed()
            case 412:
                return Exists()
            case 409 | 429 | 503:
                return NotLanded(StoreUnavailable(f"The server answered {reply.status}"))
            case status if status >= 500:
                return Unclear(StoreUnavailable(f"The server answered {status}"))
            case _:
                raise meaning_of(reply)

    def stored(self, key: str) -> Stored | None:
        """The put-id of the record that is there."""
        reply = self._ask("put_if_absent", "HEAD", self._path(key))
        return None if reply.status == 404 else Stored(reply.put_id)

    def _ask(self, verb: Verb, method: str, path: str) -> Reply:
        """One request that may be repeated, and its reply; a reply that is no answer is raised."""
        try:
            reply = self.transport.request(verb, method, path)
        except (OSError, HTTPException) as error:
            raise StoreUnavailable(f"The server gave no reply: {error}") from error
        if reply.status >= 400 and not (reply.status == 404 and reply.body in (b"", b"NoSuchKey")):
            raise meaning_of(reply)
        return reply

    def _path(self, key: str) -> str:
        return f"/{self._bucket}/{quote(key)}"


def meaning_of(reply: Reply) -> StoreError:
    """What a refusal means for the caller."""
    if reply.status in (401, 403):
        return StoreAccessDenied("The server refused these credentials")
    if reply.status == 404:
        return StoreNotFound("There is no such bucket")
    return StoreUnavailable(f"The server answered {reply.status}")


def open_network_store(address: str, bucket: str) -> CheckedStore:
    """A store over a bucket, as the registry would open it."""
    return CheckedStore(NetworkStore(Transport(address), bucket, Patience(), Pace()), f"network://{bucket}")
