"""`swamp workflow history list`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT

STATUSES = ("running", "suspended", "succeeded", "failed", "cancelled", "interrupted", "unreadable")
LIMIT = 20


@click.command("list", cls=GlobalOptionsCommand)
@click.option(
    "--workflow",
    metavar="NAME",
    type=TEXT,
    shell_complete=complete_workflows,
    help="Only those of this workflow.",
)
@click.option("--status", type=click.Choice(STATUSES), help="Only those of this status.")
@click.option(
    "--limit", type=click.IntRange(min=1), default=LIMIT, show_default=True, help="The most runs to show."
)
@click.pass_obj
def list_(invocation: Invocation, workflow: str | None, status: str | None, limit: int) -> ExitCode:
    r"""List runs, the newest first.

    \b
      swamp workflow history list --workflow release --status suspended
    """
    from swamp_core.app.history import list_runs
    from swamp_core.cli.rendering.history import history_parts

    result = list_runs(invocation.workspace, workflow=workflow, status=status, limit=limit)
    parts = history_parts(result, invocation.workspace, workflow=workflow, status=status)
    invocation.output.answer(result.to_json(), parts)
    return ExitCode.DONE
