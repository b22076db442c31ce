"""`--verbose`: what the steps print is shown as it comes, on stderr, each line after the name of its step.

The step of a nested run is named as progress names it: after the steps that its run is nested in.

It is for people only: with `--json` the one document of stdout is as it is without.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Say, Style

if TYPE_CHECKING:
    from swamp_core.engine.driver import Heard
    from swamp_core.run.state import RunState

F = TypeVar("F", bound=Callable[..., Any])


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


def hearing(invocation: Invocation, place: Callable[[RunState], str]) -> Heard:
    """Shows what it hears; `place` says what stands before the steps of a run."""

    def heard(run: RunState, job: str, step: str, stream: str, text: str) -> None:
        style: Style = "warn" if stream == "stderr" else "plain"
        name = f"{place(run)}{job}/{step}"
        lines = text.removesuffix("\n").split("\n")
        invocation.output.warn(*(Say(f"{name} | {line.expandtabs()}", style) for line in lines))

    return heard


def _remember(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    ctx.ensure_object(Invocation).options.verbose |= value
