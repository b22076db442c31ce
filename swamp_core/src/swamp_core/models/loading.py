"""The models of a repo: `models/*.yaml`, each loaded and checked, and no two of one name.

The class of a Python model is looked for, and its code imported, only when the caller asks for it (`importing`):
to list things, nothing of a model needs to be installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from swamp_core.models.definition import SHELL, Model, ShellModel, shell_findings
from swamp_core.models.installed import distribution_of, provided_names
from swamp_core.models.python_checks import class_findings, class_info
from swamp_core.models.python_definition import PYTHON, ProvidedFile, PythonFile, file_findings, model_of_file
from swamp_core.workflow.files import Loaded, definition_files, load_file, refuse_clashes
from swamp_core.workflow.problems import Finding, Problem, did_you_mean, quoted
from swamp_core.workflow.validation import ModelInfo

DIRECTORY = "models"

ModelFile = ShellModel | PythonFile | ProvidedFile
"""What a model file can hold."""


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a repo by name: those that can be used, and what is wrong in the files of the `broken` ones."""

    usable: Mapping[str, Model]
    broken: Mapping[str, tuple[Problem, ...]]
    problems: tuple[Problem, ...]


def load_model(path: Path, *, importing: bool = False) -> Loaded[ModelFile]:
    """The model of one file, named by its stem unless it declares a name; a bad file raises nothing."""
    kind_of: Callable[[dict[str, Any]], type[ModelFile] | Finding] = _kind_of
    return load_file(path, kind_of, partial(_findings, importing=importing))


def load_models(repo_dir: Path, *, importing: bool = False) -> Models:
    """The models of the repo, and all that is wrong with its model files."""
    paths = definition_files(repo_dir / DIRECTORY)
    files = refuse_clashes(load_model(path, importing=importing) for path in paths)
    usable = {file.name: file.definition for file in files if file.definition is not None}
    return Models(
        usable={name: _model(definition, importing=importing) for name, definition in usable.items()},
        broken=_broken(files),
        problems=tuple(problem for file in files for problem in file.problems),
    )


def _broken(files: Iterable[Loaded[ModelFile]]) -> dict[str, tuple[Problem, ...]]:
    broken: dict[str, tuple[Problem, ...]] = {}
    for file in files:
        if not file.valid:
            broken[file.name] = (*broken.get(file.name, ()), *file.problems)
    return broken


def find_model(models: Mapping[str, Model], id_or_name: str) -> Model | None:
    """The model that a step means, None if there is none. A model's name is its ID."""
    return models.get(id_or_name)


def known_models(models: Models, *, importing: bool = False) -> dict[str, ModelInfo]:
    """What the validation of workflows needs to know of the models: of a broken one, that it is there."""
    usable = {name: _info(model, importing=importing) for name, model in models.usable.items()}
    return {name: ModelInfo(methods=None) for name in models.broken} | usable


def _kind_of(value: dict[str, Any]) -> type[ModelFile] | Finding:
    type_ = value.get("type", SHELL)
    if type_ == PYTHON:
        return PythonFile
    if type_ == SHELL or not isinstance(type_, str):
        return ShellModel
    provided = provided_names()
    if type_ in provided:
        return ProvidedFile
    message = f"Unknown type {quoted(type_)}{did_you_mean(type_, [SHELL, PYTHON, *provided])}"
    return Finding(("type",), "unknown_type", message)


def _findings(file: ModelFile, *, importing: bool) -> Iterable[Finding]:
    if isinstance(file, ShellModel):
        return shell_findings(file)
    return [*file_findings(file), *(class_findings(file) if importing else ())]


def _model(file: ModelFile, *, importing: bool) -> Model:
    if isinstance(file, ShellModel):
        return file
    return model_of_file(file, distribution_of(file.of_class) if importing else None)


def _info(model: Model, *, importing: bool) -> ModelInfo:
    if isinstance(model, ShellModel):
        return ModelInfo(methods=tuple(model.methods))
    return class_info(model) if importing else ModelInfo(methods=None)
