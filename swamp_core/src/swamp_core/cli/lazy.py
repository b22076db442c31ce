"""Groups whose commands are imported when they are needed, so that `swamp --version` imports none of them.

A command that is asked for in the wrong group, or is misspelt, is answered with the command line that was meant.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any

import click

from swamp_core.cli.global_options import GlobalOptionsGroup
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.usage import Misuse


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
            raise self._no_such_command(ctx, args)
        return super().resolve_command(ctx, args)

    def paths(self, ctx: click.Context) -> dict[str, tuple[str, ...]]:
        """The commands of this group and of those below it, by name; of one name the nearest."""
        found: dict[str, tuple[str, ...]] = {name: (name,) for name in self._homes}
        for name in self._homes:
            command = self.get_command(ctx, name)
            if isinstance(command, LazyGroup):
                below = command.paths(ctx)
                found = {each: (name, *path) for each, path in below.items()} | found
        return found

    def leaves(self, ctx: click.Context) -> list[tuple[str, ...]]:
        """The paths of the commands of this group and of those below it, without the groups themselves."""
        found: list[tuple[str, ...]] = []
        for name in self._homes:
            command = self.get_command(ctx, name)
            below = command.leaves(ctx) if isinstance(command, LazyGroup) else [()]
            found += [(name, *path) for path in below]
        return found

    def _no_such_command(self, ctx: click.Context, args: list[str]) -> click.UsageError:
        name, *rest = args
        root = ctx.find_root().command
        elsewhere = root.paths(ctx) if isinstance(root, LazyGroup) else {}
        close = get_close_matches(name, elsewhere, n=1)
        leaves = root.leaves(ctx) if isinstance(root, LazyGroup) else []
        namesake = next((path for path in leaves if path[-1] == ctx.info_name and len(path) > 1), None)
        if namesake and not get_close_matches(name, self._homes, cutoff=0.8):
            words = ("swamp", *ctx.ensure_object(Invocation).flags, *namesake, *args)
            hint = f"Did you mean this?\n{shlex.join(words)}"
        elif name == "help":
            hint = f"The commands are listed by:\n{ctx.command_path} --help"
        elif name in elsewhere or (close and not get_close_matches(name, self._homes)):
            path = elsewhere.get(name) or elsewhere[close[0]]
            words = ("swamp", *ctx.ensure_object(Invocation).flags, *path, *rest)
            hint = f"Did you mean this?\n{shlex.join(words)}"
        else:
            return click.exceptions.NoSuchCommand(name, possibilities=self._homes, ctx=ctx)
        return Misuse(f"No such command '{name}'.", hint=hint)
