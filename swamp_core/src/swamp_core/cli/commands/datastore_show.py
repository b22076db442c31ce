"""`swamp datastore show`."""

from __future__ import annotations

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("show", cls=GlobalOptionsCommand)
@click.pass_obj
def show(invocation: Invocation) -> ExitCode:
    r"""Show which datastore is used, and where that is set.

    It opens nothing. --datastore beats SWAMP_DATASTORE beats .swamp.yaml beats the default, .swamp/store in the repo.

    \b
      swamp datastore show --datastore file:///srv/swamp
    """
    from swamp_core.app.datastore import show_datastore
    from swamp_core.cli.rendering.datastores import datastore_parts

    view = show_datastore(invocation.workspace)
    invocation.output.answer(view.to_json(), datastore_parts(view))
    return ExitCode.DONE
