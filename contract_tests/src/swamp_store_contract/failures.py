"""What goes wrong has its type, and never looks like an answer: no False, no None, no empty listing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from swamp_core.store import (
    OutcomeUnknown,
    SignalWaitStore,
    StoreAccessDenied,
    StoreError,
    StoreNotFound,
    StoreUnavailable,
)

from swamp_store_contract.under_test import VERBS, Fault, StoreUnderTest, Verb

CALLS: dict[Verb, Callable[[SignalWaitStore, str], object]] = {
    "put_if_absent": lambda store, key: store.put_if_absent(key, b"new"),
    "get": lambda store, key: store.get(key),
    "list": lambda store, key: list(store.list(key)),
    "delete": lambda store, key: store.delete(key),
}
EXPECTED: dict[Fault, type[StoreError]] = {
    Fault.DENIED: StoreAccessDenied,
    Fault.THROTTLED: StoreUnavailable,
    Fault.UNAVAILABLE: StoreUnavailable,
}


class FailuresHaveTheirTypes:
    """Each verb raises the `StoreError` that says what the caller can do, and leaves everything as it was."""

    @pytest.mark.parametrize("verb", VERBS)
    @pytest.mark.parametrize("fault", list(EXPECTED), ids=lambda fault: fault.name.lower())
    @pytest.mark.parametrize("key", ["fail/there", "fail/absent"])
    def test_a_failure_is_never_an_answer(
        self, under_test: StoreUnderTest, verb: Verb, fault: Fault, key: str
    ) -> None:
        """Denied, throttled and unavailable each raise their type.

        Breaks by: a broad `except` that answers.
        """
        under_test.raw_put("fail/there", b"there")
        store = under_test.open()
        expected: tuple[type[StoreError], ...] = (EXPECTED[fault],)
        if verb == "put_if_absent" and fault is not Fault.DENIED:
            expected += (OutcomeUnknown,)  # a server that fails does not say whether it stored first
        with under_test.inject(store, verb, fault, times=None), pytest.raises(StoreError) as raised:
            CALLS[verb](store, key)
        assert isinstance(raised.value, expected)
        _assert_it_says_where(raised.value, verb, key)
        assert under_test.raw_get("fail/there") == b"there"
        assert under_test.raw_keys() == {"fail/there"}
        assert store.get("fail/there") == b"there"

    @pytest.mark.parametrize("verb", VERBS)
    def test_a_missing_store_is_never_an_empty_one(self, under_test: StoreUnderTest, verb: Verb) -> None:
        """A bucket or directory that is not there raises `StoreNotFound`.

        Breaks by: 404 taken for "absent".
        """
        store = under_test.open_missing()
        with pytest.raises(StoreNotFound) as raised:
            CALLS[verb](store, "fail/missing")
        _assert_it_says_where(raised.value, verb, "fail/missing")


def _assert_it_says_where(error: StoreError, verb: Verb, key: str) -> None:
    assert (error.operation, error.key) == (verb, key)
    assert error.store, "The error does not name the store."
    assert error.hint.strip(), "The error does not say what to do."
