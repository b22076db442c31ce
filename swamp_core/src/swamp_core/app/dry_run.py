"""A dry run: what a run with these inputs would do, in which order. Nothing is started, and the store is not touched.

What a step comes to is judged in `forecast`; here the workflow is walked, with the workflows that its steps run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue

from swamp_core.app.forecast import Before, Known, Outlook, after, by_itself, failing, of_items, of_job
from swamp_core.app.graph import condition_text, for_each_text
from swamp_core.app.inputs import checked_inputs
from swamp_core.app.seeing_views import DryRunResult, PlannedAfterView, PlannedItemView, PlannedStepView
from swamp_core.app.tasks import concurrency_of, target_of, timeout_of
from swamp_core.app.workflows import Runnable
from swamp_core.engine.expanding import NoItems, items_of
from swamp_core.expressions import ExpressionError
from swamp_core.payload.violations import violations
from swamp_core.run.events import Item, Json
from swamp_core.workflow.definition import (
    Job,
    ManualApproval,
    ModelMethod,
    NestedWorkflow,
    Step,
    WaitForSignal,
    Workflow,
)
from swamp_core.workflow.inputs import with_defaults
from swamp_core.workflow.order import in_order, waves

NESTED_STEPS_MAX = 1000
"""How many steps of nested workflows are planned; those beyond are left out, for there may be any number."""


def dry_run(runnable: Runnable, inputs: Mapping[str, JsonValue]) -> DryRunResult:
    """What a run would do. Raises `Refused` (`invalid_input`)."""
    checked = checked_inputs(runnable.workflow, inputs)
    planning = _Planning(runnable.workflows)
    steps, _ = planning.workflow(runnable.workflow, Known(checked))
    return DryRunResult(workflow=runnable.workflow.name, inputs=checked, steps=steps)


@dataclass(slots=True)
class _Planning:
    """A walk; `workflows` are the definitions of nested workflows by name."""

    workflows: Mapping[str, Workflow]
    nested_steps: int = 0

    def workflow(self, workflow: Workflow, known: Known) -> tuple[list[PlannedStepView], list[Outlook]]:
        """The steps by wave, and the outlooks of the jobs."""
        outlooks: dict[str, Outlook] = {}
        first_wave: dict[str, int] = {}
        last_wave: dict[str, int] = {}
        planned: list[PlannedStepView] = []
        for job in in_order(workflow.jobs):
            first_wave[job.name] = 1 + max((last_wave[each.name] for each in job.depends_on), default=0)
            befores = [
                Before("job", each.name, each.condition, outlooks[each.name]) for each in job.depends_on
            ]
            steps, outlooks[job.name] = self._job(workflow, job, befores, known)
            first = first_wave[job.name]
            last_wave[job.name] = first + max(step.wave for step in steps)
            planned += [step.model_copy(update={"wave": first + step.wave}) for step in steps]
        return sorted(planned, key=lambda step: step.wave), list(outlooks.values())

    def _job(
        self, workflow: Workflow, job: Job, befores: list[Before], known: Known
    ) -> tuple[list[PlannedStepView], Outlook]:
        wave_of = waves(job.steps)
        outlooks: dict[str, Outlook] = {}
        planned = []
        for step in in_order(job.steps):
            own = [Before("step", each.name, each.condition, outlooks[each.name]) for each in step.depends_on]
            view, outlooks[step.name] = self._step(job, step, [*befores, *own], known)
            bounds = concurrency_of(workflow=workflow, job=job, step=step)
            planned.append(view.model_copy(update={"wave": wave_of[step.name], "concurrency": bounds}))
        return planned, of_job(job, [outlooks[step.name] for step in job.steps])

    def _step(
        self, job: Job, step: Step, befores: list[Before], known: Known
    ) -> tuple[PlannedStepView, Outlook]:
        items, itself = self._items(step, known)
        inputs: JsonValue = None
        steps: list[PlannedStepView] | None = None
        if step.for_each is None and itself.decision != "skipped":
            inputs, wrong = self._inputs(step, known)
            itself = wrong or itself
        outlook = after(befores, itself)
        if isinstance(step.task, NestedWorkflow) and outlook.decision in ("runs", "depends"):
            steps = self._nested(step.task, known)
        task = step.task
        prompt = task.prompt if isinstance(task, WaitForSignal | ManualApproval) else None
        view = PlannedStepView(
            job=job.name,
            step=step.name,
            wave=0,
            task=task.type,
            target=target_of(task),
            after=_after(job, step),
            guard=step.guard,
            decision=outlook.decision,
            reason=outlook.reason,
            timeout=timeout_of(task),
            prompt=None if prompt is None else _text(prompt, known),
            for_each=for_each_text(step.for_each),
            concurrency=None,
            items=items,
            inputs=inputs if isinstance(inputs, dict) else None,
            steps=steps,
        )
        return view, outlook

    def _items(self, step: Step, known: Known) -> tuple[list[PlannedItemView] | None, Outlook]:
        """The items of a step, if it has a forEach and they are known; and what the step comes to by itself."""
        for_each = step.for_each
        if for_each is None:
            return None, by_itself(step, known)
        if not known.covers(for_each.source):
            return None, by_itself(step, known)
        try:
            items = items_of(step.name, known.evaluated(for_each.source), ())
        except (ExpressionError, NoItems) as error:
            return None, failing(str(error))
        return self._planned_items(step, for_each.item, items, known)

    def _planned_items(
        self, step: Step, variable: str, items: list[Item], known: Known
    ) -> tuple[list[PlannedItemView], Outlook]:
        views, outlooks = [], []
        for item in items:
            knows_item = Known(known.inputs, known.unknown, (variable, item.value))
            outlook = by_itself(step, knows_item)
            inputs: JsonValue = None
            if outlook.decision != "skipped":
                inputs, wrong = self._inputs(step, knows_item)
                outlook = wrong or outlook
            outlooks.append(outlook)
            views.append(
                PlannedItemView(
                    name=item.name,
                    decision=outlook.decision,
                    reason=outlook.reason,
                    inputs=inputs if isinstance(inputs, dict) else None,
                )
            )
        return views, of_items(outlooks)

    def _inputs(self, step: Step, known: Known) -> tuple[JsonValue, Outlook | None]:
        """The inputs of what the step calls, as far as they are known; and the outlook, if they are wrong."""
        if not isinstance(step.task, ModelMethod | NestedWorkflow):
            return None, None
        try:
            inputs = known.evaluated(step.task.inputs)
        except ExpressionError as error:
            return step.task.inputs, failing(str(error))
        nested = (
            self.workflows.get(step.task.workflow_id_or_name)
            if isinstance(step.task, NestedWorkflow)
            else None
        )
        if nested is not None and isinstance(inputs, dict) and known.covers(step.task.inputs):
            inputs = with_defaults(nested, inputs)
            if problems := violations(nested.inputs or {}, inputs):
                return inputs, failing(f"The inputs do not fit the workflow: {' '.join(problems)}")
        return inputs, None

    def _nested(self, task: NestedWorkflow, known: Known) -> list[PlannedStepView] | None:
        nested = self.workflows.get(task.workflow_id_or_name)
        if nested is None:
            return None
        self.nested_steps += sum(len(job.steps) for job in nested.jobs)
        if self.nested_steps > NESTED_STEPS_MAX:
            return None
        given: Json = {}
        unknown = set()
        for name, value in task.inputs.items():
            if known.covers(value):
                given[name] = known.evaluated(value)
            else:
                unknown.add(name)
        inputs = {name: value for name, value in with_defaults(nested, given).items() if name not in unknown}
        return self.workflow(nested, Known(inputs, frozenset(unknown)))[0]


def _after(job: Job, step: Step) -> list[PlannedAfterView]:
    refs = [(each.name, None, each.condition) for each in job.depends_on]
    own = [(job.name, each.name, each.condition) for each in step.depends_on]
    return [
        PlannedAfterView(job=name, step=inner, condition=each.to_json(), label=condition_text(each))
        for name, inner, each in (*refs, *own)
    ]


def _text(prompt: str, known: Known) -> str:
    try:
        return str(known.evaluated(prompt))
    except ExpressionError:
        return prompt
