"""The keys of a workflow: which its steps declare, who holds each, and clearing one that nobody can read."""

from __future__ import annotations

from collections import Counter

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


def list_keys(workspace: Workspace, workflow: str) -> KeysResult:
    """The keys that steps of the workflow declare, and those that the store knows of it, with who holds each.

    On a host without the file there are only the latter. Raises `Refused` (`unknown_workflow`) when there is neither.
    """
    declared = declared_workflow(workspace, workflow)
    steps = {key: step for key, (step, _) in declared.keyed_waits().items()} if declared else {}
    stored, held = workspace.execute(_stored(workflow))
    known = {key: steps.get(key) for key in (*steps, *stored)}
    if declared is None and not known:
        raise unknown_workflow(workspace, workflow)
    views = [_view(workspace, workflow, *each) for each in known.items()]
    return KeysResult(
        workflow=workflow, keys=[each.model_copy(update={"held": held[each.key]}) for each in views]
    )


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


def _stored(workflow: str) -> Protocol[tuple[list[str], Counter[str]]]:
    """The keys of the workflow under which something was claimed or is held, and how many signals are."""
    claims: list[str] = yield List(f"{keys.WAIT_KEYS}{workflow}/")
    signals: list[str] = yield List(f"{keys.EARLY_SIGNALS}{workflow}/")
    held = Counter(parts[1] for each in signals if (parts := keys.early_parts(each)))
    claimed = [family[1] for each in claims if (family := keys.claim_family(each))]
    return list(dict.fromkeys([*claimed, *held])), held


def _view(workspace: Workspace, workflow: str, key: str, step: str | None) -> KeyView:
    holder = workspace.execute(find_holder(workflow, key, workspace.ambient.clock.now()))
    if isinstance(holder, Unreadable):
        return KeyView(key=key, step=step, unreadable=f"`{holder.key}`: {holder.reason}")
    if isinstance(holder, Free):
        return KeyView(key=key, step=step)
    registration = workspace.execute(registration_of(holder.claim))
    view = wait_view(registration, workspace) if registration else None
    return KeyView(key=key, step=step, holder=view, claimed_by=holder.claim.run_id)


def registration_of(claim: Claim) -> Protocol[Registration | None]:
    """The registration of the wait that made the claim, if it has one that can be read."""
    key = keys.registration(claim.wait_id)
    reading = read_record(Registration, key, (yield Get(key)))
    return reading.record if isinstance(reading, Found) else None
