from collections.abc import Iterator
from contextlib import closing

import pytest
from reference_network.under_test import NetworkUnderTest
from swamp_store_contract.suite import StoreContract


class TestReferenceNetworkStore(StoreContract):
    @pytest.fixture
    def under_test(self) -> Iterator[NetworkUnderTest]:
        with closing(NetworkUnderTest()) as under_test:
            yield under_test
