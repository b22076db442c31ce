"""The GCS store, under the contract: at a real server, and through the fault proxy while a fault is injected."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from reference_network.under_test import InstantTime
from swamp_core.store import CheckedStore, SignalWaitStore
from swamp_core.store.creating import Patience
from swamp_store_contract.under_test import Fault, Recipe, StoreUnderTest, Verb
from swamp_store_gcs.client import open_bucket
from swamp_store_gcs.options import GcsOptions
from swamp_store_gcs.store import GcsStore

from tests.servers.faults import Answer, DropReply, DropRequest
from tests.servers.faults import Fault as OnTheWay
from tests.servers.gcs import GCSServer
from tests.servers.proxy import FaultProxy

PREFIX = "mine"


def refusal(status: int, message: str, reason: str = "") -> Answer:
    """What Cloud Storage answers when it refuses."""
    error = {"code": status, "message": message, "errors": [{"reason": reason, "message": message}]}
    return Answer(
        status, json.dumps({"error": error}).encode(), (("Content-Type", "application/json; charset=UTF-8"),)
    )


FAULTS: dict[Fault, OnTheWay] = {
    Fault.LOST_REQUEST: DropRequest(),
    Fault.LOST_REPLY: DropReply(),
    Fault.CONFLICT: refusal(409, "Conflict", "conflict"),
    Fault.DENIED: refusal(403, "someone@example.com does not have access to the object.", "forbidden"),
    Fault.THROTTLED: refusal(429, "The rate of writes to the object is too high.", "rateLimitExceeded"),
    Fault.UNAVAILABLE: refusal(503, "Backend Error", "backendError"),
}


class GcsUnderTest(StoreUnderTest):
    """A prefix of a bucket that this test has for itself."""

    store_class = GcsStore
    create_calls = (
        "urllib3.connection.HTTPConnection.request",
        "urllib3.connection.HTTPConnection.getresponse",
    )

    def __init__(self, server: GCSServer) -> None:
        self.server = server
        self.bucket = server.new_bucket()
        self._opened = ExitStack()

    def close(self) -> None:
        self._opened.close()

    def open(self) -> SignalWaitStore:
        return self.open_at(self.bucket, PREFIX)

    def open_elsewhere(self) -> SignalWaitStore:
        return self.open_at(self.bucket, f"{PREFIX}-2")

    def open_missing(self) -> SignalWaitStore:
        return self.open_at("nobodys", PREFIX)

    def open_at(self, bucket: str, prefix: str, *, patience: Patience | None = None) -> CheckedStore:
        """A store that does not really wait between its attempts."""
        options = GcsOptions(bucket=bucket, prefix=prefix, endpoint_url=self.server.endpoint_url)
        store = self.store_class(
            open_bucket(options),
            options.start,
            patience=patience or Patience(total_s=3),
            pace=InstantTime().pace(),
        )
        self._opened.callback(store.close)
        return CheckedStore(store, f"gs://{bucket}/{prefix}")

    def recipe(self) -> Recipe:
        return Recipe("swamp_core.store:open_store", (self.server.url(self.bucket, PREFIX),))

    def raw_get(self, key: str) -> bytes | None:
        return self.server.get_object(self.bucket, f"{PREFIX}/{key}")

    def raw_put(self, key: str, data: bytes) -> None:
        self.server.put_object(self.bucket, f"{PREFIX}/{key}", data)

    def raw_keys(self) -> set[str]:
        start = f"{PREFIX}/"
        names = self.server.names(self.bucket)
        return {name.removeprefix(start) for name in names if name.startswith(start)}

    @contextmanager
    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> Iterator[None]:
        with self.behind_a_proxy(store) as proxy, proxy.failing(verb, FAULTS[fault], times=times):
            yield

    @contextmanager
    def behind_a_proxy(self, store: SignalWaitStore) -> Iterator[FaultProxy]:
        """Within the context, the store speaks to its server through a proxy."""
        assert isinstance(store, CheckedStore)
        assert isinstance(store.unchecked, GcsStore)
        gcs, direct = store.unchecked, store.unchecked.bucket
        with FaultProxy(self.server.endpoint_url, self.server.verb_of) as proxy:
            gcs.bucket = open_bucket(GcsOptions(bucket=self.bucket, endpoint_url=proxy.url))
            try:
                yield proxy
            finally:
                gcs.close()
                gcs.bucket = direct
