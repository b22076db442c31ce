import pytest
from memory_under_test import MemoryUnderTest
from swamp_store_contract.suite import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def under_test(self) -> MemoryUnderTest:
        return MemoryUnderTest()
