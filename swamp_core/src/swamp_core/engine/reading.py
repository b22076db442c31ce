"""Reading a run that may be gone on with: its journal, once the definition and the models that it pins are usable.

Other writers reach the store. A journal can be whole as a journal and still pin what no build could drive, or what
only a newer one can; it is then unreadable, for whoever would drive, show, cancel or recover the run.
"""

from __future__ import annotations

from pydantic import ValidationError

from swamp_core.engine.plan import plan_of
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.models.registry import lacks_method, model_from_json
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol
from swamp_core.workflow.definition import ModelMethod, NestedWorkflow, Workflow
from swamp_core.workflow.structure import structure_findings


def read_run(run_id: str) -> Protocol[Journal | Absent | Unreadable]:
    """The run's journal as `read_journal` gives it, or `Unreadable` when it pins what cannot be used."""
    journal = yield from read_journal(run_id)
    return checked(journal) if isinstance(journal, Journal) else journal


def checked(journal: Journal) -> Journal | Unreadable:
    """The journal, or `Unreadable` when its run cannot be gone on with."""
    problem = _problem(journal.run)
    return Unreadable(keys.entry(journal.run_id, journal.snapshot_at or 1), problem) if problem else journal


def _problem(run: RunState) -> str | None:
    try:
        workflow = Workflow.from_json(run.definition)
    except ValidationError as error:
        return f"the definition that it pins is none that this build knows ({_first(error)})"
    finding = next(structure_findings(workflow), None)
    if finding is not None:
        return f"the definition that it pins does not fit together ({finding.message.removesuffix('.')})"
    steps = plan_of(workflow).steps
    if any((job, step) not in steps for job, state in run.jobs.items() for step in state.steps) or any(
        (job, item) in steps for job, state in run.jobs.items() for item in state.items
    ):
        return "it has a step that the definition that it pins has not"
    if any(
        (each.job, run.step(each.job, each.step).of or each.step) not in steps
        for each in run.waiting().values()
    ):
        return "it has a wait of a step that the definition that it pins has not"
    return next(filter(None, (_task_problem(run, step.task) for step in steps.values())), None)


def _task_problem(run: RunState, task: object) -> str | None:
    if not isinstance(task, NestedWorkflow):
        return _model_problem(run, task)
    name = task.workflow_id_or_name
    try:
        Workflow.from_json(run.workflows[name])
    except KeyError:
        return f"it pins no workflow `{name}`"
    except ValidationError as error:
        return f"the workflow `{name}` that it pins is none that this build knows ({_first(error)})"
    return None


def _model_problem(run: RunState, task: object) -> str | None:
    if not isinstance(task, ModelMethod):
        return None
    name = task.model_id_or_name
    if name not in run.models:
        return f"it pins no model `{name}`"
    try:
        model = model_from_json(run.models[name])
    except ValidationError as error:
        return f"the model `{name}` that it pins is none that this build knows ({_first(error)})"
    return (
        f"the model `{name}` that it pins lacks a method" if lacks_method(model, task.method_name) else None
    )


def _first(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{first['msg']} at `{'.'.join(map(str, first['loc']))}`"
