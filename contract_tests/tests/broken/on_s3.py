"""Broken stores on S3: each leaves out one thing that the real one does, and says which."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.store.creating import Landed, NotLanded, Reply, Unclear
from swamp_store_s3.errors import create_reply
from swamp_store_s3.listing import pages
from swamp_store_s3.store import S3Store


class SdkRetriesThenLost(S3Store):
    """Sends a create again, as the SDK does, and takes the 412 that its own record then gets for a lost race."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        replies = (self.send(key, data, "none") for _ in range(3))
        return isinstance(next(reply for reply in replies if not isinstance(reply, Unclear)), Landed)


class BusyIsLost(S3Store):
    """Takes 409, which stored nothing and decided nothing, for "exists"."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if isinstance(self.send(key, data, "none"), NotLanded):
            return False
        return super().put_if_absent(key, data)


class FirstPageOnly(S3Store):
    """Lists the first page only."""

    def _names(self, prefix: str, after: str | None, limit: int | None) -> Iterator[str]:
        yield from next(pages(self._page, self._bucket, prefix, start_after=after, limit=limit)).names


class HeaderIgnored(S3Store):
    """Puts without the precondition, as a service does that ignores its header."""

    def send(self, key: str, data: bytes, put_id: str) -> Reply:
        try:
            self._client.put_object(Bucket=self._bucket, Key=self._start + key, Body=data)
        except Exception as error:
            return create_reply(error)
        return Landed()
