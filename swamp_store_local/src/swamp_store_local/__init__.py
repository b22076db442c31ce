"""Swamp's control-plane store in a directory.

On one machine, or on a network file system that several share.
"""

from swamp_store_local.backend import LocalBackend, backend
from swamp_store_local.options import LocalOptions
from swamp_store_local.store import LocalStore

__all__ = ["LocalBackend", "LocalOptions", "LocalStore", "backend"]
