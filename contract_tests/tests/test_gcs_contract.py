import os
from collections.abc import Iterator
from contextlib import closing

import pytest
from gcs_live import LiveGcsUnderTest
from gcs_under_test import GcsUnderTest
from swamp_store_contract.suite import StoreContract

from tests.servers.gcs import GCSServer

LIVE = os.environ.get("SWAMP_LIVE_GCS")


class TestGcsStore(StoreContract):
    @pytest.fixture
    def under_test(self, gcs_server: GCSServer) -> Iterator[GcsUnderTest]:
        with closing(GcsUnderTest(gcs_server)) as under_test:
            yield under_test


if LIVE:

    @pytest.mark.live
    class TestGcsStoreLive(StoreContract):
        @pytest.fixture
        def under_test(self) -> Iterator[LiveGcsUnderTest]:
            with closing(LiveGcsUnderTest(LIVE)) as under_test:
                yield under_test
