"""From a wait's registration to its view."""

from __future__ import annotations

from swamp_core.app.views import WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.payload.sample import sample_of
from swamp_core.payload.values import compact
from swamp_core.records.families import Registration

PAYLOAD_FILE = "payload.json"
"""The file that stands in a command for a payload of which no example was found: it is to be written first."""


def wait_view(registration: Registration, workspace: Workspace) -> WaitView:
    """The wait as it is shown, with the command that settles it."""
    return WaitView(
        wait_id=registration.wait_id,
        workflow=registration.workflow,
        run_id=registration.run_id,
        parent_run_id=registration.parent_run_id,
        job=registration.job,
        step=registration.step,
        kind=registration.wait_kind,
        key=registration.key_name,
        opened_at=registration.opened_at,
        deadline=registration.deadline,
        expired=registration.is_overdue(workspace.ambient.clock.now()),
        payload_schema=registration.payload_schema,
        prompt=registration.prompt,
        next_command=_next_command(registration, workspace),
    )


def _next_command(registration: Registration, workspace: Workspace) -> str:
    if registration.is_overdue(workspace.ambient.clock.now()):
        return workspace.command("workflow", "resume", registration.run_id)
    if registration.wait_kind == "approval":
        return workspace.command(
            "workflow", "approve", registration.workflow, registration.wait_id, "--run", registration.run_id
        )
    sample = sample_of(registration.payload_schema)
    payload = ("--payload-file", PAYLOAD_FILE) if sample is None else ("--payload", compact(sample).decode())
    return workspace.command("workflow", "signal", registration.wait_id, *payload)
