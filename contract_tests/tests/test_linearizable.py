"""The check of histories agrees with a dumb one on small histories, and finds each kind of lie."""

from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from linearizable import (
    Create,
    Delete,
    DoesNotFit,
    Listed,
    Read,
    Record,
    Step,
    Told,
    What,
    is_linearizable,
    record_after,
    steps_of,
)

A, B = b"a", b"b"


def in_turn(*whats: What) -> list[Told]:
    """A history of one operation after the other."""
    return [Told(2 * number, 2 * number + 1, what) for number, what in enumerate(whats)]


def at_once(*whats: What) -> list[Told]:
    """A history in which all operations are under way at the same time."""
    return [Told(number, 100 + number, what) for number, what in enumerate(whats)]


@pytest.mark.parametrize(
    "history",
    [
        in_turn(),
        in_turn(Read(None), Create(A, True), Read(A), Listed(True), Create(B, False), Read(A)),
        in_turn(Create(A, True), Delete(True), Read(None), Listed(False), Create(B, True), Read(B)),
        in_turn(Delete(True), Create(A, True)),
        in_turn(Create(A, None), Read(None)),
        in_turn(Create(A, None), Read(A), Create(B, False)),
        in_turn(Create(A, True), Delete(False), Read(A)),
        in_turn(Create(A, True), Delete(False), Read(None)),
        at_once(Create(A, False), Create(B, True), Read(None), Read(B), Listed(False), Listed(True)),
        at_once(Create(A, True), Delete(True), Create(B, True)),
        [Told(0, 9, Create(A, True)), Told(1, 2, Read(A)), Told(3, 4, Delete(True)), Told(5, 6, Read(None)),
         Told(7, 8, Read(A))],
        [Told(0, 9, Delete(True)), Told(1, 2, Create(A, True)), Told(3, 4, Read(None)),
         Told(5, 6, Create(B, True)), Told(7, 8, Read(None))],
        [Told(0, 9, Create(A, False)), Told(1, 2, Read(A)), Told(3, 4, Delete(True)), Told(5, 6, Create(B, True))],
    ],
)  # fmt: skip
def test_what_one_record_can_have_told(history: list[Told]) -> None:
    """Races, doubts, and what was done once more because a reply was lost, have an order that explains them."""
    assert is_linearizable(history)


@pytest.mark.parametrize(
    ("history", "lie"),
    [
        (in_turn(Create(A, True), Create(B, True)), "two winners"),
        (at_once(Create(A, True), Create(B, True)), "two winners of a race"),
        (at_once(Create(A, False), Create(B, False)), "no winner"),
        (in_turn(Create(A, True), Read(None)), "a record that is lost"),
        (in_turn(Create(A, True), Listed(False)), "a listing that leaves it out"),
        (in_turn(Create(A, False)), "lost against nobody"),
        (in_turn(Create(A, True), Read(B), Create(B, None)), "read before it was written"),
        (in_turn(Create(A, True), Read(B)), "read what nobody wrote"),
        (in_turn(Create(A, False), Read(A)), "lost, and stored"),
        (in_turn(Create(A, None), Create(B, True), Read(A)), "one that failed, after the other won"),
        (in_turn(Create(A, True), Delete(True), Read(A)), "read after the delete"),
        (in_turn(Create(A, True), Delete(True), Listed(True)), "listed after the delete"),
        (in_turn(Create(A, True), Delete(True), Create(B, False)), "lost against what was deleted"),
        (in_turn(Read(None), Create(A, None), Read(A), Read(None)), "there and gone without a delete"),
        (in_turn(Listed(True)), "listed without a create"),
        (in_turn(Create(A, True), Delete(True), Create(B, True), Read(A)), "an old record comes back"),
    ],
)  # fmt: skip
def test_a_lie_is_found(history: list[Told], lie: str) -> None:
    """Each breach of the promise has no order that explains it."""
    assert not is_linearizable(history), lie


def test_a_long_history_is_checked_quickly() -> None:
    """Eight at a time, for many operations, with doubts: the search does not explode."""
    whats: list[What] = [Create(A, True)]
    for number in range(100):
        whats += [Create(b"%d" % number, False), Read(A), Listed(True)]
    history = [Told(3 * number, 3 * number + 22, what) for number, what in enumerate(whats[1:], 1)]
    assert is_linearizable([Told(0, 1, whats[0]), *history])
    assert not is_linearizable([Told(0, 1, whats[0]), *history, Told(9999, 10000, Read(B))])


def dumb(history: list[Told], again_max: int) -> bool:
    """Every choice and every order of the steps."""
    steps = list(steps_of(history, again_max))
    musts = [step for step in steps if not step.optional]
    mays = [step for step in steps if step.optional]
    return any(
        explains(order)
        for size in range(len(mays) + 1)
        for chosen in combinations(mays, size)
        for order in permutations([*musts, *chosen])
    )


def explains(order: tuple[Step, ...]) -> bool:
    if any(later.ended < earlier.began for earlier, later in combinations(order, 2)):
        return False
    record: Record = None
    for step in order:
        try:
            record = record_after(step.what, record)
        except DoesNotFit:
            return False
    return True


@st.composite
def histories(draw: st.DrawFn) -> list[Told]:
    """A few operations that overlap in any way; a create writes what no other does."""
    size = draw(st.integers(1, 4))
    times = draw(st.permutations(range(2 * size)))
    datas = [b"%d" % number for number in range(size)]
    history: list[Told] = []
    changing = 0
    for number in range(size):
        began, ended = sorted(times[2 * number : 2 * number + 2])
        looks = [
            st.builds(Read, st.none() | st.sampled_from(datas)),
            st.builds(Listed, st.booleans()),
        ]
        changes = [
            st.builds(Create, st.just(datas[number]), st.none() | st.booleans()),
            st.builds(Delete, st.booleans()),
        ]
        what: What = draw(st.one_of(*(looks if changing == 3 else [*changes, *looks])))
        changing += isinstance(what, Create | Delete)
        history.append(Told(began, ended, what))
    return history


@given(histories())
def test_a_dumb_search_agrees(history: list[Told]) -> None:
    """Whatever the operations were told, and however they overlapped."""
    assert is_linearizable(history, again_max=1) is dumb(history, 1)
