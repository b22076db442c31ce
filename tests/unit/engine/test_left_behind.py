"""What a lost driver, a cut-off end or another writer leaves: it is reported, finished or passed over."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.finding import find_run, unfinished_runs
from swamp_core.app.history import list_runs
from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_workflow
from swamp_core.app.workflows import Runnable
from swamp_core.app.workspace import Workspace
from swamp_core.engine.ledger import Ledger
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.starting import start_run
from swamp_core.records import keys
from swamp_core.run.events import Owner, WaitOpened, WaitPlanned
from swamp_core.store.errors import StoreAccessDenied
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.testing.faults import Fault, FaultyStore
from swamp_core.workflow.definition import Workflow

from tests.explored.runs import canceller, suspended_run
from tests.histories import NOW, started

ASK = Workflow.from_json(
    {
        "name": "w",
        "jobs": [{"name": "j", "steps": [{"name": "s", "task": {"type": "wait_for_signal", "timeout": 60}}]}],
    }
)


def workspace(store: MemoryStore, tmp_path: Path) -> Workspace:
    return Workspace(tmp_path, Ambient(), opener=lambda _setting: store)


def test_a_run_whose_driver_was_lost_at_a_wait_is_reported_as_kept(tmp_path):
    """A new run tells of every unfinished one that has a wait, suspended or not."""
    store = MemoryStore()
    lost = Owner(host="there", pid=1, token="lost", lease_until=NOW)
    event = started(owner=lost, workflow="w", definition=ASK.to_json())
    begun = execute(start_run(event, entry_id="e1", build="test"), store)
    assert isinstance(begun, Appended)
    where = {"at": NOW, "job": "j", "step": "s", "wait_id": "wait"}
    planned = WaitPlanned(**where, wait_kind="signal", deadline=NOW + timedelta(minutes=1))
    execute(append(begun.journal, [planned, WaitOpened(**where)], entry_id="e2", owner="lost"), store)
    result = run_workflow(workspace(store, tmp_path), Runnable(ASK, {}), {})
    assert [(kept.run_id, kept.wait_ids) for kept in result.kept] == [(event.run_id, ["wait"])]


def test_a_key_of_another_form_in_the_index_hides_no_run(tmp_path):
    """A record that somebody else put into the index is passed over, and the runs are still listed."""
    store = MemoryStore()
    run = run_workflow(workspace(store, tmp_path), Runnable(ASK, {}), {}).run
    for key in ("workflow-runs/foreign", "workflow-runs/w/a/b"):
        store.put_if_absent(key, b"{}")
    assert [each.id for each in list_runs(workspace(store, tmp_path)).runs] == [run.id]


def test_an_end_that_was_cut_off_is_finished_by_whoever_meets_it(tmp_path):
    """A run that is over and still marked is no unfinished run, and its mark goes."""
    store = MemoryStore(suspended_run())
    mark = next(key for key in store.records if key.startswith(keys.OPEN_RUNS))
    kept = store.records[mark]
    execute(canceller(), store)
    store.put_if_absent(mark, kept)
    assert unfinished_runs(workspace(store, tmp_path), "ask") == []
    assert store.get(mark) is None


@pytest.mark.parametrize("text", ["", "0", "other"])
def test_a_run_is_not_found_under_a_name_that_is_not_its_own(tmp_path, text):
    """`--run` does not excuse a wrong name: the command might have been meant for another workflow."""
    store = MemoryStore()
    run = run_workflow(workspace(store, tmp_path), Runnable(ASK, {}), {}).run
    with pytest.raises(Refused) as refused:
        find_run(workspace(store, tmp_path), text, run=run.id)
    assert refused.value.code == "unknown_run"


def test_a_look_that_is_denied_does_not_stop_a_driver(tmp_path):
    """A driver can do without looking for other entries; whether it may go on is told by its next append."""
    store = MemoryStore()
    begun = execute(start_run(started(), entry_id="e1", build="test"), store)
    assert isinstance(begun, Appended)
    faulty = FaultyStore(store, Fault("get", StoreAccessDenied("No"), "before"))
    ledger = Ledger(faulty, Ambient(), begun.journal, "owner", observe=print, trouble=print)
    ledger.poll()
    assert faulty.struck
    assert ledger.journal == begun.journal
