"""How workflow files and what is wrong with them are told."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from swamp_core.app.views import ValidateResult, WorkflowsResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Part, Say, Table
from swamp_core.workflow.loading import DIRECTORY


def workflows_parts(result: WorkflowsResult, workspace: Workspace) -> Iterator[Part]:
    """The workflows of the repo."""
    if not result.workflows:
        yield Say("There is no workflow file here. Make an example with:")
        yield Copy(workspace.command("init"))
        return
    yield Table(
        ("name", "valid", "path", "description"),
        tuple(
            (each.name, "yes" if each.valid else "no", each.path, each.description)
            for each in result.workflows
        ),
        tuple("plain" if each.valid else "bad" for each in result.workflows),
    )
    if not all(each.valid for each in result.workflows):
        yield Say("See what is wrong with:")
        yield Copy(workspace.command("workflow", "validate"))


def validation_parts(result: ValidateResult, workspace: Workspace) -> Iterator[Part]:
    """The problems, one a line, as compilers tell them; then a count."""
    for each in result.workflows:
        path = shown_path(workspace.repo_dir / each.path)
        for problem in each.problems:
            kind = "" if problem.severity == "error" else f"{problem.severity}: "
            yield Say(
                f"{path}:{problem.line}:{problem.column}: {kind}{problem.message}",
                "bad" if problem.severity == "error" else "warn",
            )
    invalid = sum(not each.valid for each in result.workflows)
    files = len(result.workflows)
    if not files:
        where = workspace.repo_dir / DIRECTORY
        yield Say(f"Nothing was checked: {where} holds no workflow file.", "bad")
        yield Say("Name another directory with --repo-dir, or make an example with:")
        yield Copy(workspace.command("init"))
    elif invalid:
        yield Say(f"{invalid} of {_files(files)} cannot be used.", "bad")
    else:
        yield Say(f"{_files(files)} checked; no error was found.", "good")


def shown_path(path: Path) -> str:
    """The path as seen from the current directory, where it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except (OSError, ValueError):
        return str(path)


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"
