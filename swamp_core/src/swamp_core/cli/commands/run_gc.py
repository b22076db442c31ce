"""`swamp run gc`."""

from __future__ import annotations

from datetime import timedelta

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import LENGTH


@click.command("gc", cls=GlobalOptionsCommand)
@click.option(
    "--older-than",
    metavar="LENGTH",
    type=LENGTH,
    required=True,
    help="How long ago a run must have ended: 30d, 12h, 90m, or a number of seconds.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would be deleted.")
@click.pass_obj
def gc(invocation: Invocation, older_than: timedelta, dry_run: bool) -> ExitCode:
    r"""Delete old ended runs, and what no run owns any more.

    Nested runs go with the one that they are nested in. What is unfinished, or cannot be read, is kept and listed. It
    also finishes starts and removals that were cut off, so it is worth running now and then from cron.

    \b
      swamp run gc --older-than 30d --dry-run
    """
    from swamp_core.app.collect import collect
    from swamp_core.cli.rendering.removals import removal_parts

    result = collect(invocation.workspace, older_than, dry_run=dry_run)
    invocation.output.answer(result.to_json(), removal_parts(result, invocation.workspace))
    return ExitCode.DONE
