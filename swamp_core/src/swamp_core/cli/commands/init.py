"""`swamp init`."""

from __future__ import annotations

from pathlib import Path

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("init", cls=GlobalOptionsCommand)
@click.argument("directory", metavar="[DIR]", required=False)
@click.pass_obj
def init(invocation: Invocation, directory: str | None) -> ExitCode:
    r"""Make a repo with an example workflow, ready to run.

    Files that are there are left as they are. DIR is the current directory when it is left out, or that of --repo-dir.

    \b
      swamp init my-releases
    """
    from swamp_core.app import init as use_case
    from swamp_core.cli.rendering.repos import init_parts

    target = Path(directory or invocation.options.repo_dir or ".")
    result = use_case.init(target)
    invocation.output.answer(result.to_json(), init_parts(result, target))
    return ExitCode.DONE
