"""The world that a test chooses for a command: clocks, IDs, stops, counts."""

from datetime import UTC, datetime, timedelta

import pytest
from swamp_core.ambient import Ambient
from swamp_core.flag import Flag
from swamp_core.store import InvalidKey
from swamp_core.store.memory import MemoryStore
from swamp_core.testing.cli import ambient_from, open_watched
from swamp_core.testing.clock import FakeClock, FixedClock, OffsetClock
from swamp_core.testing.counting import counted
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.stopping import Stop, StoppingStore

NOON = datetime(2026, 7, 27, 12, tzinfo=UTC)


def test_a_fake_clock_moves_when_it_is_waited_for():
    """A test with a fake clock never sleeps."""
    clock = FakeClock(NOON)
    assert clock.wait(Flag(), 3600) is False
    assert clock.now() == NOON + timedelta(hours=1)
    assert clock.waited_s == [3600]


def test_a_fake_clock_stands_still_for_what_has_happened():
    """A flag that is set already is not waited for."""
    clock, flag = FakeClock(NOON), Flag()
    flag.set()
    assert clock.wait(flag, 3600) is True
    assert clock.now() == NOON


def test_a_clock_may_be_fast_or_slow():
    """A host's clock may be off by any length."""
    fast = OffsetClock(timedelta(minutes=10), FixedClock(NOON))
    assert fast.now() == NOON + timedelta(minutes=10)


def test_seeded_ids_are_the_same_each_time_and_never_clash():
    """Two processes with seeds of their own share no ID, not even its first six characters."""
    first = [SeededIds(1).random_id() for _ in range(2)]
    assert first[0] == first[1] == "00010001-0000-4000-8000-000000000000"
    one, two = SeededIds(1), SeededIds(2)
    ids = [maker.random_id() for maker in (one, two) for _ in range(200)]
    assert len({each[:8] for each in ids}) == 400
    assert (
        len({each[:6] for each in [SeededIds(7).random_id(), *(one.random_id() for _ in range(200))]}) == 201
    )


def test_seeded_run_ids_are_in_the_order_in_which_they_were_made():
    """Of one instant, a later run ID comes after, and that of a higher seed after those of a lower one."""
    one, two = SeededIds(1), SeededIds(2)
    made = [
        one.run_id(NOON),
        one.run_id(NOON),
        two.run_id(NOON),
        two.run_id(NOON + timedelta(milliseconds=1)),
    ]
    assert made == sorted(made)


@pytest.mark.parametrize("seed", [-1, 65_536])
def test_a_seed_that_does_not_fit_is_refused(seed):
    """It would make IDs that clash."""
    with pytest.raises(ValueError, match="A seed is from 0 to 65535"):
        SeededIds(seed)


def stopped_at(stop, calls):
    """Where a store with that stop has stopped: what it had done by then."""
    store, stops = MemoryStore(), []

    def act(_stop):
        stops.append(sorted(store.list("")))

    stopping = StoppingStore(store, Stop.parse(stop), act)
    calls(stopping)
    return stops


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        ("put_if_absent:a/*:1:before:kill", [[]]),
        ("put_if_absent:a/*:1:after:kill", [["a/1"]]),
        ("put_if_absent:a/*:2:before:pause", [["a/1", "b"]]),
        ("get:*:1:before:kill", [["a/1", "a/2", "b"]]),
        ("delete:a/1:1:after:kill", [["a/2", "b"]]),
        ("list:a/:1:after:kill", [["a/1", "a/2", "b"]]),
        ("put_if_absent:a/*:9:before:kill", []),
        ("put_if_absent:c:1:before:kill", []),
    ],
)
def test_a_process_stops_at_the_operation_that_is_named_and_only_there(stop, expected):
    """By verb, key, number and side: before it is sent, or after it took effect."""

    def calls(store):
        store.put_if_absent("a/1", b"")
        store.put_if_absent("b", b"")
        store.put_if_absent("a/2", b"")
        assert list(store.list("a/")) == ["a/1", "a/2"]
        assert store.get("b") == b""
        store.delete("a/1")

    assert stopped_at(stop, calls) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "put:a:1:before:kill",
        "get:a:x:before:kill",
        "get:a:1:then:kill",
        "get:a:1:after:sleep",
        "get:a:1:after",
    ],
)
def test_a_stop_that_cannot_be_understood_is_refused(text):
    """A test that names a stop wrongly must not pass by never stopping."""
    with pytest.raises(ValueError, match=r".+"):
        Stop.parse(text)


def test_operations_are_counted_as_they_are_sent(tmp_path):
    """One line for each, in order, with the verb and the key."""
    store = counted(MemoryStore(), tmp_path / "requests")
    store.put_if_absent("a", b"")
    store.get("a")
    list(store.list("a", limit=1))
    store.delete("a")
    lines = (tmp_path / "requests").read_text().splitlines()
    assert lines == ["put_if_absent a", "get a", "list a", "delete a"]


def test_the_environment_chooses_the_world():
    """Each variable replaces one thing, and what is not set is real."""
    chosen = ambient_from(
        {
            "SWAMP_TEST_NOW": "2026-07-27T12:00:00Z",
            "SWAMP_TEST_CLOCK_OFFSET_S": "-60",
            "SWAMP_TEST_IDS": "7",
            "SWAMP_TEST_HOST": "build-2",
            "SWAMP_TEST_PID": "12",
            "SWAMP_TEST_USER": "bob",
        }
    )
    assert chosen.clock.now() == NOON - timedelta(minutes=1)
    assert chosen.ids.random_id() == "00010007-0000-4000-8000-000000000000"
    assert (chosen.host, chosen.pid, chosen.user) == ("build-2", 12, "bob")
    real, unchanged = Ambient(), ambient_from({})
    assert (unchanged.host, unchanged.pid, unchanged.user) == (real.host, real.pid, real.user)


def test_a_refused_key_is_not_counted(tmp_path):
    """What the rules for keys refuse is never sent, so it costs nothing."""
    store = open_watched(
        f"file://{tmp_path}/s?create=true", {"SWAMP_TEST_REQUESTS": str(tmp_path / "requests")}
    )
    with pytest.raises(InvalidKey):
        store.get("../x")
    store.get("x")
    assert (tmp_path / "requests").read_text() == "get x\n"
