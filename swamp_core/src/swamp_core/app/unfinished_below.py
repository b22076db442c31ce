"""The unfinished runs that are nested in a run, however deep."""

from __future__ import annotations

from collections.abc import Iterator

from swamp_core.app.workspace import Workspace
from swamp_core.engine.reading import read_run
from swamp_core.journal.entry import Journal
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import fan_out


def unfinished_below(workspace: Workspace, run: RunState) -> Iterator[RunState]:
    """The unfinished nested runs that the run waits for, each followed by those that it waits for itself."""
    children = list(run.waiting_children())
    for journal in fan_out(lambda run_id: workspace.execute(read_run(run_id)), children):
        if isinstance(journal, Journal) and not journal.run.ended:
            yield journal.run
            yield from unfinished_below(workspace, journal.run)
