"""`swamp workflow resume`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from swamp_core.cli.completion import complete_inputs, complete_run_ids, complete_runs, complete_steps
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import NAME_AND_VALUE, TEXT, Misuse, named_values
from swamp_core.cli.verbose import verbose_option

if TYPE_CHECKING:
    from swamp_core.engine.plan import StepRef
    from swamp_core.run.state import RunState


@click.command("resume", cls=GlobalOptionsCommand)
@click.argument(
    "name_or_run_id", metavar="[NAME|RUN_ID]", required=False, type=TEXT, shell_complete=complete_runs
)
@click.option(
    "--run",
    "run_id",
    metavar="ID",
    type=TEXT,
    shell_complete=complete_run_ids,
    help="Which run of the workflow; one that failed is retried.",
)
@click.option(
    "--from",
    "from_step",
    metavar="STEP",
    type=TEXT,
    shell_complete=complete_steps,
    help="Of a failed run: run this step again (STEP, or JOB/STEP), and all that depends on it.",
)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUE",
    type=NAME_AND_VALUE,
    shell_complete=complete_inputs,
    help="Replaces an input of the run. May be repeated.",
)
@click.option(
    "--wait", is_flag=True, help="Stay until the run has ended; resume it as its waits are settled."
)
@click.option("--all-ready", is_flag=True, help="Resume every suspended run whose waits are all settled.")
@verbose_option
@click.pass_obj
def resume(
    invocation: Invocation,
    name_or_run_id: str | None,
    run_id: str | None,
    from_step: str | None,
    inputs: tuple[str, ...],
    wait: bool,
    all_ready: bool,
) -> ExitCode:
    r"""Go on with a suspended run, or retry a failed one.

    The waits of a suspended run must be settled. It goes on until it ends or must wait again. By a workflow's name it
    is the run of it that is suspended. It needs neither the workflow's file nor the host that started the run. A wait
    whose deadline has passed is timed out. An interrupt cancels the run, unless it is suspended and only waited for,
    with --wait: then it stays suspended.

    A failed run that is named by its ID is retried: the steps that failed run again, and what depends on them. A step
    that succeeded is not repeated, unless it depends on one that is, or on the STEP of --from.

    \b
      swamp workflow resume release
      swamp workflow resume release --run 0192f0c1 --from deploy
      swamp workflow resume --all-ready
    """
    if all_ready:
        if name_or_run_id or run_id or from_step or inputs or wait:
            raise Misuse(
                "--all-ready takes no run and no other option of a resume.",
                hint="Use it alone:\nswamp workflow resume --all-ready",
            )
        return _resume_ready(invocation)
    if name_or_run_id is None:
        raise click.MissingParameter(param_hint="'NAME|RUN_ID'", param_type="argument")
    from swamp_core.app import resume as use_case
    from swamp_core.app.finding import find_run
    from swamp_core.app.inputs import read_inputs
    from swamp_core.cli.following import driven
    from swamp_core.workflow.definition import Workflow

    workspace = invocation.workspace
    found = find_run(workspace, name_or_run_id, run=run_id)
    given = read_inputs(Workflow.from_json(found.definition), named_values(inputs))
    named = run_id is not None or found.run_id.startswith(name_or_run_id.strip().lower())
    if from_step is not None or (found.status == "failed" and named):
        steps = (_step(invocation, found, from_step),) if from_step is not None else ()
        return driven(
            invocation,
            lambda attention: use_case.retry_failed(
                workspace, found.run_id, steps=steps, inputs=given, wait=wait, attention=attention
            ),
            stays=wait,
        )
    return driven(
        invocation,
        lambda attention: use_case.resume(
            workspace, found.run_id, inputs=given, wait=wait, attention=attention
        ),
        stays=wait,
    )


def _step(invocation: Invocation, run: RunState, text: str) -> StepRef:
    from swamp_core.app.step_names import find_step

    again = ("workflow", "resume", run.workflow, "--run", run.run_id, "--from")
    return find_step(run, text, lambda name: invocation.workspace.command(*again, name))


def _resume_ready(invocation: Invocation) -> ExitCode:
    from swamp_core.app.resume_ready import resume_ready
    from swamp_core.cli.following import attended
    from swamp_core.cli.rendering.runs import ready_parts, run_exit_code

    result, interrupted = attended(
        invocation, lambda attention: resume_ready(invocation.workspace, attention), stays=False
    )
    invocation.output.answer(result.to_json(), ready_parts(result, invocation.workspace))
    if interrupted:
        return ExitCode.INTERRUPTED
    codes = [run_exit_code(each.run) for each in result.runs]
    return ExitCode.FAILED if result.refused or ExitCode.FAILED in codes else ExitCode.DONE
