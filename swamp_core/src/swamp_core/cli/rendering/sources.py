"""Where the datastore in use was set, as it is told: who forgot --datastore, or set it elsewhere, must see it."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Facts, Part
from swamp_core.store.registry import describe


def datastore_source(source: str) -> str:
    """Where the datastore in use was set, as a sentence."""
    return f"The datastore is {_is_set(source)}."


def looked_in(workspace: Workspace) -> Iterator[Part]:
    """The datastore in which nothing was found."""
    chosen = workspace.chosen
    yield Facts((("datastore", f"{describe(chosen.setting).store} ({_is_set(chosen.source)})"),))


def _is_set(source: str) -> str:
    return "the default" if source == "default" else f"set by {source}"
