"""`swamp` itself: the commands by name, and what holds for all of them."""

from __future__ import annotations

import click

from swamp_core.cli.invocation import Invocation
from swamp_core.cli.lazy import LazyGroup

COMMANDS = "swamp_core.cli.commands"

EPILOG = """\
Exit codes: 0 done (a suspended run is done: its status says so), 1 the run failed or was cancelled or a check did not
pass, 2 usage, 3 refused (error.code says why), 4 the store cannot be used, 70 a bug in swamp, 130 interrupted.

\b
Complete commands and options with Tab (bash; zsh and fish likewise):
  eval "$(_SWAMP_COMPLETE=bash_source swamp)"
"""


def _show_version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version

    from swamp_core.cli.parts import Say

    number = version("swamp-core")
    ctx.ensure_object(Invocation).output.answer({"version": number}, [Say(f"swamp {number}")])
    ctx.exit()


@click.group(
    "swamp",
    cls=LazyGroup,
    homes={
        "init": f"{COMMANDS}.init:init",
        "demo": f"{COMMANDS}.demo:demo",
        "workflow": f"{COMMANDS}.workflow:workflow",
        "run": f"{COMMANDS}.run_group:run_group",
        "datastore": f"{COMMANDS}.datastore:datastore",
    },
    epilog=EPILOG,
)
@click.option("--version", is_flag=True, expose_value=False, callback=_show_version, help="Show the version.")
def root() -> None:
    r"""Durable waits with nothing but a bucket.

    A workflow pauses at a step until a small JSON message arrives or a deadline passes. All state is in a directory:
    every host that reaches it can run, signal, list, resume and cancel.

    \b
      swamp init
      swamp workflow run release --input env=dev
      swamp workflow waits
      swamp workflow signal WAIT_ID --payload '{"verdict":"ship"}' --resume
    """
