"""The SDK's client, with everything said at the door that the SDK could take from elsewhere.

It makes one attempt a call. The SDK's retries would turn the lost reply to a create into a "412" that speaks of our own
record, and have no bound of time for the rest; what may be sent again is decided by the store.

The SDK follows a redirect to another region by itself: a redirected request stored nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import boto3
from botocore.config import Config

from swamp_store_s3.errors import translated
from swamp_store_s3.options import S3Options

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from mypy_boto3_s3 import S3Client

Checksums = Literal["when_required", "when_supported"]

CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 20.0
CONNECTIONS_MAX = 64
SENT_AT_ONCE_MAX = 64 * 1024


def open_client(
    options: S3Options,
    *,
    connect_timeout_s: float = CONNECT_TIMEOUT_S,
    read_timeout_s: float = READ_TIMEOUT_S,
) -> S3Client:
    """A client for any number of threads. Nothing is sent yet."""
    # AWS gets and gives checksums; other services may refuse them, or store them as part of the record.
    checksums: Checksums = "when_required" if options.endpoint_url else "when_supported"
    with translated("open"):
        client = boto3.Session(profile_name=options.profile).client(
            "s3",
            region_name=options.region,
            endpoint_url=options.endpoint_url,
            config=Config(
                signature_version="s3v4",
                ignore_configured_endpoint_urls=True,  # type: ignore[call-arg]  # its stub has not got it
                s3={"addressing_style": options.addressing},
                request_checksum_calculation=checksums,
                response_checksum_validation=checksums,
                retries={"mode": "standard", "total_max_attempts": 1},
                connect_timeout=connect_timeout_s,
                read_timeout=read_timeout_s,
                max_pool_connections=CONNECTIONS_MAX,
            ),
        )
        client.meta.events.register("before-send.s3.PutObject", _send_at_once)
        client.meta.events.register("before-call.s3.HeadBucket", _follow_no_further)
        return client


def _send_at_once(request: AWSPreparedRequest, **_: object) -> None:
    """Send a small record with its request: asking first whether it may come costs a round trip each time."""
    length = int(request.headers.get("Content-Length") or SENT_AT_ONCE_MAX + 1)
    if "Expect" in request.headers and length <= SENT_AT_ONCE_MAX:
        del request.headers["Expect"]


def _follow_no_further(context: dict[str, Any], **_: object) -> None:
    """Let the SDK's question for a bucket's region not be redirected itself: it would ask again, for ever."""
    context["s3_redirect"]["redirected"] = True
