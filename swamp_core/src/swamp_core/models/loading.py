"""The models of a repo: `models/*.yaml`, each loaded and checked, and no two of one name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from swamp_core.models.definition import Model, ShellModel, model_findings
from swamp_core.workflow.files import Loaded, definition_files, load_file, refuse_clashes
from swamp_core.workflow.problems import Problem
from swamp_core.workflow.validation import ModelInfo

DIRECTORY = "models"


def load_model(path: Path) -> Loaded[Model]:
    """The model of one file, named by its stem unless it declares a name; a bad file raises nothing."""
    return load_file(path, ShellModel, model_findings)


def load_models(repo_dir: Path) -> tuple[dict[str, Model], tuple[Problem, ...]]:
    """The usable models of the repo by name, and all that is wrong with its model files."""
    files = refuse_clashes(load_model(path) for path in definition_files(repo_dir / DIRECTORY))
    models = {file.name: file.definition for file in files if file.definition is not None}
    return models, tuple(problem for file in files for problem in file.problems)


def find_model(models: Mapping[str, Model], id_or_name: str) -> Model | None:
    """The model that a step means, None if there is none. A model's name is its ID."""
    return models.get(id_or_name)


def known_models(models: Mapping[str, Model]) -> dict[str, ModelInfo]:
    """What the validation of workflows needs to know of the models."""
    return {name: ModelInfo(methods=tuple(model.methods)) for name, model in models.items()}
