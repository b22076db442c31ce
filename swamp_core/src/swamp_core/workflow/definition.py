"""A workflow as its author declared it: jobs of steps, what each depends on, and the task of each step.

These models say what a definition *is*; what must hold between its parts (names, cycles, expressions) is in
`validation`. A run writes the whole definition into its journal with `to_json`, and every later process
reads it back with `from_json`: the two give the same definition, so that editing the file changes new runs
only.

Invariants:

1. Nothing here depends on a file, a clock or a model: the same JSON gives the same definition on every host.
2. A field or task type that this build does not know is refused, so an older build never runs half a
   definition.
3. A wait for a signal has a timeout, so none stays open for ever. A gate may stay: it waits for people.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from swamp_core.workflow.conditions import Condition, End
from swamp_core.workflow.fields import (
    Concurrency,
    Definition,
    Given,
    Items,
    Key,
    Name,
    Seconds,
    Tagged,
    Title,
    Variable,
)

JsonObject = dict[str, Any]

EARLY_SIGNALS_MAX = 100

SUCCEEDED = End(type="succeeded")


def _at_most(value: Any) -> Any:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= EARLY_SIGNALS_MAX:
        raise PydanticCustomError(
            "invalid_early_signals", f"must be a whole number from 0 to {EARLY_SIGNALS_MAX}"
        )
    return value


class EarlySignals(Definition):
    """For how many seconds a signal under a key is held that no wait holds, and how many are held: none where 0."""

    ttl_s: Annotated[Seconds, Field(alias="ttl")] = 3600
    max: Annotated[int, BeforeValidator(_at_most), Field(ge=0, le=EARLY_SIGNALS_MAX)] = 16


def _early_signals(value: Any) -> Any:
    if value is False:
        return {"max": 0}
    if not isinstance(value, dict | EarlySignals):
        raise PydanticCustomError(
            "invalid_early_signals", "must be `false`, or a mapping with `ttl`, `max` or both"
        )
    return value


class WaitForSignal(Tagged):
    """The step pauses until a payload arrives that is valid under the schema, or the timeout is over.

    `timeout_s` is in seconds, counted from the moment the wait is planned. Without a `payload_schema` any
    object is valid. `prompt` tells people what is asked of them. Under its `key`, which one open wait of the
    workflow holds at a time, who does not know the wait's ID can signal it; `early_signals` is what happens
    with a signal while no wait holds the key: false, and it is refused.
    """

    type: Literal["wait_for_signal"] = "wait_for_signal"
    timeout_s: Seconds = Field(alias="timeout")
    payload_schema: Annotated[JsonObject | None, Given] = Field(default=None, alias="schema")
    prompt: Annotated[str | None, Given] = None
    key: Annotated[Key | None, Given] = None
    early_signals: Annotated[
        EarlySignals | None,
        BeforeValidator(_early_signals, json_schema_input_type=EarlySignals | Literal[False]),
    ] = None


class ModelMethod(Tagged):
    """The step calls a method of a model. `inputs` may hold expressions at any depth."""

    type: Literal["model_method"] = "model_method"
    model_id_or_name: str
    method_name: str
    inputs: JsonObject = Field(default={})


class ManualApproval(Tagged):
    """The step is a gate: it pauses until somebody approves or rejects it, or the timeout, if any, is over.

    `prompt` says what is to be decided, and may hold expressions. `timeout_s` is as for a wait.
    """

    type: Literal["manual_approval"] = "manual_approval"
    prompt: str
    timeout_s: Annotated[Seconds | None, Given] = Field(default=None, alias="timeout")


class NestedWorkflow(Tagged):
    """The step is a run of another workflow of the repo. `inputs` may hold expressions at any depth."""

    type: Literal["workflow"] = "workflow"
    workflow_id_or_name: str
    inputs: JsonObject = Field(default={})


class Assert(Tagged):
    """The step succeeds if `expr`, one whole expression, is true, and fails with the message otherwise."""

    type: Literal["assert"] = "assert"
    expr: str
    message: str


Task = Annotated[
    WaitForSignal | ManualApproval | ModelMethod | NestedWorkflow | Assert, Field(discriminator="type")
]


class ForEach(Definition):
    """The step is one step for each item of a list, or for each member of an object.

    An expression in the step reads the item as `self.<item>`; of an object it is one of `key` and `value`.
    """

    item: Variable
    source: Items = Field(alias="in")


class Dependency(Definition):
    """What must have ended first, and how. The short form, a bare name, means that it succeeded."""

    name: str
    condition: Condition = SUCCEEDED

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, value: Any) -> Any:
        if isinstance(value, str):
            return {cls.model_fields["name"].alias or "name": value}
        return value


class JobDependency(Dependency):
    """A dependency of a job on another job: `build`, or `{job: build, condition: …}`."""

    name: str = Field(alias="job")


class StepDependency(Dependency):
    """A dependency of a step on another step of the same job: `review`, or `{step: review, condition: …}`."""

    name: str = Field(alias="step")


class Step(Definition):
    """One task of a job. A truthy `guard` skips it; an `allow_failure` step does not fail its job.

    With `for_each` it is a step for each item, of which at most `concurrency` run at a time.
    """

    name: Title
    description: str = ""
    task: Task
    for_each: Annotated[ForEach | None, Given] = None
    concurrency: Annotated[Concurrency | None, Given] = None
    depends_on: Annotated[tuple[StepDependency, ...], Field(strict=False)] = ()
    guard: Annotated[str | None, Given] = None
    allow_failure: bool = False


class Job(Definition):
    """Steps that succeed or fail together. A step starts as soon as what it depends on allows.

    At most `concurrency` of its steps run at a time; a step that waits does not run.
    """

    name: Title
    description: str = ""
    concurrency: Annotated[Concurrency | None, Given] = None
    depends_on: Annotated[tuple[JobDependency, ...], Field(strict=False)] = ()
    steps: Annotated[tuple[Step, ...], Field(strict=False, min_length=1)]


class Workflow(Definition):
    """A workflow; its name is its identity. `inputs` is the JSON Schema of what a run is given, if any.

    At most `concurrency` steps of a run of it run at a time; those of nested runs count there.
    """

    name: Name
    description: str = ""
    concurrency: Annotated[Concurrency | None, Given] = None
    inputs: Annotated[JsonObject | None, Given] = None
    jobs: Annotated[tuple[Job, ...], Field(strict=False, min_length=1)]

    def keyed_waits(self) -> dict[str, tuple[str, WaitForSignal]]:
        """The steps that declare a key, by it: each as `job/step`, with its task."""
        return {
            step.task.key: (f"{job.name}/{step.name}", step.task)
            for job in self.jobs
            for step in job.steps
            if isinstance(step.task, WaitForSignal) and step.task.key is not None
        }

    def nested_names(self) -> list[str]:
        """The names of the workflows that its steps run, each once."""
        tasks = (step.task for job in self.jobs for step in job.steps)
        return list(
            dict.fromkeys(task.workflow_id_or_name for task in tasks if isinstance(task, NestedWorkflow))
        )
