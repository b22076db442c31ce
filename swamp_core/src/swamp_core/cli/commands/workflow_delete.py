"""`swamp workflow delete`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_run_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("delete", cls=GlobalOptionsCommand)
@click.argument("name", type=TEXT, shell_complete=complete_run_workflows)
@click.option("--force", is_flag=True, help="Cancel unfinished runs first; remove those that cannot be read.")
@click.pass_obj
def delete(invocation: Invocation, name: str, force: bool) -> ExitCode:
    r"""Delete a workflow's runs and held signals; its file stays.

    If a run is not over, nothing is deleted, unless --force is given. Runs that are nested in runs of another workflow
    are kept: they go with those. Signals that are held for its keys go, though they were acknowledged. It cannot be
    undone.

    \b
      swamp workflow delete release
    """
    from swamp_core.app.delete_workflow import delete_workflow
    from swamp_core.cli.patience import patient
    from swamp_core.cli.rendering.removals import removal_parts

    with patient(invocation, "Interrupted; what is deleted stays so.") as patience:
        result = delete_workflow(invocation.workspace, name, force=force, patience=patience)
    invocation.output.answer(result.to_json(), removal_parts(result, invocation.workspace))
    return ExitCode.INTERRUPTED if patience.interrupted.is_set() and result.kept else ExitCode.DONE
