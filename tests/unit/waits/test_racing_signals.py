"""Who opens waits and who sends signals by key, released together, round after round, on each store.

1,000 rounds on the stores that cost no requests; on the servers as many as take a few seconds, or as many
as `RACING_ROUNDS` says.
"""

import os
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from swamp_core.records.base import Found
from swamp_core.records.families import Accepted, Hold
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import open_store
from swamp_core.waits.by_key import Delivered, SignalByKey, Stored, signal_by_key
from swamp_core.waits.early import read_held
from swamp_core.waits.opening import open_wait
from swamp_core.waits.settling import read_outcome
from swamp_core.waits.signals import Signal
from swamp_store_contract.threads import at_once

from tests.explored.claims import KEY, NOW, WORKFLOW
from tests.explored.early import ending, registration_of, running

ROUNDS = {"memory": 1000, "local": 1000, "s3": 20, "gcs": 20}
PARTS = 4
"""Of the rounds, which may be run side by side."""
ON_ONE_STORE = 25
SENT_A_ROUND = 2
STEPS = 8
"""An opener takes about as many writes: a sender lets up to so many go by, another number in each round."""

Opened = Callable[[int], tuple[SignalWaitStore, SignalWaitStore]]


@pytest.fixture(params=ROUNDS)
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Opens a fresh store twice, as two processes would."""
    if request.param == "memory":
        yield lambda number: (store := MemoryStore(), store.another())
        return
    if request.param == "local":
        yield lambda number: twice(f"{(tmp_path / str(number)).as_uri()}?create=true")
        return
    server = request.getfixturevalue(f"{request.param}_server")
    bucket = server.new_bucket()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environ.items():
            patch.setenv(name, value)
        yield lambda number: twice(server.url(bucket, f"state-{number}"))


def twice(url: str) -> tuple[SignalWaitStore, SignalWaitStore]:
    return open_store(url), open_store(url)


class Opener:
    """A driver that opens a wait after the other under the key, each of a run of its own, and ends what is settled."""

    def __init__(self, store: SignalWaitStore) -> None:
        self.store = store
        self.waits: list[str] = []

    def open_next(self, name: str) -> None:
        self.waits.append(name)
        for key, data in running(name).items():
            self.store.put_if_absent(key, data)
        execute(open_wait(registration_of(name), lambda: NOW), self.store)
        if self.signal_of(name):
            self.end(name)

    def end(self, name: str) -> None:
        execute(ending(name).start(), self.store)

    def signal_of(self, name: str) -> str | None:
        """The signal that a wait has."""
        outcome = execute(read_outcome(name), self.store)
        is_accepted = isinstance(outcome, Found) and isinstance(outcome.record, Accepted)
        return outcome.record.receipt.id if is_accepted else None

    def applied(self) -> dict[str, str]:
        """The waits that have a signal, in the order in which they were opened, and which."""
        found = {name: self.signal_of(name) for name in self.waits}
        return {name: signal for name, signal in found.items() if signal}


def signalled(store: SignalWaitStore, signal: str, number: int):
    """Send a signal, later than those before it; every other one under a name that its sender could repeat."""
    message = Signal({"of": signal}, f"name-{signal}", signal, "sender")
    sent = SignalByKey(WORKFLOW, KEY, message, is_named=number % 2 == 1, hold=Hold())
    return execute(signal_by_key(sent, lambda: NOW + timedelta(seconds=number)), store)


def race(number: int, opening: SignalWaitStore, sending: SignalWaitStore) -> None:
    """One round: two waits are opened while two signals are sent, and then as many as these may still need."""
    opener = Opener(opening)
    signals = [f"s{number}-{each}" for each in range(SENT_A_ROUND)]

    def opens():
        for name in ("a", "b"):
            opener.open_next(f"{name}{number}")

    def sends():
        for step in range(number % STEPS):
            sending.put_if_absent(f"scratch/{number}-{step}", b"")
        return [signalled(sending, signal, number + each) for each, signal in enumerate(signals)]

    failed, told = at_once([opens, sends])
    assert failed is None, failed
    assert isinstance(told, list), told
    for name in ("c", "d")[len(opener.applied()) :]:
        opener.open_next(f"{name}{number}")
    applied = opener.applied()
    assert list(applied.values()) == signals, f"round {number}: {told}, {applied}"
    for signal, answer in zip(signals, told, strict=True):
        assert isinstance(answer, Delivered | Stored), answer
        assert not isinstance(answer, Delivered) or applied[answer.outcome.wait_id] == signal
    for name in opener.waits:
        opener.end(name)
    assert execute(read_held(WORKFLOW, KEY), opening).signals == ()


@pytest.mark.parametrize("part", range(PARTS))
def test_each_signal_is_applied_once_in_the_order_sent(
    opened: Opened, part: int, request: pytest.FixtureRequest
):
    """Whoever comes first, in each round each signal is applied exactly once, and in the order sent."""
    rounds = int(os.environ.get("RACING_ROUNDS") or ROUNDS[request.node.callspec.params["opened"]])
    for each in range(rounds // PARTS):
        if each % ON_ONE_STORE == 0:
            opening, sending = opened(each)
        race(part * (rounds // PARTS) + each, opening, sending)
