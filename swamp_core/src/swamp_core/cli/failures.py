"""What is told of a command that went wrong, and what can go wrong in the command line itself.

This imports little and decides nothing: an interrupt is told from a signal handler, before much has been imported.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.parts import Part, Say, paragraph


class AnswerNotWritten(Exception):
    """Stdout could not be written to, for another reason than that its reader is gone. The command was done."""


class DemoFailed(Exception):
    """A command of the demo did not do what the story tells."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, as it is told: `hint` says what to do next, `details` are facts as JSON values."""

    code: str
    message: str
    hint: str | None
    details: dict[str, Any]
    exit_code: ExitCode

    def to_json(self) -> dict[str, Any]:
        """The failure as the JSON document that replaces the answer."""
        return {
            "error": {
                "code": self.code,
                "message": self.message,
                "hint": self.hint,
                "details": self.details,
            }
        }

    def parts(self) -> list[Part]:
        """The failure as text."""
        first, *rest = self.message.split("\n")
        hint = paragraph(self.hint) if self.hint else []
        return [Say(f"Error: {first}", "bad"), *(Say(line) for line in rest), *hint]


def interrupted_failure(hint: str | None = None, details: dict[str, Any] | None = None) -> Failure:
    """An interrupt that ended the command."""
    return Failure("interrupted", "Interrupted.", hint, details or {}, ExitCode.INTERRUPTED)
