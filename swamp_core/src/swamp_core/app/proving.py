"""Trying a store before anything depends on it: the first run does the short form once, and leaves a note."""

from __future__ import annotations

from datetime import timedelta

from swamp_core.app.workspace import Workspace
from swamp_core.store.fan_out import fan_out
from swamp_core.store.probing import PROBES, left_probes, note_key, read_note, short_probe
from swamp_core.store.registry import describe

PROBE_AGE_MAX = timedelta(days=1)
"""A probe takes seconds; one that began longer ago than this was killed."""


def prove_store(workspace: Workspace) -> None:
    """See to it that the store has shown that one create of a key wins, unless its service is known for it.

    A note says that it has. One that came here with the records of another service, or cannot be read, does not count.
    Raises `ConditionalWritesUnsupported` when a second create wins, and other `StoreError`.
    """
    description = describe(workspace.chosen.setting)
    if description.is_proven:
        return
    service = str(description.options.get("endpoint_url") or description.store)
    if read_note(workspace.store, service) is None:
        note = short_probe(workspace.store, new_probe(workspace), service)
        workspace.store.put_if_absent(note_key(service), note.encode())


def new_probe(workspace: Workspace) -> str:
    """A prefix that nothing else uses, for what is thrown away after a try."""
    ambient = workspace.ambient
    return f"{PROBES}{ambient.ids.run_id(ambient.clock.now())}/"


def sweep_probes(workspace: Workspace, *, dry_run: bool) -> int:
    """Delete what killed probes have left; how many records. With `dry_run`, only count them."""
    before = workspace.ambient.ids.run_id(workspace.ambient.clock.now() - PROBE_AGE_MAX)
    left = left_probes(workspace.store, before)
    if not dry_run:
        fan_out(workspace.store.delete, left)
    return len(left)
