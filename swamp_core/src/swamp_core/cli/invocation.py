"""One call of the command line: what the global options say, and what is made of them when it is needed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from swamp_core.cli.output import Output

if TYPE_CHECKING:
    from swamp_core.ambient import Ambient
    from swamp_core.app.workspace import Setting, Workspace
    from swamp_core.store.protocol import SignalWaitStore

REPO_MARKS = (".swamp.yaml", "workflows", ".swamp")
"""What makes a directory a repo."""


@dataclass(slots=True)
class GlobalOptions:
    """The global options as far as they were given."""

    repo_dir: str | None = None
    datastore: str | None = None
    as_json: bool = False
    no_color: bool = False
    log_level: str = "info"


@dataclass
class Invocation:
    """A call of the command line; `ambient` and `opener` are the world's, unless a test brings its own."""

    options: GlobalOptions = field(default_factory=GlobalOptions)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    given_ambient: Ambient | None = None
    opener: Callable[[Setting], SignalWaitStore] | None = None

    @cached_property
    def ambient(self) -> Ambient:
        """The clock, the IDs, and who and where this process is."""
        from swamp_core.ambient import Ambient

        return self.given_ambient or Ambient()

    @cached_property
    def output(self) -> Output:
        """Where the answer goes. Not to be asked for before the command line has been read."""
        options = self.options
        return Output(
            as_json=options.as_json,
            colour=not (options.no_color or self.environ.get("NO_COLOR")),
            quiet=options.log_level in ("warning", "error"),
        )

    @cached_property
    def workspace(self) -> Workspace:
        """The repo and its store, which is not opened yet. Raises `Refused`."""
        from swamp_core.app.workspace import open_workspace
        from swamp_core.store.registry import open_store

        options = self.options
        return open_workspace(
            options.repo_dir if options.repo_dir is not None else find_repo(),
            datastore=options.datastore,
            ambient=self.ambient,
            environ=self.environ,
            flags=self.flags,
            opener=self.opener or open_store,
        )

    @property
    def flags(self) -> tuple[str, ...]:
        """The global options that a printed command repeats: those that say where."""
        options = self.options
        repo_dir = ("--repo-dir", options.repo_dir) if options.repo_dir is not None else ()
        datastore = ("--datastore", options.datastore) if options.datastore is not None else ()
        return (*repo_dir, *datastore)

    @property
    def debug(self) -> bool:
        """Whether to tell what only a developer wants to know."""
        return self.options.log_level == "debug"


def find_repo() -> Path:
    """The nearest directory, from the current one upwards, that is a repo; else the current one.

    Raises `Refused` when the current directory is gone.
    """
    try:
        here = Path.cwd()
    except OSError as error:
        from swamp_core.app.refusals import Refused

        raise Refused(
            "unknown_repo", "The current directory is gone.", hint="Name another with --repo-dir."
        ) from error
    for directory in (here, *here.parents):
        if any((directory / mark).exists() for mark in REPO_MARKS):
            return directory
    return here
