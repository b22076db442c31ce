"""What can go wrong in the command line itself, apart from what use cases refuse and stores report."""

from __future__ import annotations


class AnswerNotWritten(Exception):
    """Stdout could not be written to, for another reason than that its reader is gone. The command was done."""


class DemoFailed(Exception):
    """A command of the demo did not do what the story tells."""
