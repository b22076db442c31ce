"""The workflows of the repo: finding one that may run, listing them, and saying what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from swamp_core.app.refusals import Refused
from swamp_core.app.views import ProblemView, ValidateResult, ValidationView, WorkflowsResult, WorkflowSummary
from swamp_core.app.workspace import Workspace
from swamp_core.models.definition import Model
from swamp_core.models.loading import Models, find_model, known_models, load_models
from swamp_core.workflow.definition import ModelMethod, Workflow
from swamp_core.workflow.files import Loaded
from swamp_core.workflow.loading import DIRECTORY, find_workflows
from swamp_core.workflow.problems import Problem, did_you_mean, quoted


@dataclass(frozen=True, slots=True)
class Runnable:
    """A valid workflow with all that runs of it use.

    `workflows` are those that its steps run, and that the steps of these run, and so on; `models` those that steps of
    any of them call. Both are by name.
    """

    workflow: Workflow
    models: dict[str, Model]
    workflows: dict[str, Workflow] = field(default_factory=dict)


def list_workflows(workspace: Workspace) -> WorkflowsResult:
    """The workflow files of the repo, valid or not."""
    models = load_models(workspace.repo_dir)
    found = find_workflows(workspace.repo_dir, known_models(models))
    declared = _declared(found)
    return WorkflowsResult(
        workflows=[
            WorkflowSummary(
                name=each.name,
                path=_path(workspace, each.path),
                description=each.definition.description if each.definition else "",
                keys=list(each.definition.keyed_waits()) if each.definition else [],
                valid=each.definition is not None and not _broken(_runs(each.name, declared), models),
            )
            for each in found
        ]
    )


def validate_workflows(workspace: Workspace, names: Sequence[str] = ()) -> ValidateResult:
    """What is wrong with the workflows, all of them or those named, and with the model files of the repo.

    Raises `Refused` (`unknown_workflow`) for a name that no file has.
    """
    models = load_models(workspace.repo_dir, importing=True)
    found = find_workflows(workspace.repo_dir, known_models(models, importing=True))
    for name in names:
        if not any(each.name == name for each in found):
            raise _unknown(workspace, name, found)
    chosen = [each for each in found if not names or each.name in names]
    views = [
        ValidationView(
            name=each.name,
            path=_path(workspace, each.path),
            valid=each.valid,
            problems=[_problem(problem) for problem in each.problems],
        )
        for each in chosen
    ]
    return ValidateResult(workflows=views + _model_views(workspace, models.problems))


def load_runnable(workspace: Workspace, name: str, *, importing: bool = True) -> Runnable:
    """The workflow of that name, ready to run. Raises `Refused` (`unknown_workflow`, `invalid_workflow`).

    Without `importing` it is only good for looking at: no code of a Python model is imported.
    """
    models = load_models(workspace.repo_dir, importing=importing)
    found = find_workflows(workspace.repo_dir, known_models(models, importing=importing))
    named = [each for each in found if each.name == name]
    if not named:
        raise _unknown(workspace, name, found)
    runs = _runs(name, _declared(found))
    workflow = named[0].definition
    if workflow is None or len(named) > 1:
        wrong = [*named, *_invalid_below(runs, found, name)]
        names = list(dict.fromkeys(each.name for each in wrong))
        raise _invalid(workspace, names, [problem for each in wrong for problem in each.problems])
    broken = _broken(runs, models)
    if broken:
        raise _invalid(workspace, [name], broken)
    called = {called: find_model(models.usable, called) for called in _called_names(runs)}
    return Runnable(
        workflow,
        models={called: model for called, model in called.items() if model is not None},
        workflows={nested: definition for nested, definition in runs.items() if nested != name},
    )


def declared_workflow(workspace: Workspace, name: str) -> Workflow | None:
    """The workflow of that name as its file declares it, valid or not; None on a host that has no such file."""
    found = find_workflows(workspace.repo_dir)
    return next((each.declared for each in found if each.name == name and each.declared), None)


def unknown_workflow(workspace: Workspace, name: str) -> Refused:
    """The refusal of a name that no file has."""
    return _unknown(workspace, name, find_workflows(workspace.repo_dir))


def _declared(found: Sequence[Loaded[Workflow]]) -> dict[str, Workflow]:
    return {each.name: each.declared for each in found if each.declared is not None}


def _runs(name: str, declared: Mapping[str, Workflow]) -> dict[str, Workflow]:
    """The workflow of that name, those that its steps run, and so on, as far as they are declared."""
    runs: dict[str, Workflow] = {}
    ahead = [name]
    for each in ahead:
        if each in declared and each not in runs:
            runs[each] = declared[each]
            ahead.extend(declared[each].nested_names())
    return runs


def _invalid_below(
    runs: Mapping[str, Workflow], found: Sequence[Loaded[Workflow]], name: str
) -> list[Loaded[Workflow]]:
    """The invalid files of the workflows that runs of the named one would start."""
    below = {nested for workflow in runs.values() for nested in workflow.nested_names()} - {name}
    return [each for each in found if each.name in below and not each.valid]


def _called_names(runs: Mapping[str, Workflow]) -> list[str]:
    tasks = (step.task for workflow in runs.values() for job in workflow.jobs for step in job.steps)
    return list(dict.fromkeys(task.model_id_or_name for task in tasks if isinstance(task, ModelMethod)))


def _broken(runs: Mapping[str, Workflow], models: Models) -> list[Problem]:
    """What is wrong in the files of the models that the workflows call."""
    return [problem for name in _called_names(runs) for problem in models.broken.get(name, ())]


def _unknown(workspace: Workspace, name: str, found: Sequence[Loaded[Workflow]]) -> Refused:
    directory = workspace.repo_dir / DIRECTORY
    if not found:
        return Refused(
            "unknown_workflow",
            f"There is no workflow {quoted(name)}: {directory} holds no workflow file.",
            hint=f"A repo with an example is made by:\n{workspace.command('init')}",
        )
    message = f"There is no workflow {quoted(name)} in {directory}{did_you_mean(name, [each.name for each in found])}"
    return Refused(
        "unknown_workflow",
        message,
        hint=f"The workflows are listed by:\n{workspace.command('workflow', 'list')}",
        details={"workflow": name, "known": [each.name for each in found]},
    )


def _invalid(workspace: Workspace, names: Sequence[str], problems: Sequence[Problem]) -> Refused:
    """The refusal of the first of the names, for what is wrong in the files of all of them."""
    name = names[0]
    lines = "\n".join(str(problem) for problem in problems if problem.severity == "error")
    return Refused(
        "invalid_workflow",
        f"The workflow {quoted(name)} cannot run:\n{lines}",
        hint=f"Correct it, and check it with:\n{workspace.command('workflow', 'validate', *names)}",
        details={
            "workflow": name,
            "problems": [
                {**_problem(problem).to_json(), "path": _path(workspace, problem.file)}
                for problem in problems
            ],
        },
    )


def _model_views(workspace: Workspace, problems: Sequence[Problem]) -> list[ValidationView]:
    by_file: dict[Path, list[Problem]] = {}
    for problem in problems:
        if problem.file is not None:
            by_file.setdefault(problem.file, []).append(problem)
    return [
        ValidationView(
            name=path.stem,
            path=_path(workspace, path),
            valid=not any(problem.severity == "error" for problem in found),
            problems=[_problem(problem) for problem in found],
        )
        for path, found in by_file.items()
    ]


def _problem(problem: Problem) -> ProblemView:
    return ProblemView(
        severity=problem.severity,
        code=problem.code,
        message=problem.message,
        line=problem.line,
        column=problem.column,
    )


def _path(workspace: Workspace, path: Path | None) -> str:
    if path is None:
        return ""
    return (
        path.relative_to(workspace.repo_dir).as_posix()
        if path.is_relative_to(workspace.repo_dir)
        else str(path)
    )
