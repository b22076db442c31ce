"""Reading a file that the command line names, or stdin for `-`. Whatever it is, it is bounded and an error is usage."""

from __future__ import annotations

import sys

from swamp_core.cli.escaping import printable
from swamp_core.cli.usage import Misuse

STDIN = "-"


def read_bytes(path: str, *, bytes_max: int) -> bytes:
    """The content of the file, or of stdin for `-`. Raises `Misuse` for one that cannot be read or is larger."""
    try:
        if path == STDIN:
            if sys.stdin is None or sys.stdin.closed:
                raise Misuse("Stdin is closed, so nothing can be read from it.", hint="Name a file.")
            content = sys.stdin.buffer.read(bytes_max + 1)
        else:
            with open(path, "rb") as file:  # noqa: PTH123 - a path of surrogates or NUL is an OSError or ValueError
                content = file.read(bytes_max + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise Misuse(
            f"The file `{printable(path)}` cannot be read: {reason}.", hint="Name a file that can be read."
        ) from error
    if len(content) > bytes_max:
        raise Misuse(
            f"The file `{printable(path)}` has more than {bytes_max} bytes.", hint="Name a smaller one."
        )
    return content
