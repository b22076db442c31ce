"""Workspaces over stores in memory, each under a URL of its own."""

from pathlib import Path

from swamp_core.app.workspace import Setting, Workspace
from swamp_core.store import CheckedStore, MemoryStore, SignalWaitStore

SOURCE, TARGET = "file:///source", "file:///target"


def workspace_over(directory: Path, **stores: MemoryStore) -> Workspace:
    """A workspace in which `file:///NAME` opens the store of that name; `source` is the one in use."""

    def opener(setting: Setting) -> SignalWaitStore:
        return CheckedStore(stores[str(setting).removeprefix("file:///")], str(setting))

    return Workspace(directory, datastore=SOURCE, opener=opener)
