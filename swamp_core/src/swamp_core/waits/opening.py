"""Opening a wait: its registration is created once the plan for it is in the journal. One request.

Where it has a key, that is claimed first: what another wait holds is not registered. After it, what is held for the key
is delivered.

The journal is appended to after it (`wait_opened`), and that append reads the mark: a registration that was made
for a run that has ended is withdrawn by its driver then.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from swamp_core.records import keys
from swamp_core.records.base import Found, Unreadable, instant_text, read_record
from swamp_core.records.families import Claim, Hold, Registration
from swamp_core.run.events import Json, StepError
from swamp_core.run.state import RunState, WaitState
from swamp_core.store.operations import Get, Protocol, PutIfAbsent
from swamp_core.waits.claiming import Held, RunOver, claim_key
from swamp_core.waits.delivering import deliver
from swamp_core.workflow.definition import WaitForSignal

REGISTRATION_BYTES_MAX = 256 * 1024

Opening = Held | Unreadable | None


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
        key_name=wait.key,
        hold=wait.hold,
    )


def hold_of(task: WaitForSignal) -> Hold | None:
    """How signals are held for the key of a step while no wait holds it, as far as the step says so."""
    early = task.early_signals
    return Hold(ttl_s=early.ttl_s, max=early.max) if early else None


def claim_of(registration: Registration) -> Claim | None:
    """The claim that the wait makes under its key, still without its number; None for a wait without a key."""
    if registration.key_name is None or registration.deadline is None:
        return None
    return Claim(
        workflow=registration.workflow,
        key_name=registration.key_name,
        number=1,
        wait_id=registration.wait_id,
        run_id=registration.run_id,
        mark=registration.mark,
        job=registration.job,
        step=registration.step,
        deadline=registration.deadline,
        hold=registration.hold,
    )


def opening_error(obstacle: Held | Unreadable) -> StepError:
    """Why a step fails whose wait could not be opened."""
    match obstacle:
        case Held(claim=claim):
            at = instant_text(claim.deadline)
            message = (
                f"The key `{claim.key_name}` is held by the wait {claim.wait_id} of the run {claim.run_id} "
                f"(step {claim.job}/{claim.step}), until it is settled, its run ends, or its deadline passes at {at}."
            )
            details: Json = {
                "key": claim.key_name,
                "waitId": claim.wait_id,
                "runId": claim.run_id,
                "job": claim.job,
                "step": claim.step,
                "deadline": at,
            }
            return StepError(code="wait_key_held", message=message, details=details)
        case Unreadable(key=key, reason=reason):
            message = f"The wait could not be opened: `{key}` is taken, and {reason}."
            if claimed := keys.claim_family(key):
                workflow, name = claimed
                message += f" Clear it with `swamp workflow keys {workflow} --release {name}`."
            return StepError(code="wait_unreadable", message=message)


def open_wait(registration: Registration, now: Callable[[], datetime]) -> Protocol[Opening]:
    """Register the wait; None when it is registered, or its run is over, which the next append will tell.

    `Unreadable` when something else stands in its place or under its key; `Held` when another wait holds its key.
    """
    claim = claim_of(registration)
    if claim is not None:
        claiming = yield from claim_key(claim, now)
        if isinstance(claiming, Held | Unreadable):
            return claiming
        if isinstance(claiming, RunOver):
            return None
    obstacle = yield from _register(registration)
    if claim is not None and obstacle is None:
        yield from deliver(registration, now)
    return obstacle


def _register(registration: Registration) -> Protocol[Unreadable | None]:
    if (yield PutIfAbsent(registration.key(), registration.encode())):
        return None
    reading = read_record(Registration, registration.key(), (yield Get(registration.key())))
    if isinstance(reading, Found) and reading.record != registration:
        return Unreadable(registration.key(), "another registration stands under the ID of this wait")
    return reading if isinstance(reading, Unreadable) else None
