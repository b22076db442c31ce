"""A command that waits for the process that drives a run says so, and waits for no longer than it makes sense."""

from dataclasses import replace

import pytest
from swamp_core.run import events
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.registry import open_store
from swamp_core.testing.clock import FakeClock
from swamp_core.testing.faults import Fault, FaultyStore

from tests.unit.cli.conftest import InterruptingClock
from tests.unit.cli.stored import NOW, OWNER, StoredRun, calling, workflow

WAITING = (
    "Waiting for process 1 on build-1, which drives the run {}; "
    "if it gives no sign of life, until 2026-07-27 12:01:30 UTC (in 2 minutes)."
)
WAIT = "00050001-0000-4000-8000-000000000000"
CANCEL = ("workflow", "cancel", "w", "--wait")
DELETIONS = {
    "run delete": lambda run: ("run", "delete", run.run_id, "--force"),
    "workflow delete": lambda run: ("workflow", "delete", "w", "--force"),
}
WAITERS = {**DELETIONS, "workflow cancel": lambda run: CANCEL}


@pytest.fixture
def run(swamp):
    """A run that a process of another host drives, which is stopped."""
    swamp.ambient = replace(swamp.ambient, host="elsewhere", clock=FakeClock(NOW))
    return StoredRun(swamp, workflow("w", {"name": "a", "steps": [calling("b")]}))


def failing(swamp, *faults):
    swamp.opener = lambda setting: FaultyStore(open_store(setting), *faults)


def unavailable(verb, **fields):
    return Fault(verb, StoreUnavailable("The disk is full"), "before", **fields)


@pytest.mark.parametrize("waiter", WAITERS)
def test_it_is_told_once_which_process_is_waited_for_and_until_when(swamp, run, waiter):
    """Host, process and the end of its lease are on stderr, once however often it is looked; then it goes on."""
    answer = swamp(*WAITERS[waiter](run), "--json")
    assert answer.err.splitlines() == [WAITING.format(run.run_id)]
    assert sum(swamp.ambient.clock.waited_s) == pytest.approx(90)
    assert answer.code == 0


@pytest.mark.parametrize("waiter", WAITERS)
def test_an_interrupt_ends_the_waiting(swamp, run, waiter):
    """Ctrl-C answers with what was done and kept, and exit code 130."""
    swamp.ambient = replace(swamp.ambient, clock=InterruptingClock(NOW, waits=3))
    answer = swamp(*WAITERS[waiter](run), "--json")
    assert answer.code == 130
    assert len(swamp.ambient.clock.waited_s) == 2


@pytest.mark.parametrize("deletion", DELETIONS)
@pytest.mark.parametrize("error", [StoreUnavailable("Full"), OutcomeUnknown("Full", put_id="1")], ids=str)
def test_a_forced_deletion_on_a_store_that_takes_nothing_fails_at_once(swamp, run, deletion, error):
    """A store that cannot be written is not a process to wait for: exit code 4, as any other command."""
    failing(swamp, Fault("put_if_absent", error, "before", times=None))
    answer = swamp(*DELETIONS[deletion](run), "--json")
    assert (answer.code, answer.json["error"]["code"]) == (4, error.code)
    assert swamp.ambient.clock.waited_s == []


def test_a_cancel_waits_while_the_store_is_away_and_says_so(swamp, run):
    """What fails for a moment is tried again, and told once; the run is ended in the end."""
    failing(swamp, unavailable("list", first=4, times=5))
    answer = swamp(*CANCEL, "--json")
    assert (answer.code, answer.json["run"]["status"]) == (0, "cancelled")
    assert answer.err.count("The store cannot be used just now, and is tried again") == 1


def test_a_cancel_does_not_wait_for_a_store_longer_than_for_the_process(swamp, run):
    """Once the lease is over nobody is waited for any more, and the failure is told with what to do later."""
    failing(swamp, unavailable("list", first=6, times=None))
    answer = swamp(*CANCEL, "--json")
    assert (answer.code, answer.json["error"]["code"]) == (4, "store_unavailable")
    assert f"swamp workflow cancel {run.run_id}" in answer.json["error"]["hint"]
    assert sum(swamp.ambient.clock.waited_s) == pytest.approx(90)


def test_a_resume_that_stays_says_which_process_it_waits_for(swamp):
    """With `--wait` a run that another process has taken up meanwhile is waited for, whoever drives it."""

    class Taken(FakeClock):
        """A clock during whose first wait another host takes the run up, and during whose third it ends it."""

        def wait(self, event, seconds):
            waited = super().wait(event, seconds / 100)
            match len(self.waited_s):
                case 1:
                    run.happened(events.RunResumed(at=NOW, owner=OWNER, by="bob"))
                case 3:
                    run.happened(events.RunFinished(at=NOW, status="cancelled"))
            return waited

    ask = {"name": "ask", "task": {"type": "wait_for_signal", "timeout": 60}}
    run = StoredRun(swamp, workflow("w", {"name": "a", "steps": [ask]})).happened(
        events.WaitPlanned(at=NOW, job="a", step="ask", wait_id=WAIT, wait_kind="signal", deadline=None),
        events.WaitOpened(at=NOW, job="a", step="ask", wait_id=WAIT),
        events.RunSuspended(at=NOW),
    )
    swamp.ambient = replace(swamp.ambient, host="elsewhere", clock=Taken(NOW))
    answer = swamp("workflow", "resume", run.run_id, "--wait", "--json")
    assert answer.err.count(WAITING.format(run.run_id)) == 1
