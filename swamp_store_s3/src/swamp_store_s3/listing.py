"""The pages of a listing, as S3 gives them: one request at a time, for no more keys than are asked for.

S3 lists in byte order, as `SignalWaitStore.list` promises to
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/ListingKeysUsingAPIs.html).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from swamp_core.store.errors import StoreError

from swamp_store_s3.errors import foreign

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import ListObjectsV2OutputTypeDef, ListObjectsV2RequestTypeDef

PAGE_KEYS_MAX = 1000


@dataclass(frozen=True, slots=True)
class Page:
    """The object names of one reply, and the token of the next page; None when this is the last one."""

    names: list[str]
    next_token: str | None


def page_of(reply: ListObjectsV2OutputTypeDef) -> Page:
    """What the reply lists. One that does not say whether there is more, or how to go on, is no listing."""
    if "IsTruncated" not in reply:
        raise foreign("the reply is no listing")
    token = reply.get("NextContinuationToken") if reply["IsTruncated"] else None
    if reply["IsTruncated"] and not token:
        raise _endless()
    return Page([found["Key"] for found in reply.get("Contents", [])], token)


def pages(
    ask: Callable[[ListObjectsV2RequestTypeDef], Page],
    bucket: str,
    prefix: str,
    *,
    start_after: str | None = None,
    limit: int | None = None,
) -> Iterator[Page]:
    """The names that start with `prefix` and come after `start_after`; `ask` makes one request.

    Together the pages have no more names than `limit`; they go on when more are asked for all the same.
    """
    request: ListObjectsV2RequestTypeDef = {"Bucket": bucket, "Prefix": prefix}
    if start_after:
        request["StartAfter"] = start_after
    left = limit
    while True:
        request["MaxKeys"] = min(left, PAGE_KEYS_MAX) if left else PAGE_KEYS_MAX
        page = ask(request)
        yield page
        if page.next_token is None:
            return
        if page.next_token == request.get("ContinuationToken"):
            raise _endless()
        request["ContinuationToken"] = page.next_token
        left = max(left - len(page.names), 0) if left else None


def _endless() -> StoreError:
    return foreign("a listing that does not go on where it says that there is more")
