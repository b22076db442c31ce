"""Who holds a key, what a held signal is, which one a wait gets, and what a signal is told: against slow twins.

A decision looks at the highest record and at one wait. Its twin goes through all that ever happened.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st
from swamp_core.records.base import Absent, Found, Unreadable
from swamp_core.records.early import EarlyEnd, EarlySignal, EarlyTake, Use, accepted
from swamp_core.records.families import (
    Accepted,
    Cancelled,
    KeyRecord,
    Receipt,
    Registration,
    Release,
    TimedOut,
)
from swamp_core.waits.claiming import Free as FreeKey
from swamp_core.waits.claiming import Held, Overdue, decide_key_holder
from swamp_core.waits.delivering import choose_signal
from swamp_core.waits.early import Ended, Free, HeldSignal, Reserved, Used, decide_state
from swamp_core.waits.signals import (
    AlreadySettled,
    Closed,
    Expired,
    IdempotencyConflict,
    InvalidPayload,
    Repeated,
    Signal,
    Take,
    answer_from,
    decide_signal,
)

from tests.explored.claims import KEY, NOW, WORKFLOW, claim_of
from tests.explored.early import early, registration_of

WAITS = "abc"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


def of_wait(wait: str) -> dict[str, str]:
    return {"wait_id": wait, "workflow": WORKFLOW, "run_id": f"run-{wait}", "job": "j", "step": "review"}


def at(second: int):
    return NOW + timedelta(seconds=second)


def signal_taken(wait: str, receipt: str, *, second: int = 0, payload: dict | None = None, key: str = "k"):
    """The outcome that a wait has the signal of this receipt."""
    told = Receipt(id=receipt, wait_id=wait, received_at=at(second), submitted_by="ann", idempotency_key=key)
    return Accepted(**of_wait(wait), at=at(second), receipt=told, payload=payload or {}, key_name=KEY)


waits = st.sampled_from(WAITS)
ways = st.sampled_from(["accepted", "cancelled", "timed out", "unreadable"])


def outcome_of(wait: str, way: str):
    match way:
        case "accepted":
            return Found(signal_taken(wait, "s0"))
        case "cancelled":
            return Found(Cancelled(**of_wait(wait), at=NOW))
        case "timed out":
            return Found(TimedOut(**of_wait(wait), at=NOW))
        case _:
            return Unreadable("there", "it is spoiled")


@dataclass
class KeyWorld:
    """The records of a key and its waits, as the protocols make them; `history` is all that happened, in order."""

    highest: KeyRecord | None = None
    outcomes: dict[str, object] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    now: int = 0
    history: list[tuple] = field(default_factory=list)

    def decided(self):
        wait = getattr(self.highest, "wait_id", "")
        outcome = self.outcomes.get(wait, Absent())
        return decide_key_holder(self.highest, outcome, at(self.now), is_marked=wait not in self.ended)

    def number(self) -> int:
        return self.highest.number + 1 if self.highest else 1

    def claims(self, wait: str, lasts: int) -> None:
        if any(event[:2] == ("claimed", wait) for event in self.history) or wait in self.ended:
            return
        holder = self.decided()
        if isinstance(holder, Held):
            return
        if isinstance(holder, Overdue):
            self.settles(holder.claim.wait_id, "timed out")
        self.highest = claim_of(wait, number=self.number(), deadline=at(self.now + lasts))
        self.history.append(("claimed", wait, self.now + lasts))

    def settles(self, wait: str, way: str) -> None:
        if wait not in self.ended:
            self.outcomes.setdefault(wait, outcome_of(wait, way))
            self.history.append(("settled", wait))

    def ends(self, wait: str) -> None:
        self.settles(wait, "cancelled")
        self.ended.add(wait)
        self.history.append(("ended", wait))
        if getattr(self.highest, "wait_id", None) == wait:
            self.highest = Release(workflow=WORKFLOW, key_name=KEY, number=self.number())

    def loses(self, wait: str) -> None:
        """The mark goes, and whoever deleted it came to nothing more."""
        self.ended.add(wait)
        self.history.append(("ended", wait))

    def removes(self, wait: str) -> None:
        if wait in self.ended:
            self.outcomes.pop(wait, None)


def holders(world: KeyWorld) -> dict[str, int]:
    """The twin: each wait that ever claimed and that nothing ever closed, with its deadline."""
    closed = {wait for event, wait, *_ in world.history if event != "claimed"}
    claimed = [(wait, deadline) for event, wait, *deadline in world.history if event == "claimed"]
    return {wait: deadline[0] for wait, deadline in claimed if wait not in closed}


key_steps = st.one_of(
    st.tuples(st.just("claims"), waits, st.integers(1, 4)),
    st.tuples(st.just("settles"), waits, ways),
    st.tuples(st.sampled_from(["ends", "loses", "removes"]), waits),
    st.tuples(st.just("passes"), st.integers(1, 3)),
)


@settings(max_examples=500)
@given(st.lists(key_steps, max_size=25))
def test_the_key_is_held_by_the_one_wait_that_claimed_it_and_is_open(steps):
    """The highest claim and its wait say who that is: no wait before it is open, whatever happened."""
    world = KeyWorld()
    for name, *arguments in steps:
        if name == "passes":
            world.now += arguments[0]
        else:
            getattr(world, name)(*arguments)
        expected = holders(world)
        assert len(expected) <= 1, world.history
        match world.decided():
            case FreeKey():
                assert expected == {}, world.history
            case Held(claim=claim):
                assert list(expected) == [claim.wait_id]
                assert world.now < expected[claim.wait_id]
            case Overdue(claim=claim):
                assert list(expected) == [claim.wait_id]
                assert world.now >= expected[claim.wait_id]


@dataclass
class SignalWorld:
    """The records of a held signal and of the waits that take it, as the protocols make them, and all that happened."""

    takes: list[object] = field(default_factory=list)
    outcomes: dict[str, object] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    history: list[tuple[str, ...]] = field(default_factory=list)

    def decided(self):
        take = self.takes[-1] if self.takes else None
        wait = take.use.wait_id if isinstance(take, EarlyTake) else ""
        outcome = self.outcomes.get(wait, Absent())
        return decide_state(early("s"), take, outcome, is_marked=wait not in self.ended)

    def numbered(self) -> dict[str, object]:
        return {"workflow": WORKFLOW, "key_name": KEY, "signal_id": "s", "number": len(self.takes) + 1}

    def takes_it(self, wait: str) -> None:
        if isinstance(self.decided(), Free) and wait not in self.ended and wait not in self.outcomes:
            self.takes.append(EarlyTake(**self.numbered(), use=use_by(wait), mark=1))
            self.history.append(("taken", wait))

    def gets_it(self, wait: str) -> None:
        """Who has the highest take makes the signal the outcome of the wait that it names."""
        take = self.takes[-1] if self.takes else None
        is_taker = isinstance(take, EarlyTake) and take.use.wait_id == wait
        if is_taker and wait not in self.outcomes and wait not in self.ended:
            self.outcomes[wait] = Found(accepted(early("s"), use_by(wait)))
            self.history.append(("used", wait))

    def settles(self, wait: str, way: str) -> None:
        if wait not in self.outcomes and wait not in self.ended:
            self.outcomes[wait] = outcome_of(wait, way)
            if way != "unreadable":
                self.history.append(("came to something else", wait))

    def ends(self, wait: str) -> None:
        """The end of the run of a wait: what it used is ended before its mark goes."""
        if wait in self.ended:
            return
        self.settles(wait, "cancelled")
        if ("used", wait) in self.history and not isinstance(self.decided(), Ended):
            self._end("used", use_by(wait))
        self.ended.add(wait)
        self.history.append(("run over", wait))

    def removes(self, wait: str) -> None:
        if wait in self.ended:
            self.outcomes.pop(wait, None)

    def dies(self, wait: str) -> None:
        """The run of a wait that has taken the signal is deleted at once."""
        self.takes_it(wait)
        self.ends(wait)
        self.removes(wait)

    def gives_up(self, reason: str) -> None:
        if isinstance(self.decided(), Free):
            self._end(reason)

    def spoils(self) -> None:
        if self.takes and ("ended",) not in [event[:1] for event in self.history]:
            self.takes[-1] = Unreadable("there", "it is spoiled")
            self.history.append(("spoiled",))

    def _end(self, reason: str, use: Use | None = None) -> None:
        self.takes.append(EarlyEnd(**self.numbered(), reason=reason, use=use, expires_at=NOW))
        self.history.append(("ended", reason))


def use_by(wait: str) -> Use:
    return Use(wait_id=wait, run_id=f"run-{wait}", job="j", step="review", taken_at=NOW)


def told_of(history: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The twin: what a signal is, after all that happened to it."""
    has: tuple[str, ...] = ("free",)
    for event, *words in history:
        match event:
            case "ended":
                return ("ended", *words)
            case "spoiled":
                has = ("reserved",)
            case "taken":
                has = ("reserved", words[0])
            case "used" if has == ("reserved", words[0]):
                has = ("used", words[0])
            case "came to something else" | "run over" if has[1:] == (words[0],):
                has = ("free",)
    return has


signal_steps = st.one_of(
    st.tuples(st.sampled_from(["takes_it", "gets_it", "ends", "removes", "dies"]), waits),
    st.tuples(st.just("settles"), waits, ways),
    st.tuples(st.just("gives_up"), st.sampled_from(["expired", "discarded"])),
    st.tuples(st.just("spoils")),
)


@settings(max_examples=500)
@given(st.lists(signal_steps, max_size=25))
def test_a_signal_is_what_its_highest_take_and_that_wait_say(steps):
    """Free, reserved, used or ended: all that came before the highest take counts for nothing; one wait uses it."""
    world = SignalWorld()
    for name, *arguments in steps:
        getattr(world, name)(*arguments)
        match world.decided():
            case Free():
                decided: tuple[str, ...] = ("free",)
            case Reserved(use=use):
                decided = ("reserved", use.wait_id) if use else ("reserved",)
            case Used(use=use):
                decided = ("used", use.wait_id)
            case Ended(end=end):
                decided = ("ended", end.reason)
        assert decided == told_of(world.history), world.history
        assert len({event[1] for event in world.history if event[0] == "used"}) <= 1, world.history


payloads = st.sampled_from([{"n": 1}, {"n": 2}, {"n": 1.0}, {"n": True}, {}])
states = st.sampled_from(["free", "ours", "theirs", "nobody's", "used", "ended"])


def held_signal(name: str, payload: dict, state: str, expires: int) -> HeldSignal:
    signal: EarlySignal = early(name).model_copy(update={"payload": payload, "expires_at": at(expires)})
    end = EarlyEnd(
        workflow=WORKFLOW, key_name=KEY, signal_id=name, number=1, reason="discarded", expires_at=NOW
    )
    found = {
        "free": Free(),
        "ours": Reserved(use_by("a")),
        "theirs": Reserved(use_by("b")),
        "nobody's": Reserved(None),
        "used": Used(use_by("b")),
        "ended": Ended(end),
    }
    return HeldSignal(signal, 0 if state == "free" else 1, found[state])


helds = st.lists(st.tuples(payloads, states, st.integers(-2, 2)), max_size=8)


@given(helds, st.booleans(), st.integers(-2, 2))
def test_a_wait_gets_what_it_has_taken_or_else_the_oldest_that_it_may_take(given_held, has_schema, deadline):
    """In words: it fits the schema, the wait is not overdue; ours first, then what is free and has not expired."""
    registration: Registration = registration_of("a").model_copy(
        update={"payload_schema": SCHEMA if has_schema else None, "deadline": at(deadline)}
    )
    held = [held_signal(f"s{number}", *each) for number, each in enumerate(given_held)]
    expected = None
    for is_ours in (True, False):
        for each, (payload, state, expires) in zip(held, given_held, strict=True):
            is_valid = not has_schema or type(payload.get("n")) is int
            is_wanted = state == "ours" if is_ours else (state == "free" and expires > 0)
            if expected is None and deadline > 0 and is_valid and is_wanted:
                expected = each
    assert choose_signal(registration, held, NOW) == expected


sent = st.builds(
    Signal,
    payload=payloads,
    idempotency_key=st.sampled_from(["k1", "k2"]),
    receipt_id=st.sampled_from("xyz"),
    submitted_by=st.just("ann"),
)
wait_steps = st.one_of(
    sent,
    st.integers(1, 2),
    st.just(Cancelled(**of_wait("a"), at=NOW)),
    st.just(TimedOut(**of_wait("a"), at=NOW)),
)


def answered(history: list[object], signal: Signal, deadline: int) -> type:
    """The twin: what a signal is told by a wait to which all this happened."""
    now, first = 0, None
    for event in history:
        if isinstance(event, int):
            now += event
            continue
        is_taken = not isinstance(event, Signal) or (now < deadline and type(event.payload.get("n")) is int)
        first = first or (event if is_taken else None)
    if isinstance(first, Signal):
        is_same = first.receipt_id == signal.receipt_id
        has_same_key = first.idempotency_key == signal.idempotency_key
        is_equal = repr(first.payload) == repr(signal.payload)
        if is_same or (has_same_key and is_equal):
            return Repeated
        return IdempotencyConflict if has_same_key else AlreadySettled
    if first is not None:
        return Closed if isinstance(first, Cancelled) else Expired
    if now >= deadline:
        return Expired
    return Take if type(signal.payload.get("n")) is int else InvalidPayload


@given(st.lists(wait_steps, max_size=12), sent, st.integers(1, 4))
def test_the_first_that_a_wait_comes_to_is_all_that_it_comes_to(history, last, deadline):
    """Only an open, unexpired wait takes a signal, and what it has taken answers all that come later."""
    registration = registration_of("a").model_copy(
        update={"payload_schema": SCHEMA, "deadline": at(deadline)}
    )
    now, outcome = 0, None
    for number, event in enumerate([*history, last]):
        if isinstance(event, int):
            now += event
        elif not isinstance(event, Signal):
            outcome = outcome or event
        else:
            decided = decide_signal(registration, event, at(now)) if outcome is None else None
            told = decided if decided else answer_from(outcome, event)
            assert type(told) is answered(history[:number], event, deadline)
            outcome = told.outcome if isinstance(told, Take) else outcome
