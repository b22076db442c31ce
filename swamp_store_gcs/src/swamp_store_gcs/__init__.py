"""Swamp's control-plane store in a Google Cloud Storage bucket.

Importing this costs no SDK: `GcsStore` is imported when its name is first used.
"""

from typing import TYPE_CHECKING

from swamp_store_gcs.backend import GcsBackend, backend
from swamp_store_gcs.options import GcsOptions

if TYPE_CHECKING:
    from swamp_store_gcs.store import GcsStore

__all__ = ["GcsBackend", "GcsOptions", "GcsStore", "backend"]


def __getattr__(name: str) -> object:
    if name != "GcsStore":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from swamp_store_gcs.store import GcsStore

    return GcsStore
