"""`swamp workflow run`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from swamp_core.cli.completion import complete_inputs, complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import NAME_AND_VALUE, named_values
from swamp_core.cli.verbose import verbose_option

if TYPE_CHECKING:
    from swamp_core.app.workflows import Runnable
    from swamp_core.run.events import Json

INPUT_FILE_BYTES_MAX = 4 * 1024 * 1024


@click.command("run", cls=GlobalOptionsCommand)
@click.argument("name", shell_complete=complete_workflows)
@click.option(
    "--input",
    "inputs",
    multiple=True,
    metavar="NAME=VALUE",
    type=NAME_AND_VALUE,
    shell_complete=complete_inputs,
    help="An input, read by the type that the workflow declares for it. May be repeated.",
)
@click.option(
    "--input-file", metavar="FILE", help="A file with inputs as a JSON object; - is stdin. --input beats it."
)
@click.option(
    "--no-supersede",
    is_flag=True,
    help="Leave earlier runs alone that wait only for an approval of the same.",
)
@click.option(
    "--wait", is_flag=True, help="Stay until the run has ended; resume it as its waits are settled."
)
@click.option(
    "--dry-run", "dry", is_flag=True, help="Only say what would run, in which order; nothing is stored."
)
@verbose_option
@click.pass_obj
def run(
    invocation: Invocation,
    name: str,
    inputs: tuple[str, ...],
    input_file: str | None,
    no_supersede: bool,
    wait: bool,
    dry: bool,
) -> ExitCode:
    r"""Run a workflow until it ends or must wait for a signal.

    A run that is suspended is kept in the store; whoever has its wait ID can signal it, from any host. An earlier run
    with the same inputs that waits only for approvals is cancelled; others are left alone.

    An interrupt cancels the run, unless it is suspended and only waited for, with --wait: then it stays suspended.

    \b
      swamp workflow run release --input env=dev
    """
    from swamp_core.app.inputs import read_inputs
    from swamp_core.app.run import run_workflow
    from swamp_core.app.workflows import load_runnable
    from swamp_core.cli.following import driven
    from swamp_core.cli.reading import read_bytes

    workspace = invocation.workspace
    file = read_bytes(input_file, bytes_max=INPUT_FILE_BYTES_MAX) if input_file is not None else None
    runnable = load_runnable(workspace, name)
    given = read_inputs(runnable.workflow, named_values(inputs), file)
    if dry:
        return _dry_run(invocation, runnable, given)
    return driven(
        invocation,
        lambda attention: run_workflow(
            workspace, runnable, given, supersede_earlier=not no_supersede, wait=wait, attention=attention
        ),
        stays=wait,
    )


def _dry_run(invocation: Invocation, runnable: Runnable, given: Json) -> ExitCode:
    from swamp_core.app.dry_run import dry_run
    from swamp_core.cli.rendering.dry_run import dry_run_parts

    result = dry_run(runnable, given)
    invocation.output.answer(result.to_json(), dry_run_parts(result))
    return ExitCode.DONE
