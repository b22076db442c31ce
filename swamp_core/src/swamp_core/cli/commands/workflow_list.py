"""`swamp workflow list`."""

from __future__ import annotations

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("list", cls=GlobalOptionsCommand)
@click.pass_obj
def list_(invocation: Invocation) -> ExitCode:
    r"""List the workflows of the repo, valid or not.

    \b
      swamp workflow list
    """
    from swamp_core.app.workflows import list_workflows
    from swamp_core.cli.rendering.workflows import workflows_parts

    result = list_workflows(invocation.workspace)
    invocation.output.answer(result.to_json(), workflows_parts(result, invocation.workspace))
    return ExitCode.DONE
