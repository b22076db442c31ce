from collections.abc import Iterator

import pytest
from s3_under_test import S3Service, S3UnderTest, reached
from swamp_store_contract.suite import StoreContract

from tests.servers.s3 import S3Server


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
