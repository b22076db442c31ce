"""The S3 store on a real bucket, under the contract: each test below a prefix of its own, which is thrown away.

Raw access uses a client of the SDK and nothing of the store. A real service cannot be made to fail, so the cases about
faults are reported as not proven.
"""

from __future__ import annotations

from itertools import count
from typing import Any
from uuid import uuid4

from botocore.exceptions import ClientError
from swamp_core.store import SignalWaitStore, open_store
from swamp_store_contract.under_test import Recipe, StoreUnderTest
from swamp_store_s3.backend import backend
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options

_NUMBERS = count(1)
_SESSION = uuid4().hex


class LiveS3UnderTest(StoreUnderTest):
    """A prefix below the one of the setting."""

    create_calls = ("http.client.HTTPConnection.request", "http.client.HTTPConnection.getresponse")

    def __init__(self, url: str) -> None:
        options = S3Options.model_validate(backend.from_url(url))
        self.root = f"{options.prefix}/contract-{_SESSION}/{next(_NUMBERS)}".lstrip("/")
        self.options = options
        self.client: Any = open_client(options)

    def close(self) -> None:
        for name in self._names(self.root):
            self.client.delete_object(Bucket=self.options.bucket, Key=name)

    def open(self) -> SignalWaitStore:
        return open_store(self._setting("store"))

    def open_elsewhere(self) -> SignalWaitStore:
        return open_store(self._setting("store-2"))

    def open_missing(self) -> SignalWaitStore:
        return open_store({**self._setting("store"), "bucket": f"swamp-nobodys-{_SESSION}"[:63]})

    def recipe(self) -> Recipe:
        return Recipe(
            "s3_live:open_by_options", (S3Options.model_validate(self._options("store")).model_dump_json(),)
        )

    def raw_get(self, key: str) -> bytes | None:
        try:
            found = self.client.get_object(Bucket=self.options.bucket, Key=self._name(key))
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchKey":
                return None
            raise
        data: bytes = found["Body"].read()
        return data

    def raw_put(self, key: str, data: bytes) -> None:
        self.client.put_object(Bucket=self.options.bucket, Key=self._name(key), Body=data)

    def raw_keys(self) -> set[str]:
        return {name.removeprefix(self._name("")) for name in self._names(self._name(""))}

    def _options(self, tail: str) -> dict[str, object]:
        return {**self.options.model_dump(), "prefix": f"{self.root}/{tail}"}

    def _setting(self, tail: str) -> dict[str, object]:
        return {"type": "s3", **self._options(tail)}

    def _name(self, key: str) -> str:
        return f"{self.root}/store/{key}"

    def _names(self, prefix: str) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.options.bucket, Prefix=prefix
        )
        return [found["Key"] for page in pages for found in page.get("Contents", [])]


def open_by_options(options: str) -> SignalWaitStore:
    """The store of these options, for another process."""
    return open_store({"type": "s3", **S3Options.model_validate_json(options).model_dump()})
