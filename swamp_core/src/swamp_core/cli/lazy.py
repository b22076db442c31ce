"""Groups whose commands are imported when they are needed, so that `swamp --version` imports none of them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from swamp_core.cli.global_options import GlobalOptionsGroup


class LazyGroup(GlobalOptionsGroup):
    """A group of commands by name, each the attribute of a module: `package.module:attribute`.

    The commands are listed in the order of the mapping, which is that of a person's work.
    """

    def __init__(self, *args: Any, homes: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._homes = dict(homes)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands; imports nothing."""
        return list(self._homes)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported."""
        if cmd_name not in self._homes:
            return None
        module, _, attribute = self._homes[cmd_name].partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name. A name that is close to one is suggested."""
        name = args[0]
        if name not in self._homes and not ctx.resilient_parsing and not name.startswith("-"):
            raise click.exceptions.NoSuchCommand(name, possibilities=self._homes, ctx=ctx)
        return super().resolve_command(ctx, args)
