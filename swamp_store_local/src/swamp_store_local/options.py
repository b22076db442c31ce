"""The options of a local datastore: which directory, and whether it may be made."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict
from swamp_core.store.settings import AbsolutePath


class LocalOptions(BaseModel):
    """`path` is where the directory is.

    `create` says what a missing directory is: an empty store, made with its first record (true), or an error
    (false, the default). A mistyped path or an unmounted share would otherwise look like a store without
    runs.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    path: AbsolutePath
    create: bool = False
