"""When a condition holds, against a table and against the laws of logic."""

import pytest
from definition_strategies import CONDITIONS
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.workflow.conditions import AllOf, End, Not, holds

STATUSES = ("succeeded", "failed", "skipped")
HOLDS_FOR = {
    "always": {"succeeded", "failed", "skipped"},
    "succeeded": {"succeeded"},
    "failed": {"failed"},
    "completed": {"succeeded", "failed"},
    "skipped": {"skipped"},
}


@pytest.mark.parametrize("kind", HOLDS_FOR)
def test_an_end_is_held_by_the_statuses_it_names(kind):
    """`completed` means that it ran, whichever way; `always` is any end; the others name one status."""
    assert {status for status in STATUSES if holds(End(type=kind), status)} == HOLDS_FOR[kind]


def statuses_of(condition):
    """The dumb twin: the set of statuses for which the condition holds, by set algebra."""
    if isinstance(condition, End):
        return HOLDS_FOR[condition.type]
    if isinstance(condition, Not):
        return set(STATUSES) - statuses_of(condition.condition)
    sets = [statuses_of(part) for part in condition.conditions]
    return set.intersection(*sets) if isinstance(condition, AllOf) else set.union(*sets)


@given(CONDITIONS, st.sampled_from(STATUSES))
def test_and_or_not_are_the_operations_on_sets(condition, status):
    """Conditions combine as the sets of statuses for which they hold."""
    assert holds(condition, status) == (status in statuses_of(condition))
