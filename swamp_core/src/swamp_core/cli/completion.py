"""What the Tab key offers: workflows, runs, waits, steps, and where state may be kept.

A person is typing, so this is quick and silent: it asks at most for a listing and a journal, reads files without
running anything of them, writes nothing, and offers nothing when anything at all goes wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from swamp_core.app.workspace import Workspace

OFFERED_MAX = 50

Completion = Callable[[click.Context, click.Parameter, str], "list[CompletionItem]"]


def _offering(offers: Callable[[click.Context, str], Iterable[tuple[str, str]]]) -> Completion:
    """A completion of what is offered: texts that begin with what was typed, each with what it is."""

    @wraps(offers)
    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        try:
            fitting = (each for each in offers(ctx, incomplete) if each[0].startswith(incomplete))
            chosen = dict(islice(fitting, OFFERED_MAX))
        except Exception:  # Whatever it is, a person who presses Tab must not be shown it.
            return []
        return [CompletionItem(text, help=about) for text, about in chosen.items()]

    return complete


@_offering
def complete_workflows(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows of the repo, from their files."""
    for name, document in _workflow_files(ctx):
        description = document.get("description")
        yield name, description if isinstance(description, str) else ""


@_offering
def complete_run_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs, the newest first; of the command's workflow, where it has one."""
    yield from _runs(ctx, incomplete, "workflow-runs/")


@_offering
def complete_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows that have runs, and these runs, the newest first."""
    yield from _workflows_and_runs(ctx, incomplete, "workflow-runs/")


@_offering
def complete_open_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows that have unfinished runs, and these runs, the newest first."""
    yield from _workflows_and_runs(ctx, incomplete, "open-runs/")


@_offering
def complete_wait_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The waits that are registered."""
    for key in _workspace(ctx).store.list(f"waits/{incomplete}", limit=OFFERED_MAX):
        yield key.removeprefix("waits/"), ""


@_offering
def complete_steps(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The steps of the command's workflow, from its file, or else as its run has pinned them."""
    definition = _declared(ctx) or _pinned(ctx) or {"jobs": []}
    for job in definition["jobs"]:
        for step in job["steps"]:
            yield step["name"], f"job {job['name']}"


@_offering
def complete_datastores(_ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The beginnings of URLs of the types of store that are installed."""
    from importlib.metadata import entry_points

    from swamp_core.store.backend import ENTRY_POINT_GROUP

    for each in entry_points(group=ENTRY_POINT_GROUP):
        if each.name != "local":  # Its URLs begin with `file`.
            yield f"{each.name}://", each.dist.name if each.dist else ""


def complete_directories(
    _ctx: click.Context, _param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Directories, which the shell knows best."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="dir")]


def _named(ctx: click.Context) -> str | None:
    """The workflow, or the run, that was typed first. Click reads no argument when an option lacks its value yet."""
    named: str | None = ctx.params.get("name") or ctx.params.get("name_or_run_id")
    return named or next(iter(ctx.args), None)


def _workspace(ctx: click.Context) -> Workspace:
    from swamp_core.cli.invocation import Invocation

    return ctx.ensure_object(Invocation).workspace


def _workflow_files(ctx: click.Context) -> Iterator[tuple[str, dict[str, Any]]]:
    from swamp_core.workflow.files import definition_files
    from swamp_core.workflow.loading import DIRECTORY
    from swamp_core.workflow.yaml_document import InvalidYaml
    from swamp_core.workflow.yaml_reader import FILE_BYTES_MAX, read_yaml

    for path in definition_files(_workspace(ctx).repo_dir / DIRECTORY):
        try:
            with path.open("rb") as file:
                value = read_yaml(file.read(FILE_BYTES_MAX + 1)).value
        except (InvalidYaml, OSError):
            continue
        if isinstance(value, dict):
            name = value.get("name", path.stem)
            yield name if isinstance(name, str) else path.stem, value


def _runs(ctx: click.Context, incomplete: str, index: str) -> Iterator[tuple[str, str]]:
    named = _named(ctx)
    found = {(parts[1], parts[0]) for key in _indexed(ctx, index) if len(parts := key.split("/")) > 1}
    of_workflow = [each for each in found if each[1] == named]
    fitting = [each for each in of_workflow or found if each[0].startswith(incomplete)]
    yield from sorted(fitting, reverse=True)


def _workflows_and_runs(ctx: click.Context, incomplete: str, index: str) -> Iterator[tuple[str, str]]:
    keys = list(_indexed(ctx, index))
    yield from ((name, "workflow") for name in dict.fromkeys(key.split("/")[0] for key in keys))
    if incomplete:
        runs = {(parts[1], parts[0]) for key in keys if len(parts := key.split("/")) > 1}
        yield from sorted((each for each in runs if each[0].startswith(incomplete)), reverse=True)


def _indexed(ctx: click.Context, index: str) -> Iterator[str]:
    return (key.removeprefix(index) for key in _workspace(ctx).store.list(index))


def _pinned(ctx: click.Context) -> dict[str, Any] | None:
    """The definition that the command's run has pinned; of a workflow that of its newest run, if it has any."""
    from swamp_core.journal.entry import Journal
    from swamp_core.journal.reading import read_journal

    text = str(ctx.params.get("run_id") or _named(ctx))
    keys = [key.split("/") for key in _indexed(ctx, "workflow-runs/")]
    found = [run_id for workflow, run_id in keys if workflow == text or run_id.startswith(text.lower())]
    journal = _workspace(ctx).execute(read_journal(max(found))) if found else None
    return journal.run.definition if isinstance(journal, Journal) else None


def _declared(ctx: click.Context) -> dict[str, Any] | None:
    if ctx.params.get("run_id"):
        return None
    named = _named(ctx)
    return next((document for name, document in _workflow_files(ctx) if name == named), None)
