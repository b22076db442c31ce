"""Broken stores on Google Cloud Storage: each leaves out one thing that the real one does, and says which."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from google.api_core.exceptions import PreconditionFailed
from google.cloud.storage.retry import DEFAULT_RETRY
from swamp_store_gcs.client import Page
from swamp_store_gcs.store import GcsStore


class SdkRetries(GcsStore):
    """Lets the SDK send a create again, and takes the 412 that its own record then gets for a lost race."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        try:
            _upload(self, key, data, if_generation_match=0, retry=DEFAULT_RETRY)
        except PreconditionFailed:
            return False
        return True


class NoCondition(GcsStore):
    """Uploads without the condition that there is no such object."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        _upload(self, key, data, retry=None)
        return True


class FirstPage(GcsStore):
    """Lists the first page only."""

    def list(self, prefix: str, *, start_after: str | None = None, limit: int | None = None) -> Iterator[str]:
        whole = self.bucket.page

        def first(*arguments: Any, **options: Any) -> Page:
            return Page(whole(*arguments, **options).names, None)

        self.bucket.page = first  # type: ignore[method-assign]
        try:
            return islice([*super().list(prefix, start_after=start_after, limit=limit)], limit)
        finally:
            self.bucket.page = whole  # type: ignore[method-assign]


def _upload(store: GcsStore, key: str, data: bytes, **options: Any) -> None:
    store.bucket._bucket.blob(store._start + key).upload_from_string(data, **options)
