"""The GCS store on a real bucket, under the contract: each test below a prefix of its own, which is thrown away.

Raw access uses the SDK and nothing of the store but how it connects. A real service cannot be made to fail, so the
cases about faults are reported as not proven.
"""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import uuid4

from google.api_core.exceptions import NotFound
from swamp_core.store import SignalWaitStore, open_store
from swamp_store_contract.under_test import Recipe, StoreUnderTest
from swamp_store_gcs.backend import backend
from swamp_store_gcs.client import open_bucket
from swamp_store_gcs.options import GcsOptions

_NUMBERS = count(1)
_SESSION = uuid4().hex


class LiveGcsUnderTest(StoreUnderTest):
    """A prefix below the one of the setting."""

    create_calls = (
        "urllib3.connection.HTTPConnection.request",
        "urllib3.connection.HTTPConnection.getresponse",
    )

    def __init__(self, url: str) -> None:
        self.options = GcsOptions.model_validate(backend.from_url(url))
        self.root = f"{self.options.start}contract-{_SESSION}/{next(_NUMBERS)}"
        self._connected = open_bucket(self.options)
        self.bucket: Any = self._connected._bucket

    def close(self) -> None:
        for name in self._names(f"{self.root}/"):
            self.bucket.blob(name).delete()
        self._connected.close()

    def open(self) -> SignalWaitStore:
        return open_store(self._setting("store"))

    def open_elsewhere(self) -> SignalWaitStore:
        return open_store(self._setting("store-2"))

    def open_missing(self) -> SignalWaitStore:
        return open_store({**self._setting("store"), "bucket": f"swamp-nobodys-{_SESSION}"[:63]})

    def recipe(self) -> Recipe:
        options = GcsOptions.model_validate(self._options("store"))
        return Recipe("gcs_live:open_by_options", (options.model_dump_json(),))

    def raw_get(self, key: str) -> bytes | None:
        try:
            data: bytes = self.bucket.blob(self._name(key)).download_as_bytes()
        except NotFound:
            return None
        return data

    def raw_put(self, key: str, data: bytes) -> None:
        self.bucket.blob(self._name(key)).upload_from_string(data)

    def raw_keys(self) -> set[str]:
        return {name.removeprefix(self._name("")) for name in self._names(self._name(""))}

    def _options(self, tail: str) -> dict[str, object]:
        return {**self.options.model_dump(), "prefix": f"{self.root}/{tail}"}

    def _setting(self, tail: str) -> dict[str, object]:
        return {"type": "gcs", **self._options(tail)}

    def _name(self, key: str) -> str:
        return f"{self.root}/store/{key}"

    def _names(self, prefix: str) -> list[str]:
        return [blob.name for blob in self.bucket.list_blobs(prefix=prefix)]


def open_by_options(options: str) -> SignalWaitStore:
    """The store of these options, for another process."""
    return open_store({"type": "gcs", **GcsOptions.model_validate_json(options).model_dump()})
