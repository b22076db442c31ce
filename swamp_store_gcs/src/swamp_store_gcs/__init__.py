"""Swamp's control-plane store in a Google Cloud Storage bucket.

What opens a store imports the SDK; importing this package does not.
"""

from swamp_store_gcs.backend import GcsBackend, backend
from swamp_store_gcs.options import GcsOptions

__all__ = ["GcsBackend", "GcsOptions", "backend"]
