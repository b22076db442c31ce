"""The workflows of a repo: `workflows/*.yaml`, each loaded and checked, and no two of one name.

A workflow may run others, so all files are read before one of them is judged, and one that runs an invalid one
is invalid too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.files import (
    Loaded,
    definition_files,
    read_file,
    refuse_clashes,
    with_findings,
)
from swamp_core.workflow.nesting import broken_nesting_findings
from swamp_core.workflow.validation import ModelInfo, validate

DIRECTORY = "workflows"


def find_workflows(
    repo_dir: Path, known_models: Mapping[str, ModelInfo] | None = None
) -> tuple[Loaded[Workflow], ...]:
    """Every workflow file of the repo, by file name; files that share a workflow's name are all refused."""
    files = [read_file(path, lambda _: Workflow) for path in definition_files(repo_dir / DIRECTORY)]
    known = {file.name: file.declared for file in files}
    findings = [validate(file.declared, known_models, known) if file.declared else [] for file in files]
    judged = refuse_clashes(with_findings(file, found) for file, found in zip(files, findings, strict=True))
    broken = _broken(judged)
    return tuple(
        with_findings(file, broken_nesting_findings(file.declared, broken, found) if file.declared else ())
        for file, found in zip(judged, findings, strict=True)
    )


def _broken(files: Sequence[Loaded[Workflow]]) -> set[str]:
    """The names of the invalid workflows, and of all that run one of them, directly or through others."""
    broken = {file.name for file in files if not file.valid}
    runs = {file.name: file.declared.nested_names() for file in files if file.declared}
    while more := {
        name for name, nested in runs.items() if name not in broken and not broken.isdisjoint(nested)
    }:
        broken |= more
    return broken
