"""Trying a store before anything depends on it: the first run does the short form once, and leaves a note."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

from swamp_core.app.workspace import Workspace
from swamp_core.store.fan_out import fan_out
from swamp_core.store.probing import PROBES, Trial, left_probes, note_key, read_note, short_probe
from swamp_core.store.registry import describe

PROBE_AGE_MAX = timedelta(days=1)
"""A probe takes seconds; one that began longer ago than this was killed."""


OLDER_THAN_ANY_RUN = "36500d"
"""For the command that deletes what a probe has left, and no run with it."""


def prove_store(workspace: Workspace, trying: Callable[[Trial], None] = lambda _: None) -> None:
    """See to it that the store has shown that one create of a key wins, unless its service is known for it.

    A note says that it has. One that came here with the records of another service, or cannot be read, does not count.
    `trying` hears of what is tried before it is. Raises `ConditionalWritesUnsupported` when a second create wins, and
    other `StoreError`.
    """
    description = describe(workspace.chosen.setting)
    if description.is_proven:
        return
    service = str(description.options.get("endpoint_url") or description.store)
    if read_note(workspace.store, service) is None:
        trial = new_trial(workspace)
        trying(trial)
        note = short_probe(trial, service)
        workspace.store.put_if_absent(note_key(service), note.encode())


def new_trial(workspace: Workspace) -> Trial:
    """Something that is to be tried in the store, below a prefix that nothing else uses."""
    ambient = workspace.ambient
    prefix = f"{PROBES}{ambient.ids.run_id(ambient.clock.now())}/"
    name = describe(workspace.chosen.setting).store
    left = (
        f"Records may stay below `{prefix}` in {name}. Once they are a day old, this deletes them:\n"
        + workspace.command("run", "gc", "--older-than", OLDER_THAN_ANY_RUN)
    )
    return Trial(workspace.store, prefix, left)


def sweep_probes(workspace: Workspace, *, dry_run: bool) -> int:
    """Delete what killed probes have left; how many records. With `dry_run`, only count them."""
    before = workspace.ambient.ids.run_id(workspace.ambient.clock.now() - PROBE_AGE_MAX)
    left = left_probes(workspace.store, before)
    if not dry_run:
        fan_out(workspace.store.delete, left)
    return len(left)
