"""The bare work in a bucket: the calls of an SDK that a careful caller would write, without any of Swamp.

Clients are configured as the stores' are, so that only the work around the calls differs: as many connections, the
same time-outs, checksums and addresses. A create is conditional and says whose it is, as a store's has to.
"""

from __future__ import annotations

from typing import Any, Protocol
from uuid import uuid4

import boto3
from botocore.config import Config
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage  # type: ignore[import-untyped]
from requests.adapters import HTTPAdapter

from benchmarks.bare import RECORD

CONNECTIONS = 64
TIMEOUTS_S = (5.0, 20.0)
REGION = "us-east-1"


class BareBucket(Protocol):
    """The four calls, and how each reads."""

    create_call: str
    read_call: str
    list_call: str
    delete_call: str

    def create(self, name: str) -> None:
        """Create an object on the condition that there is none."""
        ...

    def read(self, name: str) -> bytes:
        """The bytes of an object."""
        ...

    def names(self, prefix: str, number: int) -> list[str]:
        """So many names."""
        ...

    def delete(self, name: str) -> None:
        """Delete an object."""
        ...


class BareS3:
    """A bucket by boto3, nothing of it sent twice by the SDK."""

    create_call = "put_object"
    read_call = "get_object, read"
    list_call = "list_objects_v2"
    delete_call = "delete_object"

    def __init__(self, endpoint_url: str, bucket: str) -> None:
        self._bucket = bucket
        self._client = _s3_client(endpoint_url)

    def create(self, name: str) -> None:
        """See `BareBucket`."""
        self._client.put_object(
            Bucket=self._bucket,
            Key=name,
            Body=RECORD,
            ContentType="application/octet-stream",
            IfNoneMatch="*",
            Metadata={"put-id": uuid4().hex},
        )

    def read(self, name: str) -> bytes:
        """See `BareBucket`."""
        with self._client.get_object(Bucket=self._bucket, Key=name)["Body"] as body:
            data: bytes = body.read()
        return data

    def names(self, prefix: str, number: int) -> list[str]:
        """See `BareBucket`."""
        reply = self._client.list_objects_v2(Bucket=self._bucket, Prefix=prefix, MaxKeys=number)
        return [found["Key"] for found in reply["Contents"]]

    def delete(self, name: str) -> None:
        """See `BareBucket`."""
        self._client.delete_object(Bucket=self._bucket, Key=name)


class BareGcs:
    """A bucket by google-cloud-storage, nothing of it sent twice by the SDK."""

    create_call = "upload_from_string"
    read_call = "download_as_bytes"
    list_call = "list_blobs"
    delete_call = "delete"

    def __init__(self, endpoint_url: str, bucket: str) -> None:
        client = storage.Client(
            project=None,
            credentials=AnonymousCredentials(),  # type: ignore[no-untyped-call]
            client_options={"api_endpoint": endpoint_url},
        )
        client._http.mount("http://", HTTPAdapter(pool_maxsize=CONNECTIONS))
        client._bucket_metadata_cache = (
            None  # It would make requests of its own beside those that are measured.
        )
        self._bucket = client.bucket(bucket)
        self._each: dict[str, Any] = {"timeout": TIMEOUTS_S, "retry": None}

    def create(self, name: str) -> None:
        """See `BareBucket`."""
        blob = self._bucket.blob(name)
        blob.metadata = {"put-id": uuid4().hex}
        blob.upload_from_string(
            RECORD, content_type="application/octet-stream", if_generation_match=0, **self._each
        )

    def read(self, name: str) -> bytes:
        """See `BareBucket`."""
        data: bytes = self._bucket.blob(name).download_as_bytes(**self._each)
        return data

    def names(self, prefix: str, number: int) -> list[str]:
        """See `BareBucket`."""
        found = self._bucket.list_blobs(
            prefix=prefix, max_results=number, fields="items(name),nextPageToken", **self._each
        )
        return [blob.name for blob in found]

    def delete(self, name: str) -> None:
        """See `BareBucket`."""
        self._bucket.blob(name).delete(**self._each)


def _s3_client(endpoint_url: str) -> Any:
    return boto3.client(
        "s3",
        region_name=REGION,
        endpoint_url=endpoint_url,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "path"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
            retries={"mode": "standard", "total_max_attempts": 1},
            connect_timeout=TIMEOUTS_S[0],
            read_timeout=TIMEOUTS_S[1],
            max_pool_connections=CONNECTIONS,
        ),
    )
