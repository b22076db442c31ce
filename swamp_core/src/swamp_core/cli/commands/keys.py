"""`swamp workflow keys`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_keys, complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT


@click.command("keys", cls=GlobalOptionsCommand)
@click.argument("name", type=TEXT, shell_complete=complete_workflows)
@click.option(
    "--release",
    metavar="KEY",
    type=TEXT,
    shell_complete=complete_keys,
    help="Clear what stands under this key and cannot be read.",
)
@click.pass_obj
def keys(invocation: Invocation, name: str, release: str | None) -> ExitCode:
    r"""List the keys of a workflow's waits, and who holds each.

    On a host without the workflow's file, only the keys that some wait has claimed are known.

    \b
      swamp workflow keys release
    """
    from swamp_core.app.keys import list_keys, release_key
    from swamp_core.cli.rendering.keys import keys_parts, release_parts

    if release is not None:
        released = release_key(invocation.workspace, name, release)
        invocation.output.answer(released.to_json(), release_parts(released))
        return ExitCode.DONE
    result = list_keys(invocation.workspace, name)
    invocation.output.answer(result.to_json(), keys_parts(result, invocation.workspace))
    return ExitCode.DONE
