"""A store that does not answer is told of in one line, while it is asked on; one that answers costs nobody a word."""

import threading
from dataclasses import dataclass, field

import click
import pytest
from swamp_core.cli.completion import workspace_of
from swamp_core.cli.invocation import GlobalOptions, Invocation
from swamp_core.cli.silence import HeardStore
from swamp_core.store import CheckedStore, StoreUnavailable
from swamp_core.store.memory import MemoryStore
from swamp_core.store.probing import server_now


@dataclass
class Slow(MemoryStore):
    """A store whose requests take as long as the test says; looks that become due meanwhile happen in their turn."""

    now_s: float = 0.0
    takes_s: list[float] = field(default_factory=list)
    looks: list[tuple[float, object]] = field(default_factory=list)
    told: list[float] = field(default_factory=list)
    failure: Exception | None = None

    def __post_init__(self):
        super().__init__()

    def heard(self):
        """The store as it is watched."""
        return HeardStore(
            CheckedStore(self, "memory"),
            lambda: self.told.append(self.now_s),
            silence_s=5,
            clock=lambda: self.now_s,
            later=lambda seconds, look: self.looks.append((self.now_s + seconds, look)),
        )

    def pass_time(self, seconds):
        """Let the time go by."""
        end_s = self.now_s + seconds
        while due := [look for look in self.looks if look[0] <= end_s]:
            first = min(due, key=lambda look: look[0])
            self.looks.remove(first)
            self.now_s = first[0]
            first[1]()
        self.now_s = end_s

    def get(self, key):
        self.pass_time(self.takes_s.pop(0) if self.takes_s else 0)
        if self.failure:
            raise self.failure
        return super().get(key)

    def list(self, prefix, *, start_after=None, limit=None):
        for key in super().list(prefix, start_after=start_after, limit=limit):
            self.pass_time(self.takes_s.pop(0) if self.takes_s else 0)
            yield key


def test_an_operation_that_takes_longer_than_the_time_is_told_of_while_it_is_under_way():
    """After five seconds, not after the forty that it takes to fail."""
    store = Slow(takes_s=[41], failure=StoreUnavailable("It did not answer in time"))
    with pytest.raises(StoreUnavailable, match=r"in time .*memory"):
        store.heard().get("a")
    assert store.told == [5]
    assert store.looks == []


@pytest.mark.parametrize("before_s", [0.5, 3, 4.9])
def test_the_time_is_that_of_one_operation(before_s):
    """One that begins shortly before a look is not told of by that; the next look comes when it is due."""
    store = Slow(takes_s=[before_s, 0, 6])
    heard = store.heard()
    for _ in range(3):
        heard.get("a")
    assert store.told == [before_s + 5]


def test_a_store_that_answers_is_not_told_of_however_long_it_is_used():
    """Nor by a listing whose reader takes its time between two keys."""
    store = Slow(takes_s=[4] * 100)
    heard = store.heard()
    for name in "abcd":
        heard.put_if_absent(name, b"")
    for _ in range(50):
        heard.get("a")
    for _ in heard.list(""):
        store.pass_time(60)
    assert store.told == []


def test_a_listing_that_stops_in_the_middle_is_told_of():
    """Its pages come one by one."""
    store = Slow(takes_s=[0, 30])
    heard = store.heard()
    for name in "abc":
        heard.put_if_absent(name, b"")
    assert list(heard.list("")) == ["a", "b", "c"]
    assert store.told == [5]


def test_it_is_told_once():
    """Whoever reads it knows it; after that nobody looks."""
    store = Slow(takes_s=[10, 10, 10])
    heard = store.heard()
    for _ in range(3):
        heard.get("a")
    assert store.told == [5]
    assert store.looks == []


def test_no_look_is_left_over_when_nothing_is_under_way():
    """The last one finds nothing and asks for no other; the next operation does."""
    store = Slow()
    heard = store.heard()
    for _ in range(10):
        heard.get("a")
    assert len(store.looks) == 1
    store.pass_time(60)
    assert store.looks == []
    heard.delete("a")
    assert len(store.looks) == 1


def test_the_store_behind_it_still_tells_the_time():
    """The check of the clock asks the adapter itself."""
    store = Slow()
    store.server_now = lambda: "now"
    assert server_now(store.heard()) == "now"


def test_no_thread_keeps_the_process(monkeypatch):
    """The one that looks is a daemon."""
    started = []
    monkeypatch.setattr(threading.Thread, "start", lambda thread: started.append(thread))
    HeardStore(CheckedStore(MemoryStore(), "memory"), lambda: None, silence_s=5).get("a")
    assert [timer.daemon for timer in started] == [True]


def test_the_tab_key_is_told_nothing(tmp_path):
    """A note would stand in the middle of what is being typed."""
    invocation = Invocation(GlobalOptions(repo_dir=str(tmp_path)))
    workspace_of(click.Context(click.Command("swamp"), obj=invocation))
    assert invocation.output.quiet
