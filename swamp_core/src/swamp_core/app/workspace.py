"""Where a use case works: the repo directory, the store that its configuration names, and the world around it.

The datastore setting is taken from the caller, else from `SWAMP_DATASTORE`, else from `.swamp.yaml` in the repo
directory, else it is a directory inside the repo. The store is opened when it is first needed.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TypeVar

from swamp_core.ambient import Ambient
from swamp_core.app.refusals import Refused
from swamp_core.store.errors import StoreMisconfigured
from swamp_core.store.operations import Protocol, execute
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import open_store

CONFIG_FILE = ".swamp.yaml"
DATASTORE_VARIABLE = "SWAMP_DATASTORE"
CONCURRENCY_VARIABLE = "SWAMP_MAX_CONCURRENT_STEPS"
THREADS_MAX = 1024

Setting = str | Mapping[str, object]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Datastore:
    """A datastore setting, and where it was found."""

    setting: Setting
    source: str


@dataclass(frozen=True)
class Workspace:
    """The surroundings of a use case. `flags` are global options to repeat in every command that is printed."""

    repo_dir: Path
    ambient: Ambient = field(default_factory=Ambient)
    datastore: Setting | None = None
    environ: Mapping[str, str] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    opener: Callable[[Setting], SignalWaitStore] = open_store

    @cached_property
    def chosen(self) -> Datastore:
        """The datastore setting that holds. Raises `StoreMisconfigured` for a configuration that cannot be read."""
        if self.datastore is not None:
            return Datastore(self.datastore, "--datastore")
        if self.environ.get(DATASTORE_VARIABLE):
            return Datastore(self.environ[DATASTORE_VARIABLE], DATASTORE_VARIABLE)
        configured = _configured(self.repo_dir / CONFIG_FILE)
        if configured is not None:
            return Datastore(configured, CONFIG_FILE)
        default = (self.repo_dir / ".swamp" / "store").absolute()
        return Datastore({"type": "local", "path": str(default), "create": True}, "default")

    @cached_property
    def store(self) -> SignalWaitStore:
        """The store, opened. Raises `StoreError`."""
        return self.opener(self.chosen.setting)

    @property
    def concurrent_steps_max(self) -> int:
        """How many steps this process runs at a time at most. Raises `Refused` (`invalid_input`)."""
        from swamp_core.engine.ceiling import CONCURRENT_STEPS_MAX  # a listing does not pay for the engine

        given = self.environ.get(CONCURRENCY_VARIABLE)
        if not given:
            return CONCURRENT_STEPS_MAX
        if given.isascii() and given.isdigit() and 1 <= int(given) <= THREADS_MAX:
            return int(given)
        raise Refused(
            "invalid_input",
            f"{CONCURRENCY_VARIABLE} must be a whole number from 1 to {THREADS_MAX}.",
            hint="Correct it, or unset it.",
        )

    @property
    def build(self) -> str:
        """The name of this build, for the message of one that does not know its format."""
        return f"swamp-core {version('swamp-core')}"

    def execute(self, protocol: Protocol[T]) -> T:
        """Run a protocol against the store."""
        return execute(protocol, self.store)

    def command(self, *words: str) -> str:
        """A command line that a person can paste, with the global options of this one."""
        return shlex.join(("swamp", *words, *self.flags))


def open_workspace(
    repo_dir: str | Path,
    *,
    datastore: Setting | None = None,
    ambient: Ambient | None = None,
    environ: Mapping[str, str],
    flags: tuple[str, ...] = (),
    opener: Callable[[Setting], SignalWaitStore] = open_store,
) -> Workspace:
    """The workspace of a repo directory. Raises `Refused` (`unknown_repo`) when there is no such directory."""
    path = Path(repo_dir)
    if not path.is_dir():
        raise Refused(
            "unknown_repo", f"There is no directory {path}.", hint="Name an existing one with --repo-dir."
        )
    return Workspace(path.resolve(), ambient or Ambient(), datastore, environ, flags, opener)


def _configured(path: Path) -> Setting | None:
    if not path.is_file():
        return None
    from swamp_core.workflow.problems import quoted
    from swamp_core.workflow.yaml_document import InvalidYaml
    from swamp_core.workflow.yaml_reader import read_yaml

    try:
        value = read_yaml(path.read_bytes()).value
    except InvalidYaml as error:
        detail = str(error.problem).rstrip(".")
        raise StoreMisconfigured(f"{path}: {detail}", hint="Correct the file.") from error
    except OSError as error:
        raise StoreMisconfigured(f"{path} cannot be read", hint="Correct its permissions.") from error
    if not isinstance(value, dict):
        raise StoreMisconfigured(f"{path} holds no mapping", hint="Write `datastore: file:///srv/swamp`.")
    for name in value:
        if name != "datastore":
            raise StoreMisconfigured(
                f"{path} has an unknown field {quoted(name)}",
                hint="It may hold `datastore` and nothing else, such as `datastore: file:///srv/swamp`.",
            )
    setting = value.get("datastore")
    if setting is None or isinstance(setting, str | dict):
        return setting
    raise StoreMisconfigured(f"The `datastore` in {path} is neither a URL nor a mapping", hint="Correct it.")
