"""The suite that a control-plane store of Swamp must pass.

An author writes a `StoreUnderTest` of about thirty lines, subclasses `StoreContract`, and runs pytest:

    from swamp_store_contract.suite import StoreContract
    from swamp_store_contract.under_test import StoreUnderTest

    class TestMyStore(StoreContract):
        @pytest.fixture
        def under_test(self, tmp_path):
            return MyStoreUnderTest(tmp_path)

Each class here is one promise of `SignalWaitStore`, each of its tests one case of it, with the way in which
stores usually break it. What cannot be shown for want of a hook is reported as not proven at the end of the
run.
"""

import pytest

pytest.register_assert_rewrite(__name__)
