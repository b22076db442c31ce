"""The options of a local datastore: which directory, and whether it may be made."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict, field_validator


class LocalOptions(BaseModel):
    """`path` is absolute, because several hosts and working directories must mean the same one.

    `create` says what a missing directory is: an empty store, made with its first record (true), or an error
    (false, the default). A mistyped path or an unmounted share would otherwise look like a store without
    runs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: Path
    create: bool = False

    @field_validator("path")
    @classmethod
    def _is_absolute(cls, path: Path) -> Path:
        if not path.is_absolute():
            raise ValueError("it must be an absolute path, such as `/srv/swamp`")
        return path
