import os
from collections.abc import Iterator
from contextlib import closing

import pytest
from s3_live import LiveS3UnderTest
from s3_under_test import S3Service, S3UnderTest, reached
from swamp_store_contract.suite import StoreContract

from tests.servers.s3 import S3Server

LIVE = os.environ.get("SWAMP_LIVE_S3")


@pytest.fixture(scope="session")
def s3_service(s3_server: S3Server) -> Iterator[S3Service]:
    with reached(s3_server) as service:
        yield service


class TestS3Store(StoreContract):
    @pytest.fixture
    def under_test(self, s3_service: S3Service, monkeypatch: pytest.MonkeyPatch) -> S3UnderTest:
        for name, value in s3_service.server.environ.items():
            monkeypatch.setenv(name, value)
        return S3UnderTest(s3_service)


if LIVE:

    @pytest.mark.live
    class TestS3StoreLive(StoreContract):
        @pytest.fixture
        def under_test(self) -> Iterator[LiveS3UnderTest]:
            with closing(LiveS3UnderTest(LIVE)) as under_test:
                yield under_test
