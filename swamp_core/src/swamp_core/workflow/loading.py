"""The workflows of a repo: `workflows/*.yaml`, each loaded and checked, and no two of one name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.files import Loaded, definition_files, load_file, refuse_clashes
from swamp_core.workflow.validation import ModelInfo, validate

DIRECTORY = "workflows"


def load_workflow(path: Path, known_models: Mapping[str, ModelInfo] | None = None) -> Loaded[Workflow]:
    """The workflow of one file, named by its stem unless it declares a name; a bad file raises nothing."""
    return load_file(path, lambda _: Workflow, lambda workflow: validate(workflow, known_models))


def find_workflows(
    repo_dir: Path, known_models: Mapping[str, ModelInfo] | None = None
) -> tuple[Loaded[Workflow], ...]:
    """Every workflow file of the repo, by file name; files that share a workflow's name are all refused."""
    files = definition_files(repo_dir / DIRECTORY)
    return refuse_clashes(load_workflow(path, known_models) for path in files)
