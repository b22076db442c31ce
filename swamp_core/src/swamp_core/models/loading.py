"""The models of a repo: `models/*.yaml`, each loaded and checked, and no two of one name.

The class of a Python model is looked for, and its code imported, only when the caller asks for it (`importing`):
to list things, nothing of a model needs to be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from swamp_core.models.definition import Model, ShellModel, shell_findings
from swamp_core.workflow.files import Loaded, definition_files, load_file, refuse_clashes
from swamp_core.workflow.problems import Problem
from swamp_core.workflow.validation import ModelInfo

DIRECTORY = "models"


@dataclass(frozen=True, slots=True)
class Models:
    """The models of a repo by name: those that can be used, and what is wrong in the files of the `broken` ones."""

    usable: Mapping[str, Model]
    broken: Mapping[str, tuple[Problem, ...]]
    problems: tuple[Problem, ...]


def load_model(path: Path) -> Loaded[ShellModel]:
    """The model of one file, named by its stem unless it declares a name; a bad file raises nothing."""
    return load_file(path, lambda _: ShellModel, shell_findings)


def load_models(repo_dir: Path, *, importing: bool = False) -> Models:
    """The models of the repo, and all that is wrong with its model files."""
    files = refuse_clashes(load_model(path) for path in definition_files(repo_dir / DIRECTORY))
    return Models(
        usable={file.name: file.definition for file in files if file.definition is not None},
        broken=_broken(files),
        problems=tuple(problem for file in files for problem in file.problems),
    )


def _broken(files: Iterable[Loaded[ShellModel]]) -> dict[str, tuple[Problem, ...]]:
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
    usable = {name: _info(model) for name, model in models.usable.items()}
    return {name: ModelInfo(methods=None) for name in models.broken} | usable


def _info(model: Model) -> ModelInfo:
    if isinstance(model, ShellModel):
        return ModelInfo(methods=tuple(model.methods))
    return ModelInfo(methods=None)
