"""What the Tab key offers: workflows, their inputs and steps, runs, and where state may be kept.

What is offered for how a run stands is in `completion_standing`.

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


def offering(offers: Callable[[click.Context, str], Iterable[tuple[str, str]]]) -> Completion:
    """A completion of what is offered: texts that begin with what was typed, each with what it is."""

    @wraps(offers)
    def complete(ctx: click.Context, _param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        from swamp_core.cli.escaping import printable

        try:
            fitting = (
                (text, " ".join(about.split()))
                for text, about in offers(ctx, incomplete)
                if text.startswith(incomplete) and text.isprintable()
            )
            chosen = dict(islice(fitting, OFFERED_MAX))
        except Exception:  # Whatever it is, a person who presses Tab must not be shown it.
            return []
        return [CompletionItem(text, help=printable(about)) for text, about in chosen.items()]

    return complete


@offering
def complete_workflows(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows of the repo, from their files."""
    for name, document in _workflow_files(ctx):
        description = document.get("description")
        yield name, description if isinstance(description, str) else ""


@offering
def complete_run_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs, the newest first; of the command's workflow, where it has one."""
    yield from _runs(ctx, incomplete, "workflow-runs/")


@offering
def complete_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows that have runs, and these runs, the newest first."""
    yield from _workflows_and_runs(ctx, incomplete, "workflow-runs/")


@offering
def complete_open_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows that have unfinished runs, and these runs, the newest first."""
    yield from _workflows_and_runs(ctx, incomplete, "open-runs/")


@offering
def complete_open_run_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs that are unfinished, the newest first; of the command's workflow, where it has one."""
    yield from _runs(ctx, incomplete, "open-runs/")


@offering
def complete_ended_run_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs that are over, the newest first; with `--force` all."""
    unfinished = set() if ctx.params.get("force") else {run_id for run_id, _ in _in_index(ctx, "open-runs/")}
    runs = _runs(ctx, incomplete, "workflow-runs/")
    yield from (each for each in runs if each[0] not in unfinished)


@offering
def complete_run_workflows(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows that have runs, whether or not they have files."""
    for workflow in dict.fromkeys(key.split("/")[0] for key in indexed(ctx, "workflow-runs/")):
        yield workflow, ""


@offering
def complete_inputs(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The inputs of the command's workflow as `NAME=`, but for those that are given already."""
    from swamp_core.cli.usage import named_values

    given = named_values(ctx.params.get("inputs") or ())
    schema = (_declared(ctx) or _pinned(ctx) or {}).get("inputs") or {}
    for name, member in schema.get("properties", {}).items():
        if name not in given:
            about = [str(member[word]) for word in ("type", "description") if word in member]
            yield f"{name}=", ": ".join(about)


@offering
def complete_steps(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The steps of the command's workflow, from its file, or else as its run has pinned them."""
    definition = _declared(ctx) or _pinned(ctx) or {"jobs": []}
    for job in definition["jobs"]:
        for step in job["steps"]:
            yield step["name"], f"job {job['name']}"


@offering
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


def named_in(ctx: click.Context) -> str | None:
    """The workflow, or the run, that was typed first. Click reads no argument when an option lacks its value yet."""
    named: str | None = ctx.params.get("name") or ctx.params.get("name_or_run_id")
    return named or next(iter(ctx.args), None)


def workspace_of(ctx: click.Context) -> Workspace:
    """The repo and its store, as the options that were typed say. Nothing is told beside what is being typed."""
    from swamp_core.cli.invocation import Invocation

    invocation = ctx.ensure_object(Invocation)
    invocation.options.log_level = "error"
    return invocation.workspace


@offering
def complete_keys(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The keys that steps of the command's workflow declare, or of any where it names none, each with its step."""
    wanted = ctx.params.get("workflow") or ctx.params.get("name")
    for name, document in _workflow_files(ctx):
        if wanted in (None, name):
            steps = [(job["name"], step) for job in document["jobs"] for step in job["steps"]]
            for job, step in steps:
                if key := step["task"].get("key"):
                    yield key, f"{job}/{step['name']} of {name}"


def _workflow_files(ctx: click.Context) -> Iterator[tuple[str, dict[str, Any]]]:
    from swamp_core.workflow.files import definition_files
    from swamp_core.workflow.loading import DIRECTORY
    from swamp_core.workflow.yaml_document import InvalidYaml
    from swamp_core.workflow.yaml_reader import FILE_BYTES_MAX, read_yaml

    for path in definition_files(workspace_of(ctx).repo_dir / DIRECTORY):
        try:
            with path.open("rb") as file:
                value = read_yaml(file.read(FILE_BYTES_MAX + 1)).value
        except (InvalidYaml, OSError):
            continue
        if isinstance(value, dict):
            name = value.get("name", path.stem)
            yield name if isinstance(name, str) else path.stem, value


def _runs(ctx: click.Context, incomplete: str, index: str) -> Iterator[tuple[str, str]]:
    named = named_in(ctx)
    found = _in_index(ctx, index)
    of_workflow = [each for each in found if each[1] == named]
    fitting = [each for each in of_workflow or found if each[0].startswith(incomplete)]
    yield from sorted(fitting, reverse=True)


def _in_index(ctx: click.Context, index: str) -> set[tuple[str, str]]:
    """The runs of an index, each with its workflow."""
    return {(parts[1], parts[0]) for key in indexed(ctx, index) if len(parts := key.split("/")) > 1}


def _workflows_and_runs(ctx: click.Context, incomplete: str, index: str) -> Iterator[tuple[str, str]]:
    keys = list(indexed(ctx, index))
    yield from ((name, "workflow") for name in dict.fromkeys(key.split("/")[0] for key in keys))
    if incomplete:
        runs = {(parts[1], parts[0]) for key in keys if len(parts := key.split("/")) > 1}
        yield from sorted((each for each in runs if each[0].startswith(incomplete)), reverse=True)


def indexed(ctx: click.Context, index: str) -> Iterator[str]:
    """The keys of an index, without what all of them begin with."""
    return (key.removeprefix(index) for key in workspace_of(ctx).store.list(index))


def _pinned(ctx: click.Context) -> dict[str, Any] | None:
    """The definition that the command's run has pinned; of a workflow that of its newest run, if it has any."""
    from swamp_core.journal.entry import Journal
    from swamp_core.journal.reading import read_journal

    text = str(ctx.params.get("run_id") or named_in(ctx))
    keys = [key.split("/") for key in indexed(ctx, "workflow-runs/")]
    found = [run_id for workflow, run_id in keys if workflow == text or run_id.startswith(text.lower())]
    journal = workspace_of(ctx).execute(read_journal(max(found))) if found else None
    return journal.run.definition if isinstance(journal, Journal) else None


def _declared(ctx: click.Context) -> dict[str, Any] | None:
    if ctx.params.get("run_id"):
        return None
    named = named_in(ctx)
    return next((document for name, document in _workflow_files(ctx) if name == named), None)
