"""The in-memory store, under the contract.

All but durability and other processes, which it does not promise.
"""

from threading import Lock

from swamp_core.store import CheckedStore, MemoryStore, SignalWaitStore
from swamp_store_contract.under_test import StoreUnderTest


class MemoryUnderTest(StoreUnderTest):
    """A store in this process's memory; two instances share its records."""

    def __init__(self, store_class: type[MemoryStore] = MemoryStore) -> None:
        self.store_class = store_class
        self.store = store_class()
        self.lock = Lock()

    def open(self) -> SignalWaitStore:
        return CheckedStore(self.store_class(self.store.records, self.lock), "memory")

    def open_elsewhere(self) -> SignalWaitStore:
        return CheckedStore(self.store_class(), "another memory")

    def raw_get(self, key: str) -> bytes | None:
        return self.store.records.get(key)

    def raw_put(self, key: str, data: bytes) -> None:
        self.store.records[key] = data

    def raw_keys(self) -> set[str]:
        return set(self.store.records)
