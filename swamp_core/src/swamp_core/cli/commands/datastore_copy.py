"""`swamp datastore copy`."""

from __future__ import annotations

import shlex

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.global_options import GlobalOptionsCommand
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Say
from swamp_core.cli.usage import Misuse


@click.command("copy", cls=GlobalOptionsCommand)
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.pass_obj
def copy(invocation: Invocation, source: str, target: str) -> ExitCode:
    r"""Copy all records from one datastore to another.

    Both are URLs; what --datastore, SWAMP_DATASTORE or .swamp.yaml say plays no part. Every record is read back and
    compared. TO must be empty, or hold what an earlier copy of FROM has brought over: a copy that was cut off is gone
    on with by the same command. Nothing may use either store meanwhile.

    \b
      swamp datastore copy file:///srv/swamp 's3://team-bucket/releases?region=eu-west-1'
    """
    from swamp_core.app.datastore_copy import copy_datastore
    from swamp_core.cli.interrupting import cut_off, what_stays
    from swamp_core.cli.rendering.datastores import copy_parts
    from swamp_core.store.probing import Trial

    if invocation.options.datastore is not None:
        raise Misuse(
            "A copy takes no --datastore: FROM and TO say which stores.",
            hint=f"Leave it out:\n{shlex.join(('swamp', 'datastore', 'copy', source, target))}",
        )
    tenths = 0

    def tell(done: int, of: int) -> None:
        nonlocal tenths
        if 10 * done // of > tenths:
            tenths = 10 * done // of
            invocation.output.note(Say(f"{done} of {of} records are copied.", "dim"))

    again = f"Go on with:\n{invocation.workspace.command('datastore', 'copy', source, target)}"
    saying = "Interrupted; the records that are under way are waited for."
    trials: list[Trial] = []
    try:
        with cut_off(invocation, saying, lambda: what_stays(trials, again)):
            result = copy_datastore(invocation.workspace, source, target, tell=tell, trying=trials.append)
    except KeyboardInterrupt as interrupt:
        interrupt.add_note(again)
        raise
    invocation.output.answer(result.to_json(), copy_parts(result, target))
    return ExitCode.DONE
