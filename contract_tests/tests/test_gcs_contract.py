from collections.abc import Iterator
from contextlib import closing

import pytest
from gcs_under_test import GcsUnderTest
from swamp_store_contract.suite import StoreContract

from tests.servers.gcs import GCSServer


class TestGcsStore(StoreContract):
    @pytest.fixture
    def under_test(self, gcs_server: GCSServer) -> Iterator[GcsUnderTest]:
        with closing(GcsUnderTest(gcs_server)) as under_test:
            yield under_test
