"""The options of a GCS datastore: which bucket, which part of it, and where the service is."""

from __future__ import annotations

import re

from pydantic import BaseModel, ConfigDict, field_validator
from swamp_core.store.settings import EndpointUrl, Prefix

_BUCKET = re.compile(r"[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]", re.ASCII)
_PROJECT = re.compile(r"[a-z0-9][a-z0-9.:-]*", re.ASCII)


class GcsOptions(BaseModel):
    """`bucket` is there already; `prefix` is the part of its names that the datastore has for itself.

    `project` is the one that requests are billed to, which only a requester-pays bucket needs. `endpoint_url`
    is another address of the service; one with `http://` gets no credentials, because they would be readable
    on the way.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    bucket: str
    prefix: Prefix = ""
    project: str | None = None
    endpoint_url: EndpointUrl | None = None

    @property
    def start(self) -> str:
        """What stands before each key in the name of its object."""
        return f"{self.prefix}/" if self.prefix else ""

    @property
    def sends_credentials(self) -> bool:
        """Whether requests are signed; never over plain HTTP."""
        return not (self.endpoint_url or "").startswith("http://")

    @field_validator("bucket")
    @classmethod
    def _is_a_bucket_name(cls, bucket: str) -> str:
        if not _BUCKET.fullmatch(bucket):
            raise ValueError("a bucket's name has 3 to 222 characters of a-z, 0-9, `.`, `_` and `-`")
        return bucket

    @field_validator("project")
    @classmethod
    def _is_a_project(cls, project: str | None) -> str | None:
        if project is not None and not _PROJECT.fullmatch(project):
            raise ValueError("it must be a project's ID, such as `team-builds-42`")
        return project
