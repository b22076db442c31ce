"""The entry point: read the command line, run the command, and turn whatever happens into an answer and an exit code.

Nothing that a user can cause ends in a traceback, and with `--json` whatever happens is one document on stdout.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.root import root
from swamp_core.entry import asks_for_json

if TYPE_CHECKING:
    from swamp_core.ambient import Ambient
    from swamp_core.app.workspace import Setting
    from swamp_core.store.protocol import SignalWaitStore


def main(
    argv: Sequence[str] | None = None,
    *,
    ambient: Ambient | None = None,
    opener: Callable[[Setting], SignalWaitStore] | None = None,
) -> int:
    """Carry out a command line and give its exit code; `argv` is without the program's name.

    `ambient` and `opener` replace the world around the process and the opening of stores, for tests.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    return carry_out(arguments, Invocation(given_ambient=ambient, opener=opener))


def carry_out(arguments: list[str], invocation: Invocation) -> int:
    """Carry out a command line, as `main`."""
    try:
        code = root.main(arguments, "swamp", standalone_mode=False, obj=invocation)
    except (Exception, KeyboardInterrupt) as error:
        from swamp_core.cli.errors import report

        if invocation.interrupted:
            error = _interrupt_behind(error)
        if isinstance(error, click.UsageError | click.Abort | KeyboardInterrupt):
            invocation.options.as_json |= asks_for_json(arguments)
        return report(error, invocation.output, debug=invocation.debug, looked_in=invocation.looked_in)
    return int(code or ExitCode.DONE)


def _interrupt_behind(error: BaseException | None) -> KeyboardInterrupt:
    """The interrupt that ended the command; the library that it struck may have made another error of it."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error or KeyboardInterrupt()
