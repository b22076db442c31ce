"""`swamp workflow approve`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from swamp_core.cli.completion_standing import complete_gated_run_ids, complete_gated_runs, complete_gates
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Gap
from swamp_core.cli.usage import TEXT
from swamp_core.cli.verbose import verbose_option

if TYPE_CHECKING:
    from swamp_core.app.gates import Gate
    from swamp_core.app.views import RunResult


@click.command("approve", cls=GlobalOptionsCommand)
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
@click.option(
    "--resume", "and_resume", is_flag=True, help="Then resume the run, if nothing else is waited for."
)
@verbose_option
@click.pass_obj
def approve(
    invocation: Invocation, name_or_run_id: str, step: str, run_id: str | None, and_resume: bool
) -> ExitCode:
    r"""Approve a gate, and get its run as it stands.

    The gate's step succeeds, and the run goes on when it is resumed. STEP is the name of the step, JOB/STEP, or the
    gate's wait ID or the beginning of it. Who approved it and when is kept. A gate is decided once: a second decision
    is refused, and shown the first.

    \b
      swamp workflow approve release sign-off
    """
    from swamp_core.app import decide
    from swamp_core.app.gates import find_gate
    from swamp_core.cli.rendering.decisions import approved_parts

    workspace = invocation.workspace
    gate = find_gate(workspace, name_or_run_id, step, run=run_id)
    result = decide.approve(workspace, gate)
    if and_resume:
        return _and_resume(invocation, gate, result)
    invocation.output.answer(result.to_json(), approved_parts(gate, result, workspace))
    return ExitCode.DONE


def _and_resume(invocation: Invocation, gate: Gate, result: RunResult) -> ExitCode:
    from swamp_core.cli.rendering.decisions import decision_parts
    from swamp_core.cli.rendering.runs import run_parts
    from swamp_core.cli.resuming import resume_after

    output = invocation.output
    if not output.as_json:
        output.say(*decision_parts(gate, "approved", invocation.workspace))
    resumption = resume_after(invocation, gate.run.run_id)
    if (resumed := resumption.run) is None:
        output.answer(result.to_json(), ())
    else:
        output.answer(resumed.to_json(), (Gap(), *run_parts(resumed, invocation.workspace)))
    return resumption.exit_code
