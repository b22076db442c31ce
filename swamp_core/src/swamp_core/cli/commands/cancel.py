"""`swamp workflow cancel`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_open_run_ids, complete_open_runs
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("cancel", cls=GlobalOptionsCommand)
@click.argument("name_or_run_id", metavar="NAME|RUN_ID", type=TEXT, shell_complete=complete_open_runs)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_open_run_ids,
    help="Which run of the workflow.",
)
@click.option("--reason", metavar="TEXT", type=TEXT, help="Why, for those who read the history.")
@click.option("--keep-children", is_flag=True, help="Leave its unfinished nested runs as they are.")
@click.option("--wait", is_flag=True, help="Stay until the run has ended.")
@click.pass_obj
def cancel(
    invocation: Invocation,
    name_or_run_id: str,
    run_id: str | None,
    reason: str | None,
    keep_children: bool,
    wait: bool,
) -> ExitCode:
    r"""End a run, leaving no step waiting.

    A run that a living process drives is ended by that process within seconds, after its clean-up; this only records
    the request, unless --wait is given. Any other run is ended by this, and its clean-up is left out.

    A signal that was accepted first keeps its receipt.

    \b
      swamp workflow cancel release --reason "superseded by 2.1"
    """
    from swamp_core.app import cancel as use_case
    from swamp_core.app.finding import find_run
    from swamp_core.cli.patience import patient
    from swamp_core.cli.rendering.runs import cancelled_parts, run_exit_code

    workspace = invocation.workspace
    found = find_run(workspace, name_or_run_id, run=run_id)
    with patient(invocation, "Interrupted; the cancel stays recorded.") as patience:
        result = use_case.cancel(
            workspace,
            found.run_id,
            reason=reason,
            keep_children=keep_children,
            wait=wait,
            patience=patience,
        )
    invocation.output.answer(result.to_json(), cancelled_parts(result, workspace))
    if patience.interrupted.is_set() and result.run.finished_at is None:
        return ExitCode.INTERRUPTED
    return ExitCode.DONE if result.run.status == "cancelled" else run_exit_code(result.run)
