"""What a script gave as its outputs: the file that $SWAMP_OUTPUT names, read as strictly as a payload.

The file holds a JSON object, or lines of `name=value` whose values are text. A name must not be there twice,
nor be one of those under which every script's exit code and printed text are kept.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Any

from swamp_core.models.method import EXIT_CODE, STDERR, STDOUT
from swamp_core.payload.strict_json import parse_json
from swamp_core.payload.values import PayloadError
from swamp_core.workflow.problems import quoted

OUTPUT_BYTES_MAX = 256 * 1024

_RESERVED = frozenset({EXIT_CODE, STDOUT, STDERR})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z", re.ASCII)


class InvalidOutput(ValueError):
    """The outputs of a script cannot be used; the text says why."""

    def __init__(self, message: str, code: str = "invalid_output") -> None:
        super().__init__(message)
        self.code = code


def read_outputs(file: Path) -> dict[str, Any]:
    """The outputs in the file, none if the script wrote none; raises `InvalidOutput`."""
    data = _read(file)
    if len(data) > OUTPUT_BYTES_MAX:
        message = (
            f"The file $SWAMP_OUTPUT has more than {OUTPUT_BYTES_MAX} bytes; give a path or address instead."
        )
        raise InvalidOutput(message, "output_too_large")
    outputs = parse_outputs(data)
    for name in outputs:
        if name in _RESERVED:
            raise InvalidOutput(f"The output {quoted(name)} is set for every script; choose another name.")
    return outputs


def parse_outputs(data: bytes) -> dict[str, Any]:
    """The outputs that the content of the file stands for; raises `InvalidOutput`."""
    if data.lstrip().startswith((b"{", b"[", b'"')):
        return _from_json(data)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidOutput("The file $SWAMP_OUTPUT is not UTF-8.") from error
    outputs: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        name, equals, value = line.removesuffix("\r").partition("=")
        if not equals or not _NAME.match(name):
            message = (
                f"Line {number} of $SWAMP_OUTPUT is not `name=value`, and the file is no JSON object either."
            )
            raise InvalidOutput(message)
        if name in outputs:
            raise InvalidOutput(f"Line {number} of $SWAMP_OUTPUT gives {quoted(name)} a second time.")
        outputs[name] = value
    return outputs


def _from_json(data: bytes) -> dict[str, Any]:
    try:
        value = parse_json(data)
    except PayloadError as error:
        raise InvalidOutput(f"The file $SWAMP_OUTPUT looks like JSON and cannot be read. {error}") from error
    if not isinstance(value, dict):
        raise InvalidOutput("The JSON in $SWAMP_OUTPUT must be an object.")
    return value


def _read(file: Path) -> bytes:
    try:
        return _read_regular(file)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise InvalidOutput(f"The file $SWAMP_OUTPUT cannot be read: {error.strerror or error}.") from error


def _read_regular(file: Path) -> bytes:
    # A script may have put anything in the place of the file: a pipe must not block, a link leads nowhere.
    flags = (
        os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    )
    descriptor = os.open(file, flags)
    try:
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            with os.fdopen(descriptor, "rb", closefd=False) as opened:
                return opened.read(OUTPUT_BYTES_MAX + 1)
    finally:
        os.close(descriptor)
    raise InvalidOutput("The script put something in place of $SWAMP_OUTPUT that is no file.")
