"""The options that every command takes, before it and after it.

`swamp --json workflow waits` is also `swamp workflow waits --json`; the last one given holds.

`--repo-dir` and `--datastore` say where the work is; they are repeated in every command that is printed. The others
only say how this one command tells it.
"""

from __future__ import annotations

from typing import Any, Literal

import click
from click.core import ParameterSource

from swamp_core.cli.invocation import Invocation

LogLevel = Literal["debug", "info", "warning", "error"]
LOG_LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warning", "error")


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
        setattr(ctx.ensure_object(Invocation).options, param.name, value)


def _global_options() -> list[click.Parameter]:
    return [
        click.Option(
            ["--repo-dir"],
            metavar="DIR",
            help="The directory with the workflows. Default: the nearest one, from here upwards, that holds "
            ".swamp.yaml, workflows/ or .swamp/, else the current directory.",
            expose_value=False,
            callback=_remember,
        ),
        click.Option(
            ["--datastore"],
            metavar="URL",
            help="Where the state is kept, such as file:///srv/swamp. Beats SWAMP_DATASTORE and .swamp.yaml.",
            expose_value=False,
            callback=_remember,
        ),
        click.Option(
            ["--json", "as_json"],
            is_flag=True,
            help="Answer with one JSON document on stdout, errors included.",
            expose_value=False,
            callback=_remember,
        ),
        click.Option(
            ["--no-color"],
            is_flag=True,
            help="No colours on a terminal. So does NO_COLOR.",
            expose_value=False,
            callback=_remember,
        ),
        click.Option(
            ["--log-level"],
            type=click.Choice(LOG_LEVELS),
            help="What is told on stderr: info (the default) tells each step, warning and error do not; debug "
            "adds each operation on the store and the traceback of an internal error.",
            expose_value=False,
            callback=_remember,
        ),
    ]


class _WithGlobalOptions(click.Command):
    """A command that takes the global options, and lists them apart from its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._global = _global_options()

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        return [*super().get_params(ctx), *self._global]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        own = [param for param in self.get_params(ctx) if param not in self._global]
        for title, params in (("Options", own), ("Global options", self._global)):
            rows = [row for param in params if (row := param.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class GlobalOptionsCommand(_WithGlobalOptions):
    """A command that takes the global options."""


class GlobalOptionsGroup(_WithGlobalOptions, click.Group):
    """A group that takes the global options."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands first: they are what a reader of a group's help looks for."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)
