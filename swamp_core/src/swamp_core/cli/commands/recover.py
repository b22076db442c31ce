"""`swamp workflow recover`."""

from __future__ import annotations

import click

from swamp_core.cli.completion_standing import complete_interrupted_run_ids, complete_interrupted_runs
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("recover", cls=GlobalOptionsCommand)
@click.argument("name_or_run_id", metavar="NAME|RUN_ID", type=TEXT, shell_complete=complete_interrupted_runs)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_interrupted_run_ids,
    help="Which run of the workflow.",
)
@click.option(
    "--acknowledge-unknown",
    is_flag=True,
    help="The steps that were running may run again, although nobody knows how far they came.",
)
@click.pass_obj
def recover(
    invocation: Invocation, name_or_run_id: str, run_id: str | None, acknowledge_unknown: bool
) -> ExitCode:
    r"""Give up on the lost driver of a run, to resume it.

    A run is interrupted when the process that drove it is gone. A step that it was running and that has no guard is
    only run again when you say that it may.

    \b
      swamp workflow recover release --acknowledge-unknown
    """
    from swamp_core.app import recover as use_case
    from swamp_core.app.finding import find_run
    from swamp_core.cli.rendering.runs import run_exit_code, run_parts

    workspace = invocation.workspace
    found = find_run(workspace, name_or_run_id, run=run_id)
    result = use_case.recover(workspace, found.run_id, acknowledge_unknown=acknowledge_unknown)
    invocation.output.answer(result.to_json(), run_parts(result, workspace))
    return run_exit_code(result.run)
