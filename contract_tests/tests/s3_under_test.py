"""The S3 store, under the contract: on a real SDK, through the fault proxy, before moto's server.

Raw access talks to the server without any SDK, and faults are what the proxy answers or drops. Clients are shared by
all tests, because one costs a fifth of a second; stores are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from reference_network.under_test import InstantTime
from swamp_core.store import CheckedStore, SignalWaitStore
from swamp_core.store.creating import Patience
from swamp_store_contract.under_test import Fault, Recipe, StoreUnderTest, Verb
from swamp_store_s3.client import open_client
from swamp_store_s3.options import S3Options
from swamp_store_s3.store import S3Store

from tests.servers.faults import Answer, DropReply, DropRequest
from tests.servers.faults import Fault as NetworkFault
from tests.servers.proxy import FaultProxy
from tests.servers.s3 import REGION, S3Server

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

PREFIX = "team/store"
ELSEWHERE = "team/store-2"


def refusal(status: int, code: str) -> Answer:
    """An error as S3 words it."""
    body = f'<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>{code}</Code><Message>No.</Message></Error>'
    return Answer(status, body.encode(), (("Content-Type", "application/xml"), ("x-amz-request-id", "1")))


FAULTS: dict[Fault, NetworkFault] = {
    Fault.LOST_REQUEST: DropRequest(),
    Fault.LOST_REPLY: DropReply(),
    Fault.CONFLICT: refusal(409, "ConditionalRequestConflict"),
    Fault.DENIED: refusal(403, "AccessDenied"),
    Fault.THROTTLED: refusal(503, "SlowDown"),
    Fault.UNAVAILABLE: DropRequest(),
}


@dataclass(frozen=True, slots=True)
class S3Service:
    """A server, the proxy before it, and a client of the proxy."""

    server: S3Server
    proxy: FaultProxy
    client: S3Client


@contextmanager
def reached(server: S3Server) -> Iterator[S3Service]:
    """The server behind a proxy of its own."""
    with FaultProxy(server.endpoint_url, server.verb_of) as proxy, pytest.MonkeyPatch.context() as patch:
        for name, value in server.environ.items():
            patch.setenv(name, value)
        options = S3Options(bucket="any-bucket", region=REGION, endpoint_url=proxy.url)
        client = open_client(options)
        patch.undo()
        yield S3Service(server, proxy, client)


class S3UnderTest(StoreUnderTest):
    """A bucket of this test."""

    store_class = S3Store
    create_calls = (
        "socket.socket.connect",
        "socket.socket.sendall",
        "http.client.HTTPConnection.getresponse",
    )

    def __init__(self, service: S3Service) -> None:
        self.service = service
        self.bucket = service.server.new_bucket()

    def open(self) -> SignalWaitStore:
        return self.open_at(self.bucket, PREFIX)

    def open_elsewhere(self) -> SignalWaitStore:
        return self.open_at(self.bucket, ELSEWHERE)

    def open_missing(self) -> SignalWaitStore:
        return self.open_at("nobodys-bucket", PREFIX)

    def open_at(self, bucket: str, prefix: str) -> SignalWaitStore:
        store = self.store_class(
            self.service.client,
            bucket,
            prefix,
            endpoint_url=None,  # It lists in byte order, as AWS does, and no note of it stands among the keys.
            patience=Patience(total_s=3),
            pace=InstantTime().pace(),
        )
        return CheckedStore(store, f"s3://{bucket}/{prefix}")

    def recipe(self) -> Recipe:
        return Recipe("swamp_core.store:open_store", (self.service.server.url(self.bucket, PREFIX),))

    def raw_get(self, key: str) -> bytes | None:
        return self.service.server.get_object(self.bucket, f"{PREFIX}/{key}")

    def raw_put(self, key: str, data: bytes) -> None:
        self.service.server.put_object(self.bucket, f"{PREFIX}/{key}", data)

    def raw_keys(self) -> set[str]:
        names = self.service.server.names(self.bucket)
        return {name.removeprefix(f"{PREFIX}/") for name in names if name.startswith(f"{PREFIX}/")}

    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> AbstractContextManager[None]:
        return self.service.proxy.failing(verb, FAULTS[fault], times=times)
