"""How many bytes a run writes to its journal for each byte of its events. It must not grow with the run."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from swamp_core.journal.appending import Appended, append
from swamp_core.journal.entry import Journal, events_bytes
from swamp_core.journal.starting import start_run
from swamp_core.run.events import Event, Owner, RunStarted, StepStarted, StepSucceeded
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute

RATIO_MAX = 4.0
NOW = datetime(2026, 1, 1, tzinfo=UTC)
RUN_ID = "01900000-0000-7000-8000-000000000001"
OWNER = Owner(host="build-1", pid=4711, token="owner", lease_until=NOW + timedelta(seconds=90))
OUTPUTS = {"exitCode": 0, "stdout": "one line of what a script prints\n", "stderr": ""}


def ratio(steps: int) -> float:
    """Bytes written over bytes of events, for a chain of so many steps, each appended as it starts and ends."""
    store = MemoryStore()
    started = RunStarted(
        at=NOW,
        run_id=RUN_ID,
        workflow="chain",
        mark=1,
        definition={"jobs": [{"name": "job", "steps": [{"name": f"s{number}"} for number in range(steps)]}]},
        models={},
        inputs={},
        owner=OWNER,
        started_by="alice",
    )
    begun = execute(start_run(started, entry_id="e0", build="benchmarks"), store)
    assert isinstance(begun, Appended)
    journal: Journal = begun.journal
    weight = events_bytes([started])
    for number in range(steps):
        for event in _events(number):
            appended = execute(append(journal, [event], entry_id=f"e{journal.number}", owner="owner"), store)
            assert isinstance(appended, Appended)
            journal = appended.journal
            weight += events_bytes([event])
    written = sum(len(store.get(key) or b"") for key in store.list("runs/"))
    return written / weight


def _events(number: int) -> list[Event]:
    step = f"s{number}"
    return [
        StepStarted(at=NOW, job="job", step=step),
        StepSucceeded(at=NOW, job="job", step=step, outputs={**OUTPUTS}),
    ]
