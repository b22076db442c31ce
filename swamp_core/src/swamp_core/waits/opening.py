"""Opening a wait: its registration is created once the plan for it is in the journal. One request.

The journal is appended to after it (`wait_opened`), and that append reads the mark: a registration that was made
for a run that has ended is withdrawn by its driver then.
"""

from __future__ import annotations

from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.families import Registration
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.operations import Get, Protocol, PutIfAbsent

REGISTRATION_BYTES_MAX = 256 * 1024


def registration_of(run: RunState, wait_id: str, wait: WaitState) -> Registration:
    """The registration that the plan for a wait stands for: the same one, however often it is made."""
    return Registration(
        wait_id=wait_id,
        workflow=run.workflow,
        run_id=run.run_id,
        parent_run_id=run.parent.run_id if run.parent else None,
        mark=run.mark,
        job=wait.job,
        step=wait.step,
        wait_kind=wait.kind,
        opened_at=wait.planned_at,
        deadline=wait.deadline,
        payload_schema=wait.payload_schema,
        prompt=wait.prompt,
    )


def open_wait(registration: Registration) -> Protocol[Unreadable | None]:
    """Register the wait; None when it is registered, `Unreadable` when something else stands in its place."""
    data = registration.encode()
    if (yield PutIfAbsent(registration.key(), data)):
        return None
    reading = read_record(Registration, registration.key(), (yield Get(registration.key())))
    if isinstance(reading, Found) and reading.record != registration:
        return Unreadable(registration.key(), "another registration stands under the ID of this wait")
    return reading if isinstance(reading, Unreadable) else None
