"""A process that is killed anywhere in a create leaves the key absent or complete, and nobody else in trouble."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from swamp_store_contract.processes import python
from swamp_store_contract.under_test import NotProven, StoreUnderTest

DATA = "a record that must be whole " * 200
KEY = "killed/at{}/record"


class AKillLeavesAllOrNothing:
    """`put_if_absent` is one step for everybody else, even if the process that makes it does not survive it."""

    def test_a_process_killed_at_each_step_leaves_the_key_absent_or_complete(
        self, under_test: StoreUnderTest
    ) -> None:
        """Killed before each call to the system: all or nothing, and the next create works.

        Breaks by: writing in place, a lock that nobody releases.
        """
        if not hasattr(os, "fork"):
            raise NotProven("this platform cannot fork a process to kill it")
        recipe = under_test.recipe()
        if not under_test.create_calls:
            raise NotProven("the author does not name the calls that a create makes")
        told = _kill_at_each_call(
            function=recipe.function, arguments=recipe.arguments, calls=under_test.create_calls
        )
        deaths = told["died_before"]
        assert told["last_exit_code"] == 0, "A create in another process failed; its error output says why."
        assert deaths, f"A create made none of the calls {under_test.create_calls}."
        for number, call in enumerate(deaths):
            _assert_all_or_nothing(under_test, KEY.format(number), f"killed before call {number}, {call}")
        assert under_test.raw_get(KEY.format(len(deaths))) == DATA.encode()


def _assert_all_or_nothing(under_test: StoreUnderTest, key: str, where: str) -> None:
    """Look, create, look again. A request that was under way when its sender died may land in between."""
    store, whole = under_test.open(), DATA.encode()
    found = store.get(key)
    assert found in (None, whole), f"AKillLeavesAllOrNothing: {where}, `{key}` holds part of its record."
    won = store.put_if_absent(key, b"next")
    assert not (won and found), f"AKillLeavesAllOrNothing: {where}, the next create won over a record."
    expected = b"next" if won else whole
    assert under_test.raw_get(key) == store.get(key) == expected, (
        f"AKillLeavesAllOrNothing: {where}, the next create said {won}, and that is not the record of `{key}`."
    )
    assert list(store.list(key)) == [key], where


def _kill_at_each_call(**order: Any) -> dict[str, Any]:
    process = python("swamp_store_contract.killed", stdin=subprocess.PIPE)
    out, _ = process.communicate(json.dumps({**order, "key": KEY, "data": DATA}) + "\n")
    assert process.returncode == 0, "The process that dies could not start; its error output says why."
    told: dict[str, Any] = json.loads(out)
    return told
