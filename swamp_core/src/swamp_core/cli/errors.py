"""The one renderer of errors: from whatever a command raised to a code, sentences, JSON and an exit code."""

from __future__ import annotations

import traceback
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from swamp_core.app.refusals import Refused
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.failures import AnswerNotWritten, DemoFailed, Failure, interrupted_failure
from swamp_core.cli.output import Output
from swamp_core.cli.parts import Part, Say
from swamp_core.store.errors import OutcomeUnknown, StoreError

if TYPE_CHECKING:
    from swamp_core.app.workspace import Workspace


def failure_of(error: BaseException) -> Failure:
    """What to tell about an exception that ended a command."""
    match error:
        case Refused(code="driver_replaced"):
            return Failure(error.code, error.message, error.hint, error.details, ExitCode.FAILED)
        case Refused():
            return Failure(error.code, error.message, error.hint, error.details, ExitCode.REFUSED)
        case StoreError():
            return _of_store(error)
        case click.UsageError():
            return _of_usage(error)
        case click.Abort() | KeyboardInterrupt() | EOFError():
            notes = getattr(error.__cause__ or error, "__notes__", [])
            return interrupted_failure("\n".join(notes) or None)
        case AnswerNotWritten():
            message = f"The command was done, but its answer could not be written: {error}."
            return Failure("answer_not_written", message, None, {}, ExitCode.INTERNAL)
        case DemoFailed():
            return Failure("demo_failed", f"The demo failed. {error}", None, {}, ExitCode.FAILED)
    return _internal(error)


NOT_THERE = (
    *("unknown_run", "unknown_wait", "unknown_workflow"),
    *("unknown_key", "unknown_signal", "no_open_wait"),
)
"""The refusals of what may be in another datastore than the one that was looked in."""


def report(
    error: BaseException, output: Output, *, debug: bool, looked_in: Workspace | None = None
) -> ExitCode:
    """Tell about the exception, and give the exit code. The datastore of `looked_in` is the one in use."""
    failure = failure_of(error)
    if isinstance(error, StoreError) and looked_in:
        failure = replace(failure, hint=f"{_source_of(looked_in)}\n{failure.hint}")
    if debug and not isinstance(error, click.ClickException):
        lines = "".join(traceback.format_exception(error)).rstrip()
        output.warn(*(Say(line, "dim") for line in lines.split("\n")))
    if output.as_json and not output.begun:
        try:
            output.answer(failure.to_json(), [])
        except AnswerNotWritten as lost:
            output.warn(*failure_of(lost).parts())
    else:
        where = _named(looked_in) if failure.code in NOT_THERE and looked_in else ()
        output.warn(*failure.parts(), *where)
    return failure.exit_code


def _source_of(looked_in: Workspace) -> str:
    from swamp_core.cli.rendering.sources import datastore_source  # a usage error does not pay for it

    return datastore_source(looked_in.chosen.source)


def _named(looked_in: Workspace) -> Iterable[Part]:
    from swamp_core.cli.rendering import sources

    return sources.looked_in(looked_in)


def _of_store(error: StoreError) -> Failure:
    details = {"operation": error.operation, "key": error.key, "store": error.store}
    if isinstance(error, OutcomeUnknown):
        details["putId"] = error.put_id
    message = str(error).removesuffix(f" {error.hint}")
    return Failure(error.code, message, error.hint, details, ExitCode.STORE)


def _of_usage(error: click.UsageError) -> Failure:
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return Failure("usage", "A command is missing.", error.format_message(), {}, ExitCode.USAGE)
    hint = getattr(error, "hint", None)
    if hint is None and error.ctx is not None:
        hint = f"{error.ctx.get_usage()}\nSee its options with:\n{error.ctx.command_path} --help"
    return Failure("usage", error.format_message(), hint, {}, ExitCode.USAGE)


def _internal(error: BaseException) -> Failure:
    first_line = str(error).split("\n")[0]
    return Failure(
        "internal",
        f"Swamp failed, which is a bug: {type(error).__name__}: {first_line}",
        "Repeat the command with --log-level debug to see where, and report it.",
        {},
        ExitCode.INTERNAL,
    )
