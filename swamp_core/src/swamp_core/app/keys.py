"""The keys of a workflow: which its steps declare, who holds each, and clearing one that nobody can read."""

from __future__ import annotations

from swamp_core.app.key_views import KeysResult, KeyView, ReleaseResult
from swamp_core.app.refusals import Refused
from swamp_core.app.wait_views import wait_view
from swamp_core.app.workflows import declared_workflow, unknown_workflow
from swamp_core.app.workspace import Workspace
from swamp_core.journal.claims import clear_unreadable
from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, read_record
from swamp_core.records.families import Claim, Registration
from swamp_core.store.operations import Get, List, Protocol
from swamp_core.waits.claiming import Free, find_holder
from swamp_core.waits.listing import list_open_waits
from swamp_core.workflow.definition import WaitForSignal, Workflow


def list_keys(workspace: Workspace, workflow: str) -> KeysResult:
    """The keys that steps of the workflow declare, and those that the store knows of it, with who holds each.

    On a host without the file there are only the latter. Raises `Refused` (`unknown_workflow`) when there is neither.
    """
    declared = declared_workflow(workspace, workflow)
    steps = _steps(declared) if declared else {}
    known = {key: steps.get(key) for key in (*steps, *workspace.execute(_claimed(workflow)))}
    if declared is None and not known:
        raise unknown_workflow(workspace, workflow)
    return KeysResult(workflow=workflow, keys=[_view(workspace, workflow, *each) for each in known.items()])


def release_key(workspace: Workspace, workflow: str, key: str) -> ReleaseResult:
    """Clear what stands under a key and cannot be read, so that a wait can claim it again.

    Raises `Refused` (`wait_key_held`) while a wait holds the key, or is open under it.
    """
    holder = workspace.execute(find_holder(workflow, key, workspace.ambient.clock.now()))
    if isinstance(holder, Unreadable):
        open_waits = workspace.execute(list_open_waits("signal")).waits
        under_it = [wait for wait in open_waits if (wait.workflow, wait.key_name) == (workflow, key)]
        if under_it:
            raise _held(workspace, key, under_it[0].run_id, under_it[0].wait_id)
        records = workspace.execute(clear_unreadable(workflow, key))
        return ReleaseResult(workflow=workflow, key=key, released=True, records=records)
    if isinstance(holder, Free):
        return ReleaseResult(workflow=workflow, key=key, released=False, records=0)
    raise _held(workspace, key, holder.claim.run_id, holder.claim.wait_id)


def _held(workspace: Workspace, key: str, run_id: str, wait_id: str) -> Refused:
    return Refused(
        "wait_key_held",
        f"The wait {wait_id} holds the key `{key}`, and nothing is wrong with it.",
        hint=f"The key is free once the wait is settled or its run has ended:\n"
        f"{workspace.command('workflow', 'cancel', run_id)}",
        details={"key": key, "waitId": wait_id, "runId": run_id},
    )


def _steps(workflow: Workflow) -> dict[str, str]:
    """The step that declares each key, as `job/step`."""
    return {
        step.task.key: f"{job.name}/{step.name}"
        for job in workflow.jobs
        for step in job.steps
        if isinstance(step.task, WaitForSignal) and step.task.key is not None
    }


def _claimed(workflow: str) -> Protocol[list[str]]:
    """The keys of the workflow under which something was claimed."""
    listed: list[str] = yield List(f"{keys.WAIT_KEYS}{workflow}/")
    return list(dict.fromkeys(family[1] for each in listed if (family := keys.claim_family(each))))


def _view(workspace: Workspace, workflow: str, key: str, step: str | None) -> KeyView:
    holder = workspace.execute(find_holder(workflow, key, workspace.ambient.clock.now()))
    if isinstance(holder, Unreadable):
        return KeyView(key=key, step=step, unreadable=f"`{holder.key}`: {holder.reason}")
    if isinstance(holder, Free):
        return KeyView(key=key, step=step)
    registration = workspace.execute(_registration(holder.claim))
    view = wait_view(registration, workspace) if registration else None
    return KeyView(key=key, step=step, holder=view, claimed_by=holder.claim.run_id)


def _registration(claim: Claim) -> Protocol[Registration | None]:
    key = keys.registration(claim.wait_id)
    reading = read_record(Registration, key, (yield Get(key)))
    return reading.record if isinstance(reading, Found) else None
