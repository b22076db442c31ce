"""`swamp run delete`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_ended_run_ids
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("delete", cls=GlobalOptionsCommand)
@click.argument("run_id", metavar="RUN_ID", type=TEXT, shell_complete=complete_ended_run_ids)
@click.option("--force", is_flag=True, help="Cancel it first; remove it even if it cannot be read.")
@click.pass_obj
def delete(invocation: Invocation, run_id: str, force: bool) -> ExitCode:
    r"""Delete everything of a run, and of the runs nested in it.

    A run that is not over is refused unless --force is given, which cancels it first and waits for the process that
    drives it. It cannot be undone; a delete that was cut off is finished by the next, or by `swamp run gc`.

    \b
      swamp run delete 01980c5e-5f70-7a51-b1f0-0e8a9d3c7b21
    """
    from swamp_core.app.remove import delete_run
    from swamp_core.cli.patience import patient
    from swamp_core.cli.rendering.removals import removal_parts

    with patient(invocation, "Interrupted; what is deleted stays so.") as patience:
        result = delete_run(invocation.workspace, run_id, force=force, patience=patience)
    invocation.output.answer(result.to_json(), removal_parts(result, invocation.workspace))
    return ExitCode.INTERRUPTED if result.kept else ExitCode.DONE
