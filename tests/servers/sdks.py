"""The SDK for S3 reads its description of the service, 70 ms of JSON, once a session of its own; here once a process.

What it has read is not changed by those who use it: within a session the SDK shares it between clients itself. A
process from which commands are forked can also make their client ahead, which costs more than most of them ask of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import boto3
import botocore.session
import swamp_store_s3.client
from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.registry import describe
from swamp_store_s3.options import S3Options

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_new_client = swamp_store_s3.client.open_client


@cache
def read_once() -> None:
    """Let all clients of this process, and of those that it forks, share what was read, and read it now."""
    if not hasattr(botocore.session.create_loader, "cache_info"):
        botocore.session.create_loader = cache(botocore.session.create_loader)  # type: ignore[attr-defined]
    boto3.Session().client("s3", region_name="us-east-1")


def open_ahead(setting: str, environ: Mapping[str, str]) -> None:
    """Make what a forked process with this environment opens for the setting. It has no connection yet."""
    swamp_store_s3.client.open_client = _client_of  # type: ignore[assignment]  # it is asked for nothing else
    with _environment(environ):
        try:
            options = S3Options.model_validate(describe(setting).options)
        except (StoreMisconfigured, ValueError):
            return  # The process itself says what is wrong.
        if options.profile is None and "AWS_ACCESS_KEY_ID" in os.environ:
            _client_of(options)


def _client_of(options: S3Options) -> S3Client:
    """The client for all buckets of a service, for those who are told the same of it."""
    told = frozenset((name, value) for name, value in os.environ.items() if _is_told(name))
    return _shared(options.model_copy(update={"bucket": "", "prefix": ""}), told)


def _is_told(name: str) -> bool:
    return name == "HOME" or name.startswith(("AWS_", "BOTO")) or name.lower().endswith("_proxy")


@lru_cache(maxsize=8)
def _shared(options: S3Options, _told: frozenset[tuple[str, str]]) -> S3Client:
    return _new_client(options)


@contextmanager
def _environment(environ: Mapping[str, str]) -> Iterator[None]:
    own = dict(os.environ)
    os.environ.clear()
    os.environ.update(environ)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(own)
