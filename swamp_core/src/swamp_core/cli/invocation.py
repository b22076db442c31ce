"""One call of the command line: what the global options say, and what is made of them when it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Literal, TextIO

from swamp_core.cli.output import Output
from swamp_core.cli.parts import Say
from swamp_core.cli.repo import find_repo
from swamp_core.cli.stream import Stream

if TYPE_CHECKING:
    from swamp_core.ambient import Ambient
    from swamp_core.app.workspace import Setting, Workspace
    from swamp_core.store.protocol import SignalWaitStore

LogLevel = Literal["debug", "info", "warning", "error"]
LOG_LEVELS: tuple[LogLevel, ...] = ("debug", "info", "warning", "error")


@dataclass(slots=True)
class GlobalOptions:
    """The global options as far as they were given, and `--verbose` of the commands that may drive a run."""

    repo_dir: str | None = None
    datastore: str | None = None
    as_json: bool = False
    no_color: bool = False
    log_level: LogLevel = "info"
    verbose: bool = False


@dataclass
class Invocation:
    """A call of the command line; `given_ambient` and `opener` are the world's, unless a test brings its own.

    `stdout` is asked, when the first thing is written, for where the answer goes. A store that has not answered for
    `silence_s` seconds is told of. `interrupted`: the interrupt that ends the command was raised, whatever the code
    that it struck makes of it.
    """

    options: GlobalOptions = field(default_factory=GlobalOptions)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    given_ambient: Ambient | None = None
    opener: Callable[[Setting], SignalWaitStore] | None = None
    stdout: Callable[[], TextIO | None] = lambda: sys.stdout
    silence_s: float = 5.0
    interrupted: bool = False

    def raise_interrupt(self) -> None:
        """End the command, from a signal handler."""
        self.interrupted = True
        raise KeyboardInterrupt

    @cached_property
    def ambient(self) -> Ambient:
        """The clock, the IDs, and who and where this process is."""
        from swamp_core.ambient import Ambient

        return self.given_ambient or Ambient()

    @cached_property
    def output(self) -> Output:
        """Where the answer goes, and how. Not to be asked for before the global options have been read."""
        options = self.options
        return Output(
            as_json=options.as_json,
            colour=not (options.no_color or self.environ.get("NO_COLOR")),
            quiet=options.log_level in ("warning", "error"),
            out=Stream(self.stdout()),
        )

    @property
    def answer_has_begun(self) -> bool:
        """Whether nothing can take the place of the answer any more; does not ask for the output too early."""
        return "output" in self.__dict__ and self.output.begun

    @cached_property
    def workspace(self) -> Workspace:
        """The repo and its store, which is not opened yet. Raises `Refused`."""
        from swamp_core.app.workspace import open_workspace

        options = self.options
        return open_workspace(
            find_repo() if options.repo_dir is None else options.repo_dir,
            datastore=options.datastore,
            ambient=self.ambient,
            environ=self.environ,
            flags=self.flags,
            opener=self._open,
        )

    @property
    def looked_in(self) -> Workspace | None:
        """The workspace whose datastore the command looked in, as far as it knew which one that is."""
        workspace: Workspace | None = self.__dict__.get("workspace")
        return workspace if workspace and "chosen" in workspace.__dict__ else None

    @property
    def flags(self) -> tuple[str, ...]:
        """The global options that a printed command repeats: those that say where."""
        named = {"--repo-dir": self.options.repo_dir, "--datastore": self.options.datastore}
        return tuple(word for name, value in named.items() if value is not None for word in (name, value))

    @property
    def debug(self) -> bool:
        """Whether to tell what only a developer wants to know."""
        return self.options.log_level == "debug"

    def _open(self, setting: Setting) -> SignalWaitStore:
        from swamp_core.cli.silence import HeardStore
        from swamp_core.store.checked import CheckedStore
        from swamp_core.store.registry import open_store

        store = (self.opener or open_store)(setting)
        if isinstance(store, CheckedStore):
            store = HeardStore(store, partial(self._tell_silence, store.name), silence_s=self.silence_s)
        if not self.debug:
            return store
        from swamp_core.cli.tracing import TracedStore

        return TracedStore(store, lambda line: self.output.note(Say(line, "dim")))

    def _tell_silence(self, name: str) -> None:
        silence = f"{self.silence_s:g} s"
        text = f"The datastore {name} has not answered for {silence}; still trying (Ctrl-C interrupts)."
        self.output.note(Say(text, "dim"))
