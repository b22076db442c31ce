"""`swamp workflow resume`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_run_ids, complete_runs
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT
from swamp_core.cli.verbose import verbose_option


@click.command("resume", cls=GlobalOptionsCommand)
@click.argument("name_or_run_id", metavar="NAME|RUN_ID", type=TEXT, shell_complete=complete_runs)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_run_ids,
    help="Which run of the workflow.",
)
@click.option(
    "--wait", is_flag=True, help="Stay until the run has ended; resume it as its waits are settled."
)
@verbose_option
@click.pass_obj
def resume(invocation: Invocation, name_or_run_id: str, run_id: str | None, wait: bool) -> ExitCode:
    r"""Go on with a suspended run whose waits are settled.

    It goes on until it ends or must wait again. By a workflow's name it is the run of it that is suspended. It needs
    neither the workflow's file nor the host that started the run. A wait whose deadline has passed is timed out. An
    interrupt cancels the run.

    \b
      swamp workflow resume release
    """
    from swamp_core.app import resume as use_case
    from swamp_core.app.finding import find_run
    from swamp_core.cli.following import driven

    workspace = invocation.workspace
    found = find_run(workspace, name_or_run_id, run=run_id)
    return driven(
        invocation,
        lambda attention: use_case.resume(workspace, found.run_id, wait=wait, attention=attention),
        stays=wait,
    )
