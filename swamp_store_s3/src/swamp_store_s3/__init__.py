"""Swamp's control-plane store in an S3 bucket.

What opens a store imports the SDK; importing this package does not.
"""

from swamp_store_s3.backend import S3Backend, backend
from swamp_store_s3.options import S3Options

__all__ = ["S3Backend", "S3Options", "backend"]
