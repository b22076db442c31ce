from dataclasses import dataclass, field
from enum import Enum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.store import OutcomeUnknown, StoreAccessDenied, StoreUnavailable
from swamp_core.store.creating import (
    Exists,
    Landed,
    NotLanded,
    Owner,
    Pace,
    Patience,
    Reply,
    Stored,
    Unclear,
    create,
    whose_record,
)

MINE, THEIRS = "mine", "theirs"
PATIENCE = Patience(total_s=10, wait_initial_s=1, wait_max_s=4)


class Weather(Enum):
    """What happens to one request to create."""

    FINE = "it arrives and is answered"
    LOST_REQUEST = "it never arrives"
    LOST_REPLY = "it arrives, and its reply is lost"
    CONFLICT = "the backend is busy with the key"
    DENIED = "the backend refuses the credentials"


@dataclass
class Backend:
    """A key of a bucket, and what will happen to each request; past the plan, nothing gets through."""

    stored: Stored | None
    plan: list[Weather]
    reads: list[bool] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    now_s: float = 0.0
    slept_s: list[float] = field(default_factory=list)

    def send(self, put_id: str) -> Reply:
        weather = self.plan[len(self.sent)] if len(self.sent) < len(self.plan) else Weather.LOST_REQUEST
        self.sent.append(put_id)
        match weather:
            case Weather.LOST_REQUEST:
                return Unclear(TimeoutError())
            case Weather.CONFLICT:
                return NotLanded(StoreUnavailable("Busy"))
            case Weather.DENIED:
                raise StoreAccessDenied("Denied")
        reply: Reply = Exists() if self.stored else Landed()
        self.stored = self.stored or Stored(put_id)
        return Unclear(ConnectionResetError()) if weather is Weather.LOST_REPLY else reply

    def read(self) -> Stored | None:
        if self.reads and not self.reads.pop(0):
            raise StoreUnavailable("Down")
        return self.stored

    def create(self) -> bool:
        pace = Pace(clock=lambda: self.now_s, sleep=self._sleep, chance=lambda: 1.0)
        return create(self.send, self.read, put_id=MINE, patience=PATIENCE, pace=pace)

    def _sleep(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.now_s += seconds


@given(
    there=st.sampled_from([None, Stored(THEIRS), Stored(None)]),
    plan=st.lists(st.sampled_from(Weather), max_size=8),
    reads=st.lists(st.booleans(), max_size=4),
)
def test_no_weather_makes_a_create_lie(there: Stored | None, plan: list[Weather], reads: list[bool]) -> None:
    """True means that ours is stored, False that another's is, an error that it says what is known."""
    backend = Backend(there, plan, reads)
    try:
        answer = backend.create()
    except (StoreUnavailable, StoreAccessDenied):
        assert backend.stored == there, "It said that nothing was stored."
        assert {Weather.LOST_REPLY, Weather.LOST_REQUEST}.isdisjoint(plan[: len(backend.sent)])
    except OutcomeUnknown:
        assert {*plan, Weather.LOST_REQUEST} & {Weather.LOST_REPLY, Weather.LOST_REQUEST}
    else:
        assert answer is (backend.stored == Stored(MINE))
        assert answer is (there is None)
    assert set(backend.sent) == {MINE}, "Every attempt carries the one put-id."


def test_a_lost_reply_is_read_back() -> None:
    """The second attempt says "exists" of the first: ours."""
    assert Backend(None, [Weather.LOST_REPLY, Weather.FINE]).create() is True


def test_another_s_record_is_another_s_even_after_a_lost_reply() -> None:
    """The put-id decides, not the order of events."""
    assert Backend(Stored(THEIRS), [Weather.LOST_REPLY, Weather.FINE]).create() is False


def test_a_first_exists_is_read_back_too() -> None:
    """A hop on the way may have repeated our request: its first reply can speak of our own record."""
    backend = Backend(Stored(MINE), [Weather.FINE])
    assert backend.create() is True
    assert len(backend.sent) == 1


def test_a_record_that_is_gone_when_it_is_read_back_is_no_answer() -> None:
    """Whoever was there was deleted: the create is made again."""
    backend = Backend(Stored(THEIRS), [Weather.FINE, Weather.FINE])
    gone = iter([None])

    def read() -> Stored | None:
        backend.stored = next(gone, backend.stored)
        return backend.stored

    backend.read = read  # type: ignore[method-assign]
    assert backend.create() is True


def test_denied_after_a_lost_reply_is_an_unknown_outcome() -> None:
    """The credentials expired between the attempts: nobody can say that nothing was stored."""
    with pytest.raises(OutcomeUnknown) as raised:
        Backend(None, [Weather.LOST_REPLY, Weather.DENIED]).create()
    assert isinstance(raised.value.__cause__, StoreAccessDenied)
    assert raised.value.put_id == MINE


def test_a_put_id_that_may_not_be_read_is_an_unknown_outcome_at_once() -> None:
    """Waiting grants no right: the error comes after one request, and says which right it is."""
    backend = Backend(Stored(THEIRS), [Weather.FINE] * 9)

    def denied() -> Stored | None:
        raise StoreAccessDenied("The policy lacks s3:GetObject")

    backend.read = denied  # type: ignore[method-assign]
    with pytest.raises(OutcomeUnknown, match="lacks s3:GetObject"):
        backend.create()
    assert len(backend.sent) == 1


def test_denied_at_once_is_denied() -> None:
    """Nothing was sent before, so nothing is in doubt."""
    with pytest.raises(StoreAccessDenied):
        Backend(None, [Weather.CONFLICT, Weather.DENIED]).create()


def test_conflicts_without_end_stored_nothing() -> None:
    """No attempt landed, for certain: the create can be repeated with nothing to look up."""
    backend = Backend(None, [Weather.CONFLICT] * 20)
    with pytest.raises(StoreUnavailable, match="Busy"):
        backend.create()
    assert backend.stored is None


def test_the_patience_is_a_length_of_time_and_the_waits_double() -> None:
    """The last wait that would pass the end is not begun."""
    backend = Backend(None, [])
    with pytest.raises(OutcomeUnknown, match=r"sent 4 times in 7\.0 s"):
        backend.create()
    assert backend.slept_s == [1, 2, 4]


@given(st.integers(0, 10_000), st.floats(0, 1))
def test_a_wait_is_never_longer_than_its_bound_nor_shorter_than_half_of_its_turn(
    attempt: int, chance: float
) -> None:
    """Chance spreads the callers that were refused together, and never makes one wait for ever."""
    turn = min(4.0, 2.0 ** min(attempt, 10))
    assert turn / 2 <= PATIENCE.wait_s(attempt, chance) <= turn


@pytest.mark.parametrize(
    ("stored", "owner"),
    [
        (None, Owner.NOBODYS),
        (Stored(MINE), Owner.OURS),
        (Stored(THEIRS), Owner.ANOTHERS),
        (Stored(None), Owner.ANOTHERS),
        (Stored(""), Owner.ANOTHERS),
    ],
)
def test_the_put_id_tells_whose_record_it_is(stored: Stored | None, owner: Owner) -> None:
    """A record without a put-id was written by something else."""
    assert whose_record(MINE, stored) is owner


@pytest.mark.parametrize("hint", [None, "Check the proxy."])
def test_an_unknown_outcome_keeps_the_hint_of_its_cause(hint: str | None) -> None:
    """What to do about the trouble is not lost; where the cause has no hint of its own, it is to repeat."""
    backend = Backend(None, [])
    pace = Pace(clock=lambda: backend.now_s, sleep=backend._sleep, chance=lambda: 1.0)

    def lost(put_id: str) -> Reply:
        return Unclear(StoreUnavailable("Lost", hint=hint))

    with pytest.raises(OutcomeUnknown) as raised:
        create(lost, backend.read, put_id=MINE, patience=PATIENCE, pace=pace)
    assert raised.value.hint == (hint or OutcomeUnknown.default_hint)
