"""A GCS store behind a fault proxy, whose waits take no time, at a real server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

import pytest
from swamp_core.store import CheckedStore
from swamp_core.store.creating import Pace, Patience
from swamp_store_gcs.client import open_bucket
from swamp_store_gcs.options import GcsOptions
from swamp_store_gcs.store import GcsStore

from tests.servers.gcs import GCSServer
from tests.servers.proxy import FaultProxy
from tests.servers.server import Server


@dataclass
class Passing:
    """Time that passes only while somebody sleeps."""

    now_s: float = 0.0

    def sleep(self, seconds: float) -> None:
        self.now_s += seconds

    def pace(self) -> Pace:
        return Pace(clock=lambda: self.now_s, sleep=self.sleep, chance=lambda: 1.0)


@dataclass
class Site:
    """A bucket of a server, a proxy before the server, and stores over the bucket."""

    server: GCSServer
    proxy: FaultProxy
    bucket: str
    opened: ExitStack = field(default_factory=ExitStack)

    def open(self, bucket: str | None = None, *, prefix: str = "team", read_s: float = 20.0) -> CheckedStore:
        options = GcsOptions(bucket=bucket or self.bucket, prefix=prefix, endpoint_url=self.proxy.url)
        store = GcsStore(
            open_bucket(options, read_s=read_s),
            options.start,
            patience=Patience(total_s=3),
            pace=Passing().pace(),
        )
        self.opened.enter_context(closing(store))
        return CheckedStore(store, f"gs://{options.bucket}/{prefix}")

    def put(self, key: str, data: bytes) -> None:
        """Write a record past the store and the proxy."""
        self.server.put_object(self.bucket, f"team/{key}", data)

    def methods(self) -> list[str]:
        """The methods of the requests since the last call, in order."""
        methods = [request.method for request in self.proxy.requests]
        self.proxy.forget()
        return methods


@pytest.fixture
def site(gcs_server: GCSServer, proxy_before: Callable[[Server], FaultProxy]) -> Iterator[Site]:
    site = Site(gcs_server, proxy_before(gcs_server), gcs_server.new_bucket())
    with site.opened:
        yield site


@pytest.fixture
def store(site: Site) -> CheckedStore:
    """A store over the bucket."""
    return site.open()
