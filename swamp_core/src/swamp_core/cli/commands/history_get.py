"""`swamp workflow history get`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_runs
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("get", cls=GlobalOptionsCommand)
@click.argument("run_id", type=TEXT, shell_complete=complete_runs)
@click.pass_obj
def get(invocation: Invocation, run_id: str) -> ExitCode:
    r"""Show all that happened to a run: who did what, and when.

    Each succeeded step is shown with its outputs, each failed one with the end of what it printed. The items of a
    forEach with many are summed up; --json has every event.

    The run is named by its ID, the beginning of it, or its workflow's name.

    \b
      swamp workflow history get 0192f0c1
    """
    from swamp_core.app.finding import find_run
    from swamp_core.app.history import get_run
    from swamp_core.cli.rendering.timeline import timeline_parts

    found = find_run(invocation.workspace, run_id)
    history = get_run(invocation.workspace, found.run_id)
    invocation.output.answer(history.to_json(), timeline_parts(history, invocation.workspace))
    return ExitCode.DONE
