"""The servers as fixtures: one of each for a worker, started by the first test that asks for it.

A server, or its canary, that fails makes an error of each test that asked; none is skipped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers import sdks
from tests.servers.gcs import GCSServer, gcs_serving
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import S3Server, s3_serving
from tests.servers.server import Server


@pytest.fixture(scope="session")
def s3_server() -> Iterator[S3Server]:
    """An S3 service; `s3_server.new_bucket()` gives each test its own bucket."""
    sdks.read_once()
    with s3_serving() as server:
        yield server


@pytest.fixture(scope="session")
def gcs_server() -> Iterator[GCSServer]:
    """A Google Cloud Storage; `gcs_server.new_bucket()` gives each test its own bucket."""
    with gcs_serving() as server:
        yield server


@pytest.fixture
def proxy_before() -> Iterator[Callable[[Server], FaultProxy]]:
    """Call it with a server for a fault proxy before that server, which is gone after the test."""
    with ExitStack() as proxies:
        yield lambda server: proxies.enter_context(FaultProxy(server.endpoint_url, server.verb_of))
