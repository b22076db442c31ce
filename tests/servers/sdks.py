"""The SDK for S3 reads its description of the service, 70 ms of JSON, once a session of its own; here once a process.

What it has read is not changed by those who use it: within a session the SDK shares it between clients itself.
"""

from __future__ import annotations

from functools import cache

import boto3
import botocore.session


@cache
def read_once() -> None:
    """Let all clients of this process, and of those that it forks, share what was read, and read it now."""
    if not hasattr(botocore.session.create_loader, "cache_info"):
        botocore.session.create_loader = cache(botocore.session.create_loader)  # type: ignore[attr-defined]
    boto3.Session().client("s3", region_name="us-east-1")
