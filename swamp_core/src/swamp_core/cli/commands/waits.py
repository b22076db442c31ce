"""`swamp workflow waits`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("waits", cls=GlobalOptionsCommand)
@click.option(
    "--workflow",
    metavar="NAME",
    type=TEXT,
    shell_complete=complete_workflows,
    help="Only those of this workflow.",
)
@click.pass_obj
def waits(invocation: Invocation, workflow: str | None) -> ExitCode:
    r"""List the open waits, and how to settle each.

    The oldest comes first. A wait whose deadline has passed by this host's clock is shown as
    expired; listing settles nothing.

    \b
      swamp workflow waits --workflow release
    """
    from swamp_core.app.waits import list_waits
    from swamp_core.cli.rendering.waits import waits_parts

    result = list_waits(invocation.workspace, workflow=workflow)
    parts = waits_parts(result, invocation.workspace, workflow=workflow)
    invocation.output.answer(result.to_json(), parts)
    return ExitCode.DONE
