"""How the registry reaches the GCS store.

`gs://bucket/prefix?project=…`, or `type: gcs` with options.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.registry import how_to_install
from swamp_core.store.settings import read_url, shown_url

from swamp_store_gcs.options import GcsOptions

if TYPE_CHECKING:
    from swamp_store_gcs.store import GcsStore


class GcsBackend:
    """The type `gcs`, with the schemes `gs` and `gcs`."""

    name = "gcs"
    options = GcsOptions

    def from_url(self, url: str) -> Mapping[str, object]:
        """The bucket, the prefix and the query of a URL, as options that are not yet checked."""
        bucket, prefix, given = read_url(url, "bucket", "prefix")
        return {"bucket": bucket, "prefix": prefix, **given}

    def store_name(self, options: GcsOptions) -> str:
        """The bucket and the prefix as a URL, with the service where it is set."""
        place = f"gs://{options.bucket}/{options.prefix}".rstrip("/")
        return shown_url(place, endpoint_url=options.endpoint_url)

    def is_proven(self, options: GcsOptions) -> bool:
        """Whether this is Google's own service; another one at `endpoint_url` has to show what it does."""
        return options.endpoint_url is None

    def open(self, options: GcsOptions) -> GcsStore:
        """A store over the bucket. Credentials are looked for now; nothing is sent to the bucket yet."""
        try:
            from swamp_store_gcs.client import open_bucket
            from swamp_store_gcs.store import GcsStore
        except ImportError as error:
            raise StoreMisconfigured(
                "The Google Cloud Storage SDK is not installed",
                hint=how_to_install("swamp-store-gcs"),
            ) from error
        return GcsStore(open_bucket(options), options.start)


backend = GcsBackend()
