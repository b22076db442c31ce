"""`swamp workflow early-signals`."""

from __future__ import annotations

import click

from swamp_core.cli.completion import complete_keys, complete_workflows
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import TEXT, Misuse


@click.command("early-signals", cls=GlobalOptionsCommand)
@click.option(
    "--workflow",
    metavar="NAME",
    type=TEXT,
    shell_complete=complete_workflows,
    help="Only those of this workflow.",
)
@click.option("--key", metavar="KEY", type=TEXT, shell_complete=complete_keys, help="Only those of this key.")
@click.option("--discard", metavar="ID", type=TEXT, help="Discard the held signal of this ID.")
@click.pass_obj
def early_signals(
    invocation: Invocation, workflow: str | None, key: str | None, discard: str | None
) -> ExitCode:
    r"""List the signals held for the next wait of a key.

    The oldest of a key comes first: the next wait that claims the key gets the first that its schema accepts. Listing
    settles nothing.

    \b
      swamp workflow early-signals --workflow release --key verdict
    """
    from swamp_core.app.early_signals import discard_early_signal, list_early_signals
    from swamp_core.cli.rendering.early_signals import discard_parts, early_signals_parts

    if discard is not None:
        if workflow is not None or key is not None:
            raise Misuse("The ID alone says which signal is meant.", hint="Leave out --workflow and --key.")
        discarded = discard_early_signal(invocation.workspace, discard)
        invocation.output.answer(discarded.to_json(), discard_parts(discarded))
        return ExitCode.DONE
    result = list_early_signals(invocation.workspace, workflow=workflow, key=key)
    invocation.output.answer(result.to_json(), early_signals_parts(result, invocation.workspace))
    return ExitCode.DONE
