"""`swamp datastore stores`."""

from __future__ import annotations

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("stores", cls=GlobalOptionsCommand)
@click.pass_obj
def stores(invocation: Invocation) -> ExitCode:
    r"""List the types of store, and which are installed.

    \b
      swamp datastore stores
    """
    from swamp_core.app.datastore import list_stores
    from swamp_core.cli.rendering.datastores import stores_parts

    result = list_stores()
    invocation.output.answer(result.to_json(), stores_parts(result))
    return ExitCode.DONE
