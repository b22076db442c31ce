"""Resuming every suspended run that can go on: for a timer that looks after what people and scripts have settled."""

from __future__ import annotations

from swamp_core.app.driving import Attention
from swamp_core.app.refusals import Refused
from swamp_core.app.resume import resume
from swamp_core.app.views import NotResumedView, ReadyResult, RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.reading import read_run
from swamp_core.engine.standing import look_at
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol

OVERTAKEN = frozenset({"already_resumed", "not_resumable", "unknown_run"})
"""Refusals that say no more than that somebody else was faster."""


def resume_ready(workspace: Workspace, attention: Attention) -> ReadyResult:
    """Resume, one after another, every suspended run whose waits are all settled, nested ones with their root.

    A run that another process takes up first is left to it. What keeps one run from going on does not keep the others.
    Raises `StoreError`.
    """
    runs: list[RunResult] = []
    refused: list[NotResumedView] = []
    listed = workspace.store.list(keys.OPEN_RUNS)
    for run_id in dict.fromkeys(key.split("/")[2] for key in listed if key.count("/") == 3):
        if not attention.goes_on():
            break
        if not workspace.execute(_is_ready(run_id, workspace)):
            continue
        try:
            runs.append(resume(workspace, run_id, attention=attention))
        except Refused as error:
            if error.code not in OVERTAKEN:
                refused.append(NotResumedView(run_id=run_id, code=error.code, message=error.message))
    return ReadyResult(runs=runs, refused=refused)


def _is_ready(run_id: str, workspace: Workspace) -> Protocol[bool]:
    run = yield from _suspended(run_id)
    if run is None or (run.parent and (yield from _suspended(run.parent.run_id))):
        return False
    return (yield from look_at(run, workspace.ambient.clock.now())).is_resumable


def _suspended(run_id: str) -> Protocol[RunState | None]:
    journal = yield from read_run(run_id)
    return journal.run if isinstance(journal, Journal) and journal.run.status == "suspended" else None
