"""Broken stores on S3: each leaves out one thing that the real one does, and says which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from swamp_core.store.creating import Landed, NotLanded, Reply
from swamp_store_s3.errors import create_reply
from swamp_store_s3.listing import pages
from swamp_store_s3.store import S3Store


class SdkRetriesThenLost(S3Store):
    """Lets the SDK send a create again, and takes the 412 that its own record then gets for a lost race."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        return isinstance(_put(self, self._clients.again, key, data, IfNoneMatch="*"), Landed)


class BusyIsLost(S3Store):
    """Takes 409, which stored nothing and decided nothing, for "exists"."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if isinstance(self.send(key, data, "none"), NotLanded):
            return False
        return super().put_if_absent(key, data)


class FirstPageOnly(S3Store):
    """Lists the first page only."""

    def _names(self, prefix: str, after: str | None, limit: int | None) -> Iterator[str]:
        yield from next(
            pages(self._clients.again, self._bucket, prefix, start_after=after, limit=limit)
        ).names


class HeaderIgnored(S3Store):
    """Puts without the precondition, as a service does that ignores its header."""

    def send(self, key: str, data: bytes, put_id: str) -> Reply:
        return _put(self, self._clients.once, key, data)


def _put(store: S3Store, client: Any, key: str, data: bytes, **conditions: str) -> Reply:
    try:
        client.put_object(Bucket=store._bucket, Key=store._start + key, Body=data, **conditions)
    except Exception as error:
        return create_reply(error)
    return Landed()
