"""A request that Swamp does not carry out, with the reason as a code, as sentences, and as facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """The request was understood and is refused; nothing was changed by it.

    `code` is stable and meant for scripts, `message` is sentences for people, `hint` says what to do next, where
    possible as a command on a line of its own, and `details` holds facts as JSON values.
    """

    def __init__(
        self, code: str, message: str, *, hint: str | None = None, details: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = dict(details or {})
