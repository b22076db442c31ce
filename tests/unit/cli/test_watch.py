"""`workflow watch`: a run that others drive is followed entry by entry, and left as it is."""

from dataclasses import replace

import pytest
from swamp_core.app.watch import LOOKS_PER_LISTING
from swamp_core.app.workspace import open_workspace
from swamp_core.cli.tracing import TracedStore
from swamp_core.run import events
from swamp_core.store.errors import StoreUnavailable
from swamp_core.store.registry import open_store
from swamp_core.testing.clock import FakeClock

from tests.unit.cli.conftest import InterruptingClock
from tests.unit.cli.stored import NOW, OWNER, StoredRun, calling, workflow

WAIT = "00050001-0000-4000-8000-000000000000"
PLANNED = [
    events.WaitPlanned(at=NOW, job="a", step="ask", wait_id=WAIT, wait_kind="signal", deadline=None),
    events.WaitOpened(at=NOW, job="a", step="ask", wait_id=WAIT),
]
ENDED = events.WaitApplied(
    at=NOW,
    job="a",
    step="ask",
    wait_id=WAIT,
    application=events.FailureApplied(
        error=events.StepError(code="wait_timeout", message="Nobody came."), allowed=True
    ),
)
SUSPENDED = events.RunSuspended(at=NOW)
RESUMED = events.RunResumed(at=NOW, owner=OWNER, by="bob")


class Script(FakeClock):
    """A clock during each of whose waits one of these things happens."""

    def __init__(self, *happens):
        super().__init__(NOW)
        self.left = list(happens)

    def wait(self, event, seconds):
        waited = super().wait(event, seconds / 100)  # No lease runs out.
        if self.left:
            self.left.pop(0)()
        return waited


@pytest.fixture
def run(swamp):
    ask = {"name": "ask", "task": {"type": "wait_for_signal", "timeout": 60}}
    swamp.ambient = replace(swamp.ambient, host="elsewhere")
    return StoredRun(swamp, workflow("w", {"name": "a", "steps": [ask, calling("b")]}))


def watching(swamp, *happens):
    swamp.ambient = replace(swamp.ambient, clock=Script(*happens))


def later(run, *happened):
    return lambda: run.happened(*happened)


def test_what_another_process_does_is_told_as_it_happens(swamp, run):
    """The watcher tells the steps as the driver would, and answers and exits as `run` does."""
    watching(
        swamp,
        later(run, events.StepStarted(at=NOW, job="a", step="b")),
        later(run, events.StepSucceeded(at=NOW, job="a", step="b", outputs={}), *PLANNED),
        lambda: None,
        later(run, ENDED),
        later(run, events.RunFinished(at=NOW, status="succeeded")),
    )
    answer = swamp("workflow", "watch", run.run_id, "--json")
    assert (answer.code, answer.json["run"]["status"]) == (0, "succeeded")
    assert [line for line in answer.err.splitlines() if "/" in line] == [
        "a/b started.",
        "a/b succeeded after 0.0 s.",
        "a/ask waits for a signal.",
        "a/ask failed, which is allowed: Nobody came.",
    ]


@pytest.mark.parametrize(("status", "code"), [("succeeded", 0), ("failed", 1), ("cancelled", 1)])
def test_a_run_that_is_over_is_answered_at_once(swamp, run, status, code):
    """There is nothing to wait for, and the exit code is the run's."""
    run.happened(events.RunFinished(at=NOW, status=status))
    watching(swamp)
    assert swamp("workflow", "watch", run.run_id).code == code
    assert swamp.ambient.clock.waited_s == []


def test_a_suspended_run_is_told_with_what_to_do_and_watched_on(swamp, run):
    """Somebody has to signal and to resume it: the commands are told once each time, until it has ended."""
    run.happened(*PLANNED, SUSPENDED)
    watching(
        swamp,
        lambda: None,
        later(run, RESUMED, ENDED),
        later(run, events.RunFinished(at=NOW, status="succeeded")),
    )
    answer = swamp("workflow", "watch", "w")
    assert answer.code == 0
    assert answer.err.count(f"swamp workflow signal {WAIT}") == 1
    assert answer.err.count(f"swamp workflow resume {run.run_id}") == 1
    assert "bob resumed the run." in answer.err


def test_watching_may_end_when_the_run_is_suspended(swamp, run):
    """With `--until suspended` the answer says what the run waits for, with exit code 0."""
    watching(swamp, later(run, *PLANNED, SUSPENDED))
    answer = swamp("workflow", "watch", run.run_id, "--until", "suspended")
    assert answer.code == 0
    assert answer.out.count(f"swamp workflow signal {WAIT}") == 1
    assert f"swamp workflow signal {WAIT}" not in answer.err


def test_a_lost_driver_ends_the_watch(swamp, run):
    """A run whose lease has run out is answered as interrupted, with the command that recovers it and exit code 1."""
    swamp.ambient = replace(swamp.ambient, clock=FakeClock(NOW))
    answer = swamp("workflow", "watch", run.run_id)
    assert answer.code == 1
    assert f"swamp workflow recover w --run {run.run_id}" in answer.out


def test_an_interrupt_ends_the_watch_and_not_the_run(swamp, run):
    """Ctrl-C leaves the run as it is: exit code 130, and not one record more."""
    workspace = open_workspace(swamp.directory, environ={})
    before = list(workspace.store.list(""))
    swamp.ambient = replace(swamp.ambient, clock=InterruptingClock(NOW, waits=2))
    answer = swamp("workflow", "watch", run.run_id)
    assert answer.code == 130
    assert "the run is left as it is" not in answer.out
    assert list(workspace.store.list("")) == before


def test_a_run_that_is_removed_meanwhile_is_refused_in_the_end(swamp, run):
    """A removed run has no next entry, so the newest is listed now and then."""
    run.happened(*PLANNED, SUSPENDED)
    store = open_workspace(swamp.directory, environ={}).store

    def remove():
        for key in list(store.list(f"runs/{run.run_id}/")):
            store.delete(key)

    watching(swamp, remove)
    answer = swamp("workflow", "watch", run.run_id, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (3, "unknown_run")


def test_a_look_is_one_request(swamp, run):
    """Watching costs one `get` of the next entry per look, and a listing now and then."""
    told = []
    watching(swamp, *[lambda: None] * 20, later(run, events.RunFinished(at=NOW, status="failed")))
    swamp.opener = lambda setting: TracedStore(open_store(setting), told.append)
    assert swamp("workflow", "watch", run.run_id).code == 1
    first = next(number for number, line in enumerate(told) if line.endswith("/999999999997"))
    looks = told[first : first + 20]
    assert {line.split()[0] for line in looks} == {"get", "list"}
    assert sum(line.startswith("list") for line in looks) <= 20 / LOOKS_PER_LISTING
    assert not [line for line in told if line.startswith(("put", "delete"))]


def test_a_store_that_is_away_is_waited_out(swamp, run):
    """While the store cannot be used the watch goes on, and says so once."""
    watching(swamp, *[lambda: None] * 3, later(run, events.RunFinished(at=NOW, status="succeeded")))
    failures = [3]

    class Away(TracedStore):
        def get(self, key):
            if key.endswith("/999999999997") and failures[0]:
                failures[0] -= 1
                raise StoreUnavailable("It is away", hint="Try later.")
            return super().get(key)

    swamp.opener = lambda setting: Away(open_store(setting), lambda _: None)
    answer = swamp("workflow", "watch", run.run_id)
    assert answer.code == 0
    assert answer.err.count("The store cannot be used just now") == 1
