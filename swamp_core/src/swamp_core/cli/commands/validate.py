"""`swamp workflow validate`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("validate", cls=GlobalOptionsCommand)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=complete_workflows)
@click.pass_obj
def validate(invocation: Invocation, names: tuple[str, ...]) -> ExitCode:
    r"""Say what is wrong with workflow files.

    All of them are checked, or those named, and the models. Each problem is a
    line `file:line:column: message`. The exit code is 1 when there is an error, or no file to check.

    \b
      swamp workflow validate release
    """
    from swamp_core.app.workflows import validate_workflows
    from swamp_core.cli.rendering.workflows import validation_parts

    result = validate_workflows(invocation.workspace, names)
    invocation.output.answer(result.to_json(), validation_parts(result, invocation.workspace))
    checked = bool(result.workflows) and all(each.valid for each in result.workflows)
    return ExitCode.DONE if checked else ExitCode.FAILED
