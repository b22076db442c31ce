"""The options that every command takes, before it and after it.

`swamp --json workflow waits` is also `swamp workflow waits --json`; the last one given holds. `--repo-dir` and
`--datastore` say where the work is, and are repeated in every command that is printed. The others only say how this
one command tells it.
"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from swamp_core.cli.completion import complete_datastores, complete_directories
from swamp_core.cli.invocation import LOG_LEVELS, Invocation
from swamp_core.cli.parts import Say
from swamp_core.cli.usage import TEXT


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if ctx.get_parameter_source(param.name) is ParameterSource.COMMANDLINE:
        setattr(ctx.ensure_object(Invocation).options, param.name, value)


def _option(*names: str, **attributes: Any) -> click.Option:
    """Read before the other options are, so that what those tell is told as asked for."""
    return click.Option(names, expose_value=False, is_eager=True, callback=_remember, **attributes)


def _global_options() -> list[click.Option]:
    return [
        _option(
            "--repo-dir",
            metavar="DIR",
            type=TEXT,
            shell_complete=complete_directories,
            help="The directory with the workflows. Default: the nearest one, from here upwards, that holds "
            ".swamp.yaml, workflows/ or .swamp/, as long as the owner is the same; else the current directory.",
        ),
        _option(
            "--datastore",
            metavar="URL",
            type=TEXT,
            shell_complete=complete_datastores,
            help="Where the state is kept, such as file:///srv/swamp. Beats SWAMP_DATASTORE and .swamp.yaml.",
        ),
        _option(
            "--json",
            "as_json",
            is_flag=True,
            help="Answer with one JSON document on stdout, errors included.",
        ),
        _option(
            "--no-color",
            is_flag=True,
            help="Plain lines on a terminal: no colour, bold or live view. So does NO_COLOR.",
        ),
        _option(
            "--log-level",
            type=click.Choice(LOG_LEVELS),
            help="What is told on stderr beside errors: info (the default) tells each step, warning and error do not; "
            "debug adds each operation on the store, and where an error came from.",
        ),
    ]


def _show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        text = ctx.get_help()
        ctx.ensure_object(Invocation).output.answer({"help": text}, [Say(line) for line in text.split("\n")])
        ctx.exit()


class GlobalOptionsCommand(click.Command):
    """A command that takes the global options, and lists them apart from its own."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Click keeps the lines of a paragraph that begins with a backspace; a raw docstring says it in two characters.
        self.help = (self.help or "").replace("\\b\n", "\b\n")
        self._global = _global_options()

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters: the command's own, the global ones, and `--help`."""
        return [*super().get_params(ctx), *self._global]

    def get_help_option(self, ctx: click.Context) -> click.Option:
        """`--help`, which answers as every command does."""
        return click.Option(
            ["-h", "--help"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_show_help,
            help="Show this help.",
        )

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments. Whatever is wrong with them, it is known which command they are for."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The command's own options, and then the global ones."""
        options = [param for param in super().get_params(ctx) if isinstance(param, click.Option)]
        for title, listed in (("Options", options), ("Global options", self._global)):
            rows = [row for option in listed if (row := option.get_help_record(ctx)) is not None]
            with formatter.section(title):
                formatter.write_dl(rows)


class GlobalOptionsGroup(GlobalOptionsCommand, click.Group):
    """A group that takes the global options. Its help lists the commands first: that is what a reader looks for."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands, and then the options."""
        self.format_commands(ctx, formatter)
        super().format_options(ctx, formatter)
