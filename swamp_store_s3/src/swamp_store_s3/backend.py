"""How the registry reaches the S3 store.

`s3://bucket/prefix?region=eu-west-1`, or `type: s3` with options. The SDK is imported by `open`, not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.registry import how_to_install
from swamp_core.store.settings import read_url, shown_url

from swamp_store_s3.options import S3Options

if TYPE_CHECKING:
    from swamp_store_s3.store import S3Store


class S3Backend:
    """The type `s3`, with the scheme `s3`."""

    name = "s3"
    options = S3Options

    def from_url(self, url: str) -> Mapping[str, object]:
        """The bucket, the prefix and the query of an `s3` URL, as options that are not yet checked."""
        bucket, prefix, given = read_url(url, "bucket", "prefix")
        if ":" in bucket:
            raise StoreMisconfigured(
                "The URL of the datastore names a port",
                hint="After `s3://` comes the bucket; another service is named by `?endpoint_url=`.",
            )
        return {"bucket": bucket, "prefix": prefix, **given}

    def store_name(self, options: S3Options) -> str:
        """The bucket and the prefix as a URL, with the region and the service where they are set."""
        place = f"s3://{options.bucket}/{options.prefix}".rstrip("/")
        return shown_url(place, region=options.region, endpoint_url=options.endpoint_url)

    def is_proven(self, options: S3Options) -> bool:
        """Whether it is AWS: a service with an endpoint of its own may ignore the precondition of a create."""
        return options.endpoint_url is None

    def open(self, options: S3Options) -> S3Store:
        """A store over the bucket. Credentials are looked for, and the bucket is asked, by the first operation."""
        try:
            import boto3  # noqa: F401
        except ImportError as error:
            raise StoreMisconfigured(
                "The s3 store needs boto3, which is not installed",
                hint=how_to_install("swamp-store-s3"),
            ) from error
        from swamp_store_s3.client import open_client
        from swamp_store_s3.store import S3Store

        return S3Store(
            open_client(options),
            options.bucket,
            options.prefix,
            endpoint_url=options.endpoint_url,
        )


backend = S3Backend()
