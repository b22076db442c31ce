"""`swamp workflow approvals`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("approvals", cls=GlobalOptionsCommand)
@click.option(
    "--workflow",
    metavar="NAME",
    type=TEXT,
    shell_complete=complete_workflows,
    help="Only those of this workflow.",
)
@click.pass_obj
def approvals(invocation: Invocation, workflow: str | None) -> ExitCode:
    r"""List the undecided gates, and how to approve each.

    The oldest comes first. A gate whose deadline has passed by this host's clock is shown as expired: it can
    no longer be decided, and a resume fails it. Listing settles nothing.

    \b
      swamp workflow approvals --workflow release
    """
    from swamp_core.app.waits import list_approvals
    from swamp_core.cli.rendering.waits import approvals_parts

    result = list_approvals(invocation.workspace, workflow=workflow)
    parts = approvals_parts(result, invocation.workspace, workflow=workflow)
    invocation.output.answer(result.to_json(), parts)
    return ExitCode.DONE
