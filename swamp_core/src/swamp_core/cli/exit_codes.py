"""What the exit codes of `swamp` mean. Scripts rely on them."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """How a command ended."""

    DONE = 0
    """Done: the run succeeded or is suspended, the cancel is recorded, the receipt is stored."""
    FAILED = 1
    """The run failed or was cancelled by somebody else, or a check did not pass."""
    USAGE = 2
    """The command line cannot be understood; nothing was done."""
    REFUSED = 3
    """The request was understood and refused; `error.code` says why."""
    STORE = 4
    """The store cannot be used."""
    INTERNAL = 70
    """Swamp itself failed, which is a bug, or could not write its answer."""
    INTERRUPTED = 130
    """Ended by an interrupt."""
