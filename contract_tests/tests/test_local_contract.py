from pathlib import Path

import pytest
from local_under_test import LocalUnderTest
from swamp_store_contract.suite import StoreContract


class TestLocalStore(StoreContract):
    @pytest.fixture
    def under_test(self, tmp_path: Path) -> LocalUnderTest:
        return LocalUnderTest(tmp_path)
