"""A reply that is lost changes no answer.

True stays the creator's, False stays everybody else's, and no guess.
"""

from __future__ import annotations

import pytest
from swamp_core.store import OutcomeUnknown, StoreUnavailable

from swamp_store_contract.under_test import Fault, StoreUnderTest


class LostRepliesChangeNoAnswer:
    """`put_if_absent` tells the truth although requests and replies are lost, or says that it cannot."""

    def test_a_lost_reply_is_true(self, under_test: StoreUnderTest) -> None:
        """The record landed, its reply did not: the create is won.

        Breaks by: trying again and believing the "exists" that speaks of one's own record.
        """
        store = under_test.open()
        with under_test.inject(store, "put_if_absent", Fault.LOST_REPLY):
            assert store.put_if_absent("lost/reply", b"mine") is True
        assert under_test.raw_get("lost/reply") == b"mine"
        assert under_test.raw_keys() == {"lost/reply"}

    @pytest.mark.parametrize("fault", [Fault.LOST_REPLY, Fault.LOST_REQUEST])
    @pytest.mark.parametrize("data", [b"theirs", b"mine"], ids=["equal bytes", "other bytes"])
    def test_a_lost_reply_with_another_s_record_there_is_false(
        self, under_test: StoreUnderTest, fault: Fault, data: bytes
    ) -> None:
        """Another's record is there, so the create is lost, whatever its bytes.

        Breaks by: taking equal bytes for one's own record, or any "exists" after a failure for a win.
        """
        under_test.open().put_if_absent("lost/race", b"theirs")
        store = under_test.open()
        with under_test.inject(store, "put_if_absent", fault):
            try:
                answer = store.put_if_absent("lost/race", data)
            except StoreUnavailable:
                answer = store.put_if_absent("lost/race", data)
        assert answer is False
        assert under_test.raw_get("lost/race") == b"theirs"

    @pytest.mark.parametrize("data", [b"foreign", b"mine"], ids=["equal bytes", "other bytes"])
    def test_a_record_without_a_put_id_is_another_s(self, under_test: StoreUnderTest, data: bytes) -> None:
        """A record that no Swamp store wrote is never one's own.

        Breaks by: "no put-id" read as "mine".
        """
        under_test.raw_put("lost/foreign", b"foreign")
        store = under_test.open()
        with under_test.inject(store, "put_if_absent", Fault.LOST_REPLY):
            assert store.put_if_absent("lost/foreign", data) is False
        assert under_test.raw_get("lost/foreign") == b"foreign"

    def test_a_lost_reply_and_no_retries_left_is_outcome_unknown(self, under_test: StoreUnderTest) -> None:
        """Every reply is lost: the store says that it does not know, never False.

        Breaks by: any guess.
        """
        store = under_test.open()
        with (
            under_test.inject(store, "put_if_absent", Fault.LOST_REPLY, times=None),
            pytest.raises(OutcomeUnknown) as raised,
        ):
            store.put_if_absent("lost/unknown", b"mine")
        assert raised.value.put_id
        assert raised.value.key == "lost/unknown"
        assert under_test.open().get("lost/unknown") == b"mine"

    def test_a_lost_request_ends_with_exactly_one_record(self, under_test: StoreUnderTest) -> None:
        """A request that never arrived is sent again, or said to have stored nothing, and repeating it wins.

        Breaks by: a second record under another name, a False for a record that nobody has.
        """
        store = under_test.open()
        with under_test.inject(store, "put_if_absent", Fault.LOST_REQUEST):
            try:
                answer = store.put_if_absent("lost/request", b"mine")
            except StoreUnavailable:
                assert under_test.raw_get("lost/request") is None
                answer = store.put_if_absent("lost/request", b"mine")
        assert answer is True
        assert under_test.raw_get("lost/request") == b"mine"
        assert under_test.raw_keys() == {"lost/request"}

    @pytest.mark.parametrize("times", [1, None], ids=["once", "every time"])
    def test_a_conflict_is_not_a_lost_race(self, under_test: StoreUnderTest, times: int | None) -> None:
        """A backend that was busy with the key stored nothing and decided nothing.

        Breaks by: 409 taken for "exists".
        """
        store = under_test.open()
        with under_test.inject(store, "put_if_absent", Fault.CONFLICT, times=times):
            try:
                answer = store.put_if_absent("lost/conflict", b"mine")
            except StoreUnavailable:
                assert under_test.raw_get("lost/conflict") is None
                assert times is None, "One conflict is overcome by trying again."
            else:
                assert answer is True
                assert times == 1
        assert (under_test.raw_get("lost/conflict") is not None) is (times == 1)
