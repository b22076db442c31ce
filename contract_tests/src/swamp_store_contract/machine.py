"""A store against a dict: any sequence of operations, on two instances, gives what the dict gives."""

from __future__ import annotations

from itertools import count

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test
from swamp_core.store import SignalWaitStore

from swamp_store_contract.under_test import StoreUnderTest

TAILS = st.sampled_from(["a", "a/x", "a/x/y", "a-b/z", "ab/y", "ab", "a.b", "b/c", "b/c/d", "0"])
PREFIXES = st.sampled_from(["", "a", "a/", "a/x", "a-", "ab", "b/", "c", "a."])
RECORDS = st.binary(max_size=64)
WHICH = st.integers(0, 1)
EXAMPLES = 25
STEPS = 30


class AStoreIsADict:
    """Create, read, list and delete in any order: the store and a dict never disagree."""

    def test_any_sequence_of_operations_gives_what_a_dict_gives(self, under_test: StoreUnderTest) -> None:
        """The dumb twin of a store is a dict.

        Breaks by: whatever no other case thought of.
        """
        stores = [under_test.open(), under_test.open()]
        worlds = count()

        class StoreAndDict(RuleBasedStateMachine):
            def __init__(self) -> None:
                super().__init__()
                self.world = f"world{next(worlds)}/"
                self.twin: dict[str, bytes] = {}

            def store(self, which: int) -> SignalWaitStore:
                return stores[which]

            @initialize(tails=st.sets(TAILS))
            def some_are_there(self, tails: set[str]) -> None:
                for tail in sorted(tails):
                    self.create(0, tail, tail.encode())

            @rule(which=WHICH, tail=TAILS, data=RECORDS)
            def create(self, which: int, tail: str, data: bytes) -> None:
                key = self.world + tail
                assert self.store(which).put_if_absent(key, data) is (key not in self.twin)
                self.twin.setdefault(key, data)

            @rule(which=WHICH, tail=TAILS)
            def read(self, which: int, tail: str) -> None:
                key = self.world + tail
                assert self.store(which).get(key) == self.twin.get(key)
                assert under_test.raw_get(key) == self.twin.get(key)

            @rule(which=WHICH, tail=TAILS)
            def delete(self, which: int, tail: str) -> None:
                self.store(which).delete(self.world + tail)
                self.twin.pop(self.world + tail, None)

            @rule(
                which=WHICH,
                tail=PREFIXES,
                after=st.none() | PREFIXES,
                limit=st.none() | st.integers(0, 4),
            )
            def listing(self, which: int, tail: str, after: str | None, limit: int | None) -> None:
                prefix = self.world + tail
                start_after = None if after is None else self.world + after
                expected = sorted(
                    key
                    for key in self.twin
                    if key.startswith(prefix) and (start_after is None or key > start_after)
                )
                listed = self.store(which).list(prefix, start_after=start_after, limit=limit)
                assert list(listed) == expected[:limit]

            @invariant()
            def everything_is_there(self) -> None:
                assert list(stores[0].list(self.world)) == sorted(self.twin)

        run_state_machine_as_test(
            StoreAndDict,
            settings=settings(
                max_examples=EXAMPLES,
                stateful_step_count=STEPS,
                deadline=None,
                report_multiple_bugs=False,
                suppress_health_check=list(HealthCheck),
                database=None,
            ),
        )
