"""`swamp datastore check`."""

from __future__ import annotations

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation


@click.command("check", cls=GlobalOptionsCommand)
@click.pass_obj
def check(invocation: Invocation) -> ExitCode:
    r"""Try whether the datastore keeps every promise.

    It works on the store itself, below a prefix that it throws away afterwards. The exit code is 4 when the store
    cannot be used.

    \b
      swamp datastore check --datastore 's3://team-bucket/releases?region=eu-west-1'
    """
    from swamp_core.app.datastore_check import check_datastore
    from swamp_core.cli.interrupting import cut_off, what_stays
    from swamp_core.cli.rendering.datastores import check_parts
    from swamp_core.store.probing import Trial

    saying = "Interrupted; what was created to try the datastore is being deleted."
    trials: list[Trial] = []
    with cut_off(invocation, saying, lambda: what_stays(trials)):
        result = check_datastore(invocation.workspace, trials.append)
    invocation.output.answer(result.to_json(), check_parts(result, invocation.workspace.chosen.source))
    return ExitCode.DONE if result.ok else ExitCode.STORE
