"""A request that may be repeated is made again while that can help, and within a bound of attempts and of time."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.store import OutcomeUnknown, StoreAccessDenied, StoreUnavailable
from swamp_core.store.creating import Pace, Patience
from swamp_core.store.repeating import ATTEMPTS_MAX, repeated

BUSY = StoreUnavailable("It is busy")


@dataclass
class Service:
    """It raises what was given, one after the other, and answers then. Each request takes as long as it says."""

    raises: list[Exception]
    takes_s: float = 0.0
    now_s: float = 0.0
    begun_at: list[float] = field(default_factory=list)

    def ask(self) -> str:
        self.begun_at.append(self.now_s)
        self.now_s += self.takes_s
        if self.raises:
            raise self.raises.pop(0)
        return "here"

    def pace(self, chance: float = 1.0) -> Pace:
        return Pace(clock=lambda: self.now_s, sleep=self._pass, chance=lambda: chance)

    def _pass(self, seconds: float) -> None:
        self.now_s += seconds


def test_a_request_that_is_answered_is_made_once() -> None:
    """Nothing is paid for what did not happen."""
    service = Service([])
    assert repeated(service.ask, patience=Patience(), pace=service.pace()) == "here"
    assert service.begun_at == [0.0]


def test_what_passes_is_overcome() -> None:
    """Seven times in a row it was busy, and the waits between grow."""
    service = Service([BUSY] * (ATTEMPTS_MAX - 1))
    assert repeated(service.ask, patience=Patience(), pace=service.pace()) == "here"
    waits = [later - sooner for sooner, later in zip(service.begun_at, service.begun_at[1:], strict=False)]
    assert waits == pytest.approx([0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0])


@pytest.mark.parametrize(
    "error", [StoreAccessDenied("no"), OutcomeUnknown("?", put_id="1"), KeyError("a bug")]
)
def test_what_does_not_pass_is_raised_at_once(error: Exception) -> None:
    """Asking again would give the same."""
    service = Service([error])
    with pytest.raises(type(error)):
        repeated(service.ask, patience=Patience(), pace=service.pace())
    assert len(service.begun_at) == 1


def test_a_service_that_never_answers_is_given_up_after_its_second_time_out() -> None:
    """A time-out of 20 seconds fits into 30 seconds once more, and no third time."""
    service = Service([BUSY] * 99, takes_s=20.0)
    with pytest.raises(StoreUnavailable):
        repeated(service.ask, patience=Patience(), pace=service.pace())
    assert service.now_s == pytest.approx(40.05)


@given(takes_s=st.floats(0, 40), total_s=st.floats(0, 60), chance=st.floats(0, 1))
def test_no_attempt_begins_when_the_patience_has_ended(takes_s: float, total_s: float, chance: float) -> None:
    """However long a request takes, and whatever chance says."""
    service = Service([BUSY] * 99, takes_s=takes_s)
    with pytest.raises(StoreUnavailable):
        repeated(service.ask, patience=Patience(total_s=total_s), pace=service.pace(chance))
    assert len(service.begun_at) <= ATTEMPTS_MAX
    assert all(begun_at <= total_s for begun_at in service.begun_at)
