"""`swamp demo`."""

from __future__ import annotations

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Gap, Say


@click.command("demo", cls=GlobalOptionsCommand)
@click.pass_obj
def demo(invocation: Invocation) -> ExitCode:
    r"""Play the whole loop in a temporary directory.

    It runs the real commands, shows each with what it prints, says what happens, and removes the directory.

    \b
      swamp demo
    """
    from swamp_core.cli.demonstration import play

    commands = play(invocation.output)
    done = "The demo is done: a workflow paused, was signalled, and went on. Make a repo of your own with:"
    invocation.output.answer(
        {"ok": True, "commands": commands}, [Gap(), Say(done, "good"), Copy("swamp init")]
    )
    return ExitCode.DONE
