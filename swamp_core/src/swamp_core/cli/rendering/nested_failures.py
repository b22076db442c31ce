"""Where to look when a nested run failed: the history of the run that the failure began in, however deep."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.views import ErrorView, RunView
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Part, Say

NESTED_TOLD_MAX = 3
"""Of many nested runs that failed, how many are named."""


def nested_failure_parts(run: RunView, workspace: Workspace) -> Iterator[Part]:
    """The command that shows what happened, for each of the first nested runs that made a step of the run fail."""
    errors = [step.error for job in run.jobs for step in job.steps if step.error is not None]
    run_ids = dict.fromkeys(filter(None, map(_began_in, errors)))
    for run_id in list(run_ids)[:NESTED_TOLD_MAX]:
        yield Say("See what happened in the nested run that failed with:")
        yield Copy(workspace.command("workflow", "history", "get", run_id))


def _began_in(error: ErrorView) -> str | None:
    """The run in which the failure of a nested run began; None of another error."""
    if error.code != "nested_run_failed":
        return None
    cause = error.details.get("cause")
    found = (cause if isinstance(cause, dict) else error.details).get("runId")
    return found if isinstance(found, str) else None
