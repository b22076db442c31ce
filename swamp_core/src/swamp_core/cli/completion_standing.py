"""What the Tab key offers by how runs stand: open waits, undecided gates, and runs that have lost their drivers.

It reads more than an index, so of very many waits or runs only so many are considered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from swamp_core.cli.completion import OFFERED_MAX, indexed, named_in, offering, workspace_of

if TYPE_CHECKING:
    import click

    from swamp_core.records.families import Registration, WaitKind

CONSIDERED_MAX = 2 * OFFERED_MAX


@offering
def complete_wait_ids(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The open waits for a signal, each with its step."""
    for wait in _open_waits(ctx, "signal", incomplete):
        yield wait.wait_id, f"{wait.job}/{wait.step} of {wait.workflow}"


@offering
def complete_gates(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The undecided gates of the command's run: by the step, with its job where two are called the same."""
    gates = [wait for wait in _open_waits(ctx, "approval") if _is_meant(ctx, wait)]
    names = Counter(wait.step for wait in gates)
    for wait in gates:
        name = f"{wait.job}/{wait.step}"
        is_short = names[wait.step] == 1 and "/" not in incomplete
        yield wait.step if is_short else name, f"{name} of the run {wait.run_id}"


@offering
def complete_gated_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows of undecided gates, and their runs."""
    gates = _open_waits(ctx, "approval")
    yield from _workflows_and_runs(((wait.run_id, wait.workflow) for wait in gates), incomplete)


@offering
def complete_gated_run_ids(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs that have undecided gates, of the command's workflow."""
    gates = [wait for wait in _open_waits(ctx, "approval") if wait.workflow == named_in(ctx)]
    yield from sorted({(wait.run_id, wait.workflow) for wait in gates}, reverse=True)


@offering
def complete_interrupted_runs(ctx: click.Context, incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows of runs that have lost their drivers, and these runs."""
    yield from _workflows_and_runs(_interrupted(ctx), incomplete)


@offering
def complete_interrupted_run_ids(ctx: click.Context, _incomplete: str) -> Iterator[tuple[str, str]]:
    """The runs of the command's workflow that have lost their drivers."""
    yield from (each for each in _interrupted(ctx) if each[1] == named_in(ctx))


def _open_waits(ctx: click.Context, kind: WaitKind, incomplete: str = "") -> tuple[Registration, ...]:
    from swamp_core.waits.listing import list_open_waits

    return workspace_of(ctx).execute(list_open_waits(kind, of=incomplete, limit=CONSIDERED_MAX)).waits


def _is_meant(ctx: click.Context, wait: Registration) -> bool:
    run_id = ctx.params.get("run_id")
    named = named_in(ctx) or ""
    return (
        wait.run_id.startswith(run_id) if run_id else named == wait.workflow or wait.run_id.startswith(named)
    )


def _interrupted(ctx: click.Context) -> list[tuple[str, str]]:
    """The runs whose drivers are gone, each with its workflow, the newest first."""
    from swamp_core.engine.lives import shown_status
    from swamp_core.engine.reading import read_run
    from swamp_core.journal.entry import Journal
    from swamp_core.store.fan_out import fan_out

    workspace = workspace_of(ctx)
    run_ids = {parts[1] for key in indexed(ctx, "open-runs/") if len(parts := key.split("/")) > 1}
    newest = sorted(run_ids, reverse=True)[:CONSIDERED_MAX]
    journals = fan_out(lambda run_id: workspace.execute(read_run(run_id)), newest)
    now, host = workspace.ambient.clock.now(), workspace.ambient.host
    runs = [journal.run for journal in journals if isinstance(journal, Journal)]
    return [(run.run_id, run.workflow) for run in runs if shown_status(run, now, host) == "interrupted"]


def _workflows_and_runs(found: Iterable[tuple[str, str]], incomplete: str) -> Iterator[tuple[str, str]]:
    """The workflows, and once something is typed the runs, the newest first."""
    runs = sorted(set(found), reverse=True)
    yield from ((workflow, "workflow") for workflow in sorted({workflow for _, workflow in runs}))
    if incomplete:
        yield from runs
