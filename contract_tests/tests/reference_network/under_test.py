"""The reference network store, under the contract."""

from __future__ import annotations

from contextlib import AbstractContextManager

from swamp_core.store import CheckedStore, SignalWaitStore
from swamp_core.store.creating import Pace, Patience
from swamp_store_contract.under_test import Fault, Recipe, StoreUnderTest, Verb

from reference_network.server import Server
from reference_network.store import NetworkStore
from reference_network.transport import Transport


class InstantTime:
    """A clock that moves only when somebody sleeps, so that no test waits for the store's patience to end."""

    def __init__(self) -> None:
        self._now_s = 0.0

    def pace(self) -> Pace:
        return Pace(clock=lambda: self._now_s, sleep=self._pass, chance=lambda: 1.0)

    def _pass(self, seconds: float) -> None:
        self._now_s += seconds


class NetworkUnderTest(StoreUnderTest):
    """A bucket of a server that runs for this test."""

    store_class = NetworkStore
    create_calls = ("http.client.HTTPConnection.request", "http.client.HTTPConnection.getresponse")

    def __init__(self) -> None:
        self.server = Server("mine", "theirs")
        self.bucket = self.server.buckets["mine"]
        self.transports: list[Transport] = []

    def close(self) -> None:
        for transport in self.transports:
            transport.close()
        self.server.close()

    def open(self) -> SignalWaitStore:
        return self._open("mine")

    def open_elsewhere(self) -> SignalWaitStore:
        return self._open("theirs")

    def open_missing(self) -> SignalWaitStore:
        return self._open("nobodys")

    def recipe(self) -> Recipe:
        return Recipe("reference_network.store:open_network_store", (self.server.address, "mine"))

    def raw_get(self, key: str) -> bytes | None:
        found = self.bucket.objects.get(key)
        return None if found is None else found[1]

    def raw_put(self, key: str, data: bytes) -> None:
        self.bucket.objects[key] = (None, data)

    def raw_keys(self) -> set[str]:
        return set(self.bucket.objects)

    def inject(
        self, store: SignalWaitStore, verb: Verb, fault: Fault, *, times: int | None = 1
    ) -> AbstractContextManager[None]:
        assert isinstance(store, CheckedStore)
        assert isinstance(store.unchecked, NetworkStore)
        return store.unchecked.transport.failing(verb, fault, times)

    def _open(self, bucket: str) -> SignalWaitStore:
        transport = Transport(self.server.address)
        self.transports.append(transport)
        store = self.store_class(transport, bucket, Patience(total_s=3), InstantTime().pace())
        return CheckedStore(store, f"network://{bucket}")
