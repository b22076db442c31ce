"""The options of a datastore in S3: which bucket, under which prefix, where, and as whom.

Nothing here is a secret: credentials come from the environment, a profile or a role, never from the setting.
"""

from __future__ import annotations

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict, field_validator
from swamp_core.store.settings import EndpointUrl, Prefix

_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]\Z", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,64}", re.ASCII)
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
    prefix: Prefix = ""
    region: str | None = None
    endpoint_url: EndpointUrl | None = None
    profile: str | None = None
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

    @field_validator("region")
    @classmethod
    def _is_a_region(cls, region: str | None) -> str | None:
        if region is not None and not _REGION.fullmatch(region):
            raise ValueError("it must be the name of a region, such as `eu-west-1`")
        return region

    @field_validator("profile")
    @classmethod
    def _is_a_profile(cls, profile: str | None) -> str | None:
        if profile == "":
            raise ValueError("it must name a profile of the AWS configuration; without it, the default holds")
        return profile

    @property
    def addressing(self) -> AddressingStyle:
        """The addressing style that holds."""
        return self.addressing_style or ("path" if self.endpoint_url else "auto")
