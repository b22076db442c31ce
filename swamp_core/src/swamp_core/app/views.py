"""What the use cases answer with: plain values that become the documented JSON (camelCase, null for what is not).

A view says what is known at one moment. Its field names and those of its JSON are a contract: others script
against them.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, JsonValue

from swamp_core.records.base import Instant, Model
from swamp_core.records.families import WaitKind
from swamp_core.run.statuses import ShownStatus, StepStatus

JobStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"]
StepViewStatus = StepStatus | Literal["unknown"]


class View(Model):
    """A value that use cases answer with."""

    def to_json(self) -> dict[str, Any]:
        """The view as JSON values."""
        return self.model_dump(mode="json")


class OwnerView(View):
    """The process that drives a run."""

    host: str
    pid: int
    lease_until: Instant


class ErrorView(View):
    """Why a step failed."""

    code: str
    message: str
    details: dict[str, JsonValue]


class StepView(View):
    """A step of a run, or an item of a step with a forEach. `unknown`: it was running when the run's driver was lost.

    `key` is that of the wait, and `child_run_id` the nested run that is the step's work.
    """

    name: str
    job: str
    status: StepViewStatus
    wait_kind: WaitKind | Literal["nested"] | None = None
    wait_id: str | None = None
    key: str | None = None
    child_run_id: str | None = None
    error: ErrorView | None = None
    skip_reason: str | None = None
    allowed_failure: bool = False
    outputs: dict[str, JsonValue] | None = None
    started_at: Instant | None = None
    finished_at: Instant | None = None


class JobView(View):
    """A job of a run."""

    name: str
    status: JobStatus
    steps: list[StepView]


class RunView(View):
    """A run. `interrupted`: it is unfinished, and nobody drives it."""

    id: str
    workflow: str
    status: ShownStatus
    started_at: Instant
    finished_at: Instant | None
    inputs: dict[str, JsonValue]
    parent_run_id: str | None
    owner: OwnerView | None
    jobs: list[JobView]


class WaitView(View):
    """An open wait. `expired` goes by this host's clock and settles nothing.

    `parent_run_id` is the run that the run of the wait is nested in.
    """

    wait_id: str
    workflow: str
    run_id: str
    parent_run_id: str | None
    job: str
    step: str
    kind: WaitKind
    key: str | None = None
    opened_at: Instant
    deadline: Instant | None
    expired: bool
    payload_schema: dict[str, JsonValue] | None = Field(alias="schema")
    prompt: str | None
    next_command: str


class KeptView(View):
    """An unfinished run that a new run of its workflow leaves alone, and why."""

    run_id: str
    wait_ids: list[str]
    reason: str


class StandingView(View):
    """A run above or below another one, as it stands, and the commands that make it go on, however deep they reach.

    `awaiting_resume`: it is suspended, and to resume it would do something. Of a run above, `awaiting_resume` and
    `next_commands` hold once the run below it is over.
    """

    run_id: str
    workflow: str
    status: ShownStatus
    awaiting_resume: bool
    next_commands: list[str]


class RunResult(View):
    """A run as a command left it, with its open waits; `kept` are other runs that it left alone.

    `parent` is the run that it is nested in; `nested` are its nested runs that are driven, or whose driver was lost.
    """

    run: RunView
    waits: list[WaitView] = Field(default=[])
    parent: StandingView | None = None
    nested: list[StandingView] = Field(default=[])
    retry_from: str | None = Field(default=None, exclude=True)
    """Of a run that failed: the step to retry it from, where to run only what failed again could not help."""
    superseded: list[str] = Field(default=[])
    kept: list[KeptView] = Field(default=[])
    not_cleaned_up: list[str] = Field(default=[], exclude=True)
    """The clean-up that a cancel left out (`JOB/STEP`), having found no driver. In JSON these steps are `skipped`."""


class NotResumedView(View):
    """A run that could have gone on and was not resumed, and why."""

    run_id: str
    code: str
    message: str


class ReadyResult(View):
    """What became of the runs that were ready to go on."""

    runs: list[RunResult]
    refused: list[NotResumedView]


class UnreadableView(View):
    """Something stands in the place of a wait's record that is none."""

    wait_id: str
    reason: str


class WaitsResult(View):
    """The open waits of the store."""

    waits: list[WaitView]
    unreadable: list[UnreadableView]
    others: int = Field(default=0, exclude=True)
    """How many are open of the other kind: gates, if these are waits for a signal. Only for hints."""
    nested: int = Field(default=0, exclude=True)
    """How many are open of nested runs of other workflows, while a run of the chosen one is. Only for hints."""


class ReceiptView(View):
    """What is kept of a signal: when it came, and when a wait took it if it was held until then (`taken_at`)."""

    id: str
    wait_id: str | None
    received_at: Instant
    taken_at: Instant | None = None
    submitted_by: str
    idempotency_key: str


class SignalResult(View):
    """An accepted signal. `repeated`: it had been accepted before, and this is the receipt of then.

    One that is `held` for the next wait under its key has no wait, run, job and step yet; it is until `expires_at`.

    After `--resume`, `run` is the outermost run that was resumed, and `parent` the one that this is nested in.
    """

    status: Literal["accepted", "repeated", "held"]
    wait_id: str | None = None
    run_id: str | None = None
    workflow: str
    job: str | None = None
    step: str | None = None
    key: str | None = None
    receipt: ReceiptView
    expires_at: Instant | None = None
    awaiting_resume: bool
    resume_command: str | None = None
    run: RunView | None = None
    parent: StandingView | None = None


CheckStatus = Literal["would_accept", "would_repeat", "would_hold"]


class SignalCheckResult(View):
    """What a signal that was not sent would come to. `would_repeat`: it was accepted before, with this receipt."""

    status: CheckStatus
    wait_id: str | None = None
    run_id: str | None = None
    workflow: str
    job: str | None = None
    step: str | None = None
    key: str | None = None
    receipt: ReceiptView | None


class RunSummary(View):
    """A line of the history. `awaiting_resume`: it is suspended and everything that it waits for is settled."""

    id: str
    workflow: str
    status: ShownStatus | Literal["unreadable"]
    started_at: Instant | None
    finished_at: Instant | None
    inputs: dict[str, JsonValue] | None
    parent_run_id: str | None
    awaiting_resume: bool


class HistoryResult(View):
    """Runs, the newest first."""

    runs: list[RunSummary]


OutcomeUse = Literal["applied", "pending", "unused"]


class OutcomeView(View):
    """What somebody answered to a wait: a signal, an approval or a rejection; `by` whom, and when (`at`).

    `use`: the run has taken it up (`applied`), a resume will (`pending`), or the run was ended, or its step reset,
    before one did (`unused`).
    """

    wait_id: str
    job: str
    step: str
    result: Literal["accepted", "approved", "rejected"]
    at: Instant
    by: str
    reason: str | None = None
    payload: dict[str, JsonValue] | None = None
    use: OutcomeUse


class RunHistory(View):
    """A run with all its events, oldest first, and what its waits were answered, also where no event tells of it."""

    run: RunView
    events: list[dict[str, JsonValue]]
    outcomes: list[OutcomeView]
    awaiting_resume: bool = Field(default=False, exclude=True)
    """It is suspended, and to resume it would do something. Only for hints."""


class ProblemView(View):
    """Something that is wrong in a workflow's file. Line and column count from 1."""

    severity: Literal["error", "warning"]
    code: str
    message: str
    line: int
    column: int


class ValidationView(View):
    """What was found in a workflow's file."""

    name: str
    path: str
    valid: bool
    problems: list[ProblemView]


class ValidateResult(View):
    """What was found in workflow files, and in those model files that have problems."""

    workflows: list[ValidationView]


class WorkflowSummary(View):
    """A workflow of the repo."""

    name: str
    path: str
    description: str
    keys: list[str] = Field(default=[])
    valid: bool


class WorkflowsResult(View):
    """The workflows of the repo."""

    workflows: list[WorkflowSummary]


class KeptRunView(View):
    """A run that was not removed, and why."""

    run_id: str
    reason: str


class RemovalResult(View):
    """The runs that were removed, nested ones too, and those that were kept; with `dry_run`, that would be.

    `records` counts the records that were deleted, those that no run owned any more included.
    """

    removed: list[str]
    kept: list[KeptRunView] = Field(default=[])
    records: int
    dry_run: bool = False


class DatastoreView(View):
    """The datastore in use. `source` (as JSON, `from`) is where the setting was found."""

    store: str
    type: str
    options: dict[str, JsonValue]
    source: str = Field(alias="from")


class StoreTypeView(View):
    """A type of store; `install` says how it is made usable.

    `missing` are the distributions that are not there; one that misses none and is not `installed` cannot be loaded.
    """

    type: str
    distribution: str
    installed: bool
    install: str
    missing: list[str]


class StoresResult(View):
    """The types of store that this installation knows."""

    stores: list[StoreTypeView]


class InitResult(View):
    """What `init` wrote, as paths below the repo directory."""

    repo_dir: str
    created: list[str]
    kept: list[str]
