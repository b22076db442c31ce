"""The options of a datastore in S3: which bucket, under which prefix, where, and as whom.

Nothing here is a secret: credentials come from the environment, a profile or a role, never from the setting.
"""

from __future__ import annotations

import re
from typing import Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

PREFIX_BYTES_MAX = 256
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\Z", re.ASCII)
_SEGMENT = re.compile(r"[A-Za-z0-9._-]+\Z", re.ASCII)
_DIRECTORY_BUCKET = "--x-s3"

AddressingStyle = Literal["auto", "path", "virtual"]


class S3Options(BaseModel):
    """`prefix` keeps several stores in one bucket apart; slashes around it do not count.

    `endpoint_url` names a service other than AWS. Only the setting names it, not the environment, so that all
    hosts of a team mean the same store. `addressing_style` says where requests name the bucket: in the path
    (the default with an `endpoint_url`) or in the host name.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bucket: str
    prefix: str = ""
    region: str | None = Field(default=None, pattern=r"^[a-z0-9-]{1,64}$")
    endpoint_url: str | None = None
    profile: str | None = Field(default=None, min_length=1)
    addressing_style: AddressingStyle | None = None

    @field_validator("bucket")
    @classmethod
    def _is_a_bucket(cls, bucket: str) -> str:
        if not _BUCKET.match(bucket.lower()) or ".." in bucket:
            raise ValueError("the name of a bucket is 3 to 63 of a-z, 0-9, `-` and `.`")
        if bucket != bucket.lower():
            raise ValueError("the name of a bucket is lower case")
        if bucket.endswith(_DIRECTORY_BUCKET):
            raise ValueError("a directory bucket lists its keys in no order; use a general purpose bucket")
        return bucket

    @field_validator("prefix")
    @classmethod
    def _is_a_prefix(cls, prefix: str) -> str:
        stripped = prefix.strip("/")
        if len(stripped) > PREFIX_BYTES_MAX:
            raise ValueError(f"it has more than {PREFIX_BYTES_MAX} bytes")
        for segment in stripped.split("/") if stripped else ():
            if not _SEGMENT.match(segment) or segment in (".", ".."):
                raise ValueError(
                    "it is segments of letters, digits, `.`, `_` and `-`, joined by `/`, none `.` or `..`"
                )
        return stripped

    @field_validator("endpoint_url")
    @classmethod
    def _is_an_endpoint(cls, url: str | None) -> str | None:
        if url is None:
            return None
        try:
            parts = urlsplit(url)
            named = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            named = False
        if not named:
            raise ValueError("it is the URL of a service, such as `https://objects.example.com`")
        if "@" in parts.netloc:
            raise ValueError("it may hold no credentials; give them in the environment or in a profile")
        if parts.query or parts.fragment:
            raise ValueError("it ends before any `?` or `#`")
        return url.rstrip("/")

    @property
    def addressing(self) -> AddressingStyle:
        """The addressing style that holds."""
        return self.addressing_style or ("path" if self.endpoint_url else "auto")
