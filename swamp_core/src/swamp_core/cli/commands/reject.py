"""`swamp workflow reject`."""

from __future__ import annotations

import click

from swamp_core.cli.completion_standing import complete_gated_run_ids, complete_gated_runs, complete_gates
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("reject", cls=GlobalOptionsCommand)
@click.argument("name_or_run_id", metavar="NAME|RUN_ID", type=TEXT, shell_complete=complete_gated_runs)
@click.argument("step", type=TEXT, shell_complete=complete_gates)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_gated_run_ids,
    help="Which run of the workflow.",
)
@click.option("--reason", metavar="TEXT", type=TEXT, help="Why; it is kept with the decision.")
@click.pass_obj
def reject(
    invocation: Invocation, name_or_run_id: str, step: str, run_id: str | None, reason: str | None
) -> ExitCode:
    r"""Reject a gate, which ends its run as failed.

    Nothing more is run, and no step is left waiting: the run's open waits are closed. A run that a living process
    drives is ended by that process within seconds. STEP is the name of the step, JOB/STEP, or the gate's wait ID or
    the beginning of it. A gate is decided once: a second decision is refused, and shown the first.

    \b
      swamp workflow reject release sign-off --reason "the build is red"
    """
    from swamp_core.app import decide
    from swamp_core.app.gates import find_gate
    from swamp_core.cli.rendering.decisions import rejected_parts

    workspace = invocation.workspace
    gate = find_gate(workspace, name_or_run_id, step, run=run_id)
    result = decide.reject(workspace, gate, reason=reason)
    invocation.output.answer(result.to_json(), rejected_parts(gate, result, workspace))
    return ExitCode.DONE
