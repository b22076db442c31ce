"""What can happen to a run: facts in the past tense, written to its journal and never changed.

An event says everything that its consequence needs (every ID is already chosen), so that whoever reads it can
complete the effect unchanged.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from swamp_core.records.base import Instant, Model
from swamp_core.records.families import Decision, Hold, Receipt, WaitKind
from swamp_core.records.fields import CapturedSchema, Number, Segment, WaitKey

RunEnd = Literal["succeeded", "failed", "cancelled"]
Json = dict[str, JsonValue]


class Owner(Model):
    """The process that drives a run. `token` is what tells it apart; `lease_until` only informs people."""

    host: str
    pid: int
    token: str
    lease_until: Instant


class StepError(Model):
    """Why a step failed: a code that scripts can rely on, a sentence for people, and facts."""

    code: str
    message: str
    details: Json = Field(default_factory=dict)


class Parent(Model):
    """The step of another run that this run is the work of. `mark` is what that run's mark was then."""

    run_id: Segment
    workflow: Segment
    mark: Number
    job: str
    step: str


class Item(Model):
    """One item of a forEach: the name of its step, and what expressions read as `self.<item>`; none is null."""

    name: str
    value: JsonValue = None


class _Event(Model):
    at: Instant


class _StepEvent(_Event):
    job: str
    step: str


class RunStarted(_Event):
    """A run began, with all that it will ever need: another host needs no checkout to go on.

    `workflows` are the definitions that nested runs will have, by name; `models` are theirs as well.
    """

    event: Literal["run_started"] = "run_started"
    run_id: Segment
    workflow: Segment
    mark: Number
    definition: Json
    workflows: dict[str, Json] = Field(default_factory=dict)
    models: dict[str, Json]
    inputs: Json
    owner: Owner
    started_by: str
    parent: Parent | None = None


class StepExpanded(_StepEvent):
    """A step with a forEach became a step for each of these items. `mapping`: they are an object's members."""

    event: Literal["step_expanded"] = "step_expanded"
    items: list[Item]
    mapping: bool = False


class StepStarted(_StepEvent):
    """The driver is about to run the step's task."""

    event: Literal["step_started"] = "step_started"


class StepSucceeded(_StepEvent):
    """The task was done and gave these outputs."""

    event: Literal["step_succeeded"] = "step_succeeded"
    outputs: Json


class StepFailed(_StepEvent):
    """The task failed, or could not be started; `allowed` when the definition lets this step fail."""

    event: Literal["step_failed"] = "step_failed"
    error: StepError
    allowed: bool = False
    outputs: Json | None = None
    cut_off: bool = False


class StepSkipped(_StepEvent):
    """The step will not run: its guard or a condition on what it depends on says so, or its run ended (`cut_off`)."""

    event: Literal["step_skipped"] = "step_skipped"
    reason: str
    cut_off: bool = False


class StepReset(_StepEvent):
    """The step is to run again: its driver was lost while it was running, or the run is retried.

    A step with a forEach loses its items; it is expanded anew. A gate that a supersede closed in vain is asked again.
    """

    event: Literal["step_reset"] = "step_reset"
    reason: str


class WaitPlanned(_StepEvent):
    """The driver is about to open a wait."""

    event: Literal["wait_planned"] = "wait_planned"
    wait_id: Segment
    wait_kind: WaitKind
    deadline: Instant | None = None
    payload_schema: CapturedSchema | None = Field(default=None, alias="schema")
    prompt: str | None = None
    key: WaitKey | None = None
    hold: Hold | None = None


class WaitOpened(_StepEvent):
    """The wait is registered: it can be signalled."""

    event: Literal["wait_opened"] = "wait_opened"
    wait_id: str


class ChildPlanned(_StepEvent):
    """The driver is about to start a run of another workflow, which is the step's work."""

    event: Literal["child_planned"] = "child_planned"
    child_run_id: Segment
    workflow: Segment
    inputs: Json


class ChildApplied(_StepEvent):
    """The nested run has ended, and what it came to became the step's: its outputs, and an error if it failed."""

    event: Literal["child_applied"] = "child_applied"
    child_run_id: Segment
    outputs: Json | None = None
    error: StepError | None = None
    allowed: bool = False


class SignalApplied(Model):
    """A signal was accepted: its payload is the step's output."""

    result: Literal["accepted"] = "accepted"
    receipt: Receipt
    payload: Json


class ApprovalApplied(Model):
    """The gate was approved: the decision is the step's output."""

    result: Literal["approved"] = "approved"
    decision: Decision


class RejectionApplied(Model):
    """The gate was rejected: the step fails, and the run ends, for this or for a reason that came before."""

    result: Literal["rejected"] = "rejected"
    decision: Decision
    error: StepError
    allowed: bool = False


class FailureApplied(Model):
    """The wait ended without a usable signal or decision: the step fails. `cut_off`: because its run was ended."""

    result: Literal["failed"] = "failed"
    error: StepError
    allowed: bool = False
    cut_off: bool = False


class WaitApplied(_StepEvent):
    """The outcome that is stored for the wait became the step's."""

    event: Literal["wait_applied"] = "wait_applied"
    wait_id: str
    application: Annotated[
        SignalApplied | ApprovalApplied | RejectionApplied | FailureApplied, Field(discriminator="result")
    ]


class RunSuspended(_Event):
    """Nothing is left to do until waits are settled, or the run's lost driver was given up; nobody drives it."""

    event: Literal["run_suspended"] = "run_suspended"


class RunResumed(_Event):
    """A process took the run over; `inputs` replace those of the same names."""

    event: Literal["run_resumed"] = "run_resumed"
    owner: Owner
    by: str | None = None
    inputs: Json = Field(default_factory=dict)


class RunRetried(_Event):
    """A process took a failed run over, under a new mark; the steps to run again are reset by the events after it."""

    event: Literal["run_retried"] = "run_retried"
    mark: Number
    owner: Owner
    by: str
    inputs: Json = Field(default_factory=dict)


class LeaseRenewed(_Event):
    """The driver is alive."""

    event: Literal["lease_renewed"] = "lease_renewed"
    lease_until: Instant


class CancelRequested(_Event):
    """Somebody wants the run to end, and its unfinished nested runs with it, unless `keep_children`."""

    event: Literal["cancel_requested"] = "cancel_requested"
    by: str
    reason: str | None = None
    keep_children: bool = False


class GateRejected(_StepEvent):
    """Somebody rejected the step's gate: the run is to end as failed, running nothing more."""

    event: Literal["gate_rejected"] = "gate_rejected"
    wait_id: Segment
    by: str
    reason: str | None = None


class RunFinished(_Event):
    """Every step is over and every planned wait has its outcome."""

    event: Literal["run_finished"] = "run_finished"
    status: RunEnd


class RetryAbandoned(_Event):
    """A retry of the ended run was cut off before its entry; nobody can make that entry any more."""

    event: Literal["retry_abandoned"] = "retry_abandoned"


class RunDeleted(_Event):
    """The run is being removed.

    `wait_ids`, `child_run_ids` and `wait_keys` are all that it ever planned, so that removal can be restarted.
    """

    event: Literal["run_deleted"] = "run_deleted"
    wait_ids: list[Segment]
    child_run_ids: list[Segment] = Field(default_factory=list)
    wait_keys: list[WaitKey] = Field(default_factory=list)


Event = Annotated[
    RunStarted
    | StepExpanded
    | StepStarted
    | StepSucceeded
    | StepFailed
    | StepSkipped
    | StepReset
    | WaitPlanned
    | WaitOpened
    | WaitApplied
    | ChildPlanned
    | ChildApplied
    | RunSuspended
    | RunResumed
    | RunRetried
    | LeaseRenewed
    | CancelRequested
    | GateRejected
    | RunFinished
    | RetryAbandoned
    | RunDeleted,
    Field(discriminator="event"),
]
