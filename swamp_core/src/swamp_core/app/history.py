"""The runs that there were: a list, and one of them with all its events and what its waits were answered."""

from __future__ import annotations

from swamp_core.app.finding import unknown_run, unreadable_run
from swamp_core.app.outcomes import outcome_views
from swamp_core.app.run_views import run_view
from swamp_core.app.views import HistoryResult, RunHistory, RunSummary
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import checked, read_run
from swamp_core.engine.standing import look_at
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import folded, read_entries
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import Event, Json, RunResumed, RunRetried
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import fan_out
from swamp_core.store.keys import is_segment

LIMIT = 20


def list_runs(
    workspace: Workspace, *, workflow: str | None = None, status: str | None = None, limit: int = LIMIT
) -> HistoryResult:
    """The newest runs first, at most `limit`, of one workflow or of all, of one status or of any.

    Run IDs are in the order of their start, so the index alone says which are the newest; only those are read.
    """
    if workflow is not None and not is_segment(workflow):
        return HistoryResult(runs=[])
    prefix = f"{keys.WORKFLOW_RUNS}{workflow}/" if workflow else keys.WORKFLOW_RUNS
    named = filter(None, map(keys.run_indexed, workspace.store.list(prefix)))
    indexed = sorted(named, key=lambda each: each[1], reverse=True)
    runs: list[RunSummary] = []
    while indexed and len(runs) < limit:
        page, indexed = indexed[:limit], indexed[limit:]
        summaries = fan_out(lambda named: _summary(workspace, *named), page)
        runs += [each for each in summaries if each is not None and status in (None, each.status)]
    return HistoryResult(runs=runs[:limit])


def get_run(workspace: Workspace, run_id: str) -> RunHistory:
    """A run by its whole ID, with all that happened to it. Raises `Refused` (`unknown_run`, `unreadable`)."""
    entries = workspace.execute(read_entries(run_id))
    if isinstance(entries, Absent):
        raise unknown_run(workspace, run_id)
    journal = folded(entries) if isinstance(entries, list) else entries
    journal = checked(journal) if isinstance(journal, Journal) else journal
    if isinstance(journal, Unreadable):
        raise unreadable_run(workspace, run_id, journal)
    assert isinstance(entries, list)
    events = [event for entry in entries for event in entry.events]
    return RunHistory(
        run=run_view(journal.run, workspace.ambient),
        events=[_event_json(event) for event in events],
        outcomes=outcome_views(workspace, journal.run, events),
        awaiting_resume=_awaits_resume(workspace, journal.run),
    )


def _awaits_resume(workspace: Workspace, run: RunState) -> bool:
    now = workspace.ambient.clock.now()
    return run.status == "suspended" and workspace.execute(look_at(run, now)).is_resumable


def _event_json(event: Event) -> Json:
    """The event as it is shown: inputs that were given to a run that had begun are named, never told."""
    shown = event.model_dump(mode="json")
    if isinstance(event, RunResumed | RunRetried):
        shown["inputs"] = list(event.inputs)
    return shown


def _summary(workspace: Workspace, workflow: str, run_id: str) -> RunSummary | None:
    journal = workspace.execute(read_run(run_id))
    match journal:
        case Absent():
            return None  # A start or a removal that is under way, or was cut off.
        case Unreadable():
            return RunSummary(
                id=run_id,
                workflow=workflow,
                status="unreadable",
                started_at=None,
                finished_at=None,
                inputs=None,
                parent_run_id=None,
                awaiting_resume=False,
            )
        case Journal(run=run):
            now = workspace.ambient.clock.now()
            return RunSummary(
                id=run_id,
                workflow=run.workflow,
                status=shown_status(run, now, workspace.ambient.host),
                started_at=run.started_at,
                finished_at=run.finished_at,
                inputs=run.inputs,
                parent_run_id=run.parent.run_id if run.parent else None,
                awaiting_resume=_awaits_resume(workspace, run),
            )
