"""`--verbose`: what the steps print is shown as it comes, on stderr, each line after the name of its step.

It is for people only: with `--json` the one document of stdout is as it is without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Say, Style

F = TypeVar("F", bound=Callable[..., Any])

Heard = Callable[[str, str, str, str], None]
"""Listens to the steps of a run: the job, the step, the name of a stream, and one or more lines of it."""


def verbose_option(function: F) -> F:
    """The option, for a command that may drive a run."""
    return click.option(
        "-v",
        "--verbose",
        is_flag=True,
        expose_value=False,
        callback=_remember,
        help="Show what the steps print, as it comes, on stderr.",
    )(function)


def hearing(invocation: Invocation) -> Heard:
    """Shows what it hears."""

    def heard(job: str, step: str, stream: str, text: str) -> None:
        style: Style = "warn" if stream == "stderr" else "plain"
        lines = text.removesuffix("\n").split("\n")
        invocation.output.warn(*(Say(f"{job}/{step} | {line.expandtabs()}", style) for line in lines))

    return heard


def _remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.ensure_object(Invocation).options.verbose |= value
