"""`swamp workflow history logs`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_runs, complete_steps
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("logs", cls=GlobalOptionsCommand)
@click.argument("run_id", type=TEXT, shell_complete=complete_runs)
@click.argument("step", required=False, type=TEXT, shell_complete=complete_steps)
@click.pass_obj
def logs(invocation: Invocation, run_id: str, step: str | None) -> ExitCode:
    r"""Show what the steps of a run printed.

    That is their stdout and stderr, whichever way they ended; of much output the middle is left out, with a mark there.
    Of a Python method that raised something it is the traceback as well.
    A step is named by its name, JOB/STEP, or the name of an item.

    The run is named by its ID, the beginning of it, or its workflow's name.

    \b
      swamp workflow history logs 0192f0c1 compile
    """
    from swamp_core.app.finding import find_run
    from swamp_core.app.logs import run_logs
    from swamp_core.cli.rendering.logs import logs_parts

    workspace = invocation.workspace
    result = run_logs(workspace, find_run(workspace, run_id), step)
    invocation.output.answer(result.to_json(), logs_parts(result, workspace))
    return ExitCode.DONE
