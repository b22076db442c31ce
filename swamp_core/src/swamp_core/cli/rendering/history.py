"""How the history is told: a table of runs. The timeline of one is in `timeline`."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.inputs_text import inputs_text
from swamp_core.app.views import HistoryResult, RunSummary
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Part, Say, Table
from swamp_core.cli.rendering.runs import STATUS_STYLES
from swamp_core.cli.rendering.sources import looked_in
from swamp_core.cli.times import exact_length, moment_in_utc


def history_parts(
    result: HistoryResult, workspace: Workspace, *, workflow: str | None = None, status: str | None = None
) -> Iterator[Part]:
    """The runs as a table, and the commands for those that only wait for somebody."""
    if not result.runs:
        whose = f"No run of {workflow}" if workflow else "No run"
        yield Say(f"{whose} has the status {status}." if status else f"{whose} yet.")
        yield from looked_in(workspace)
        return
    has_inputs = any(each.inputs for each in result.runs)
    yield Table(
        ("run", "workflow", "status", "started (UTC)", "took", *(("inputs",) if has_inputs else ())),
        tuple(
            (each.id, each.workflow, _status(each), *_times(each), *((_inputs(each),) if has_inputs else ()))
            for each in result.runs
        ),
        tuple(STATUS_STYLES.get(each.status, "plain") for each in result.runs),
    )
    ready = {each.id for each in result.runs if each.awaiting_resume}
    for each in result.runs:
        if each.awaiting_resume and each.parent_run_id in ready:
            continue  # It is taken up with the run that it is nested in.
        if each.awaiting_resume:
            yield Say(f"A run of {each.workflow} is ready to go on. Resume it with:")
            yield Copy(workspace.command("workflow", "resume", each.id))
        elif each.status == "interrupted":
            yield Say(f"A run of {each.workflow} has lost its driver. Recover it with:")
            yield Copy(workspace.command("workflow", "recover", each.workflow, "--run", each.id))


def _status(run: RunSummary) -> str:
    return "suspended, ready to resume" if run.awaiting_resume else run.status


def _inputs(run: RunSummary) -> str:
    return inputs_text(run.inputs) if run.inputs else "-"


def _times(run: RunSummary) -> tuple[str, str]:
    if run.started_at is None:
        return "-", "-"
    took = exact_length(run.finished_at - run.started_at) if run.finished_at else "-"
    return moment_in_utc(run.started_at), took
