"""The pages of a listing, as S3 gives them: one request at a time, for no more keys than are asked for.

S3 lists in byte order, as `SignalWaitStore.list` promises to
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/ListingKeysUsingAPIs.html).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swamp_store_s3.errors import foreign, translated

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef, ListObjectsV2RequestTypeDef

PAGE_KEYS_MAX = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """The object names of one reply, and whether there are more."""

    names: list[str]
    is_last: bool


def pages(
    client: S3Client, bucket: str, prefix: str, *, start_after: str | None = None, limit: int | None = None
) -> Iterator[Page]:
    """The names that start with `prefix` and come after `start_after`.

    Together the pages have no more names than `limit`; they go on when more are asked for all the same.
    """
    request: ListObjectsV2RequestTypeDef = {"Bucket": bucket, "Prefix": prefix}
    if start_after:
        request["StartAfter"] = start_after
    left = limit
    while True:
        request["MaxKeys"] = min(left, PAGE_KEYS_MAX) if left else PAGE_KEYS_MAX
        with translated("list"):
            reply = client.list_objects_v2(**request)
        page = Page([found["Key"] for found in reply.get("Contents", [])], not _is_truncated(reply))
        yield page
        if page.is_last:
            return
        token = reply.get("NextContinuationToken")
        if not token or token == request.get("ContinuationToken"):
            raise foreign("a listing that does not go on where it says that there is more")
        request["ContinuationToken"] = token
        left = max(left - len(page.names), 0) if left else None


def _is_truncated(reply: ListObjectsV2OutputTypeDef) -> bool:
    if "IsTruncated" not in reply:
        raise foreign("the reply is no listing")
    return reply["IsTruncated"]
