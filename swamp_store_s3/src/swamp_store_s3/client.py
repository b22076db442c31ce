"""The SDK's clients, with everything said at the door that the SDK could take from elsewhere.

A create sends its requests itself, again and again where needed, because the SDK's retries would turn a lost
reply into a "412" that speaks of our own record. So there are two clients: one that makes one attempt a call,
for the create and the look at who won it, and one with the SDK's retries, for the verbs that may be repeated.

The SDK follows a redirect to another region by itself, also with one attempt: a redirected request stored
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import boto3
from botocore.config import Config

from swamp_store_s3.errors import translated
from swamp_store_s3.options import S3Options

if TYPE_CHECKING:
    from botocore.awsrequest import AWSPreparedRequest
    from mypy_boto3_s3 import S3Client

Checksums = Literal["when_required", "when_supported"]

ATTEMPTS = 3
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 20.0
CONNECTIONS_MAX = 64
SENT_AT_ONCE_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class Clients:
    """`once` makes one attempt a call; `again` makes up to `attempts`."""

    once: S3Client
    again: S3Client
    attempts: int


def open_clients(
    options: S3Options,
    *,
    attempts: int = ATTEMPTS,
    connect_timeout_s: float = CONNECT_TIMEOUT_S,
    read_timeout_s: float = READ_TIMEOUT_S,
) -> Clients:
    """Two clients with the same credentials. Nothing is sent yet."""

    def client(attempts: int) -> S3Client:
        # AWS gets and gives checksums; other services may refuse them, or store them as part of the record.
        checksums: Checksums = "when_required" if options.endpoint_url else "when_supported"
        return session.client(
            "s3",
            region_name=options.region,
            endpoint_url=options.endpoint_url,
            config=Config(
                signature_version="s3v4",
                ignore_configured_endpoint_urls=True,  # type: ignore[call-arg]  # its stub has not got it
                s3={"addressing_style": options.addressing},
                request_checksum_calculation=checksums,
                response_checksum_validation=checksums,
                retries={"mode": "standard", "total_max_attempts": attempts},
                connect_timeout=connect_timeout_s,
                read_timeout=read_timeout_s,
                max_pool_connections=CONNECTIONS_MAX,
            ),
        )

    with translated("open"):
        session = boto3.Session(profile_name=options.profile)
        once = client(1)
        once.meta.events.register("before-send.s3.PutObject", _send_at_once)
        return Clients(once, client(attempts), attempts)


def _send_at_once(request: AWSPreparedRequest, **_: object) -> None:
    """Send a small record with its request: asking first whether it may come costs a round trip each time."""
    length = int(request.headers.get("Content-Length") or SENT_AT_ONCE_MAX + 1)
    if "Expect" in request.headers and length <= SENT_AT_ONCE_MAX:
        del request.headers["Expect"]
