"""`swamp workflow watch`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from swamp_core.cli.completion import complete_open_runs
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT

if TYPE_CHECKING:
    from swamp_core.app.watch import Until


@click.command("watch", cls=GlobalOptionsCommand)
@click.argument("run_id", type=TEXT, shell_complete=complete_open_runs)
@click.option(
    "--until",
    type=click.Choice(["suspended", "ended"]),
    default="ended",
    show_default=True,
    help="When to stop watching.",
)
@click.pass_obj
def watch(invocation: Invocation, run_id: str, until: Until) -> ExitCode:
    r"""Follow a run that another process drives.

    It tells what that process would tell, from any host, and ends as `run` does: with the run's answer and exit code.
    A run that is suspended is told with what it waits for, and watched on. One whose driver is lost ends the watch with
    exit code 1. An interrupt stops the watching, and leaves the run as it is.

    The run is named by its ID, the beginning of it, or its workflow's name.

    \b
      swamp workflow watch 0192f0c1
    """
    from swamp_core.app.finding import find_run
    from swamp_core.app.run import run_result
    from swamp_core.app.watch import watch_run
    from swamp_core.cli.following import progress_of
    from swamp_core.cli.patience import told_once, watched_interrupts
    from swamp_core.cli.rendering.runs import run_exit_code, run_parts, watched_parts
    from swamp_core.run.events import Event
    from swamp_core.run.state import RunState

    workspace = invocation.workspace
    found = find_run(workspace, run_id)
    saying = "Interrupted; the run is left as it is."
    with (
        progress_of(invocation, stays=until == "ended") as progress,
        watched_interrupts(invocation, saying) as interrupted,
    ):

        def observe(run: RunState, events: list[Event]) -> None:
            progress.observe(run, events)
            if run.status == "suspended" and until == "ended":
                left = run_result(workspace, run, found=True)
                invocation.output.note(*watched_parts(left, workspace))

        result = watch_run(
            workspace,
            found.run_id,
            until=until,
            observe=observe,
            trouble=told_once(invocation),
            interrupted=interrupted,
        )
    invocation.output.answer(result.to_json(), run_parts(result, workspace))
    if interrupted.is_set() and result.run.finished_at is None:
        return ExitCode.INTERRUPTED
    return ExitCode.FAILED if result.run.status == "interrupted" else run_exit_code(result.run)
