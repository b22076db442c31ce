"""How the history is told: a table of runs, and the timeline of one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from swamp_core.app.views import HistoryResult, RunHistory, RunSummary
from swamp_core.app.workspace import Workspace
from swamp_core.cli.escaping import shortened
from swamp_core.cli.parts import Copy, Part, Say, Table
from swamp_core.cli.rendering.runs import STATUS_STYLES
from swamp_core.cli.times import exact_length, moment_in_utc

VALUE_CHARACTERS_MAX = 200
LOG_LINES_MAX = 20
UNTOLD = frozenset({"lease_renewed"})
"""Events that only say that nothing happened."""

Event = dict[str, Any]


def history_parts(
    result: HistoryResult, workspace: Workspace, *, workflow: str | None = None, status: str | None = None
) -> Iterator[Part]:
    """The runs as a table, and the commands for those that only wait for somebody."""
    if not result.runs:
        whose = f"No run of {workflow}" if workflow else "No run"
        yield Say(f"{whose} has the status {status}." if status else f"{whose} yet.")
        return
    yield Table(
        ("run", "workflow", "status", "started (UTC)", "took"),
        tuple((each.id, each.workflow, _status(each), *_times(each)) for each in result.runs),
        tuple(STATUS_STYLES.get(each.status, "plain") for each in result.runs),
    )
    for each in result.runs:
        if each.awaiting_resume:
            yield Say(f"A run of {each.workflow} is ready to go on. Resume it with:")
            yield Copy(workspace.command("workflow", "resume", each.id))
        elif each.status == "interrupted":
            yield Say(f"A run of {each.workflow} has lost its driver. Recover it with:")
            yield Copy(workspace.command("workflow", "recover", each.workflow, "--run", each.id))


def timeline_parts(history: RunHistory, workspace: Workspace) -> Iterator[Part]:
    """The run's status, and all that happened to it, oldest first."""
    run = history.run
    yield Say(f"The run of {run.workflow}: {run.status}.", STATUS_STYLES.get(run.status, "plain"))
    yield Copy(run.id)
    yield Table(
        ("when (UTC)", "what"),
        tuple(row for event in history.events if event["event"] not in UNTOLD for row in _rows(event)),
    )
    if run.status == "suspended":
        yield Say("See what it waits for with:")
        yield Copy(workspace.command("workflow", "waits", "--workflow", run.workflow))
    elif run.status == "interrupted":
        yield Say("Its driver is gone. Recover it with:")
        yield Copy(workspace.command("workflow", "recover", run.workflow, "--run", run.id))


def event_text(event: Event) -> str:
    """One event as a phrase that says who did what."""
    tell = _PHRASES.get(event["event"])
    return tell(event) if tell else event["event"].replace("_", " ")


def failure_lines(event: Event) -> Iterator[str]:
    """What a failed step left: the facts of its error, and the ends of what it printed."""
    error = event.get("error") or event.get("application", {}).get("error") or {}
    log = event.get("outputs") or {}
    for name, value in error.get("details", {}).items():
        if name not in log:
            yield f"{name}: {_value(value)}"
    for name in ("stderr", "stdout") if error else ():
        text = log.get(name)
        if isinstance(text, str) and text.strip():
            lines = text.rstrip().split("\n")
            cut = f" (the last {LOG_LINES_MAX} of {len(lines)} lines; --json has all)"
            yield f"{name}{cut if len(lines) > LOG_LINES_MAX else ''}:"
            yield from (f"  {shortened(line, VALUE_CHARACTERS_MAX)}" for line in lines[-LOG_LINES_MAX:])


def _rows(event: Event) -> Iterator[tuple[str, str]]:
    yield moment_in_utc(datetime.fromisoformat(str(event["at"]))), event_text(event)
    yield from (("", f"  {line}") for line in failure_lines(event))


def _status(run: RunSummary) -> str:
    return "suspended, ready to resume" if run.awaiting_resume else run.status


def _times(run: RunSummary) -> tuple[str, str]:
    if run.started_at is None:
        return "-", "-"
    took = exact_length(run.finished_at - run.started_at) if run.finished_at else "-"
    return moment_in_utc(run.started_at), took


def _step(event: Event) -> str:
    return f"{event['job']}/{event['step']}"


def _value(value: object) -> str:
    return shortened(json.dumps(value, ensure_ascii=False), VALUE_CHARACTERS_MAX)


def _owner(event: Event) -> str:
    return f"process {event['owner']['pid']} on {event['owner']['host']}"


def _failed(event: Event, error: Event) -> str:
    allowed = ", which is allowed" if event.get("allowed") else ""
    return f"{_step(event)} failed{allowed} ({error['code']}): {error['message']}"


def _applied(event: Event) -> str:
    application = event["application"]
    if application["result"] == "failed":
        return _failed(event | {"allowed": application["allowed"]}, application["error"])
    submitted_by = application["receipt"]["submittedBy"]
    return f"{_step(event)} took the signal of {submitted_by}: {_value(application['payload'])}"


def _reason(event: Event) -> str:
    return f": {event['reason']}" if event.get("reason") else ""


_PHRASES: dict[str, Callable[[Event], str]] = {
    "run_started": lambda e: (
        f"{e['startedBy']} started the run as {_owner(e)}, with inputs {_value(e['inputs'])}"
    ),
    "step_started": lambda e: f"{_step(e)} started",
    "step_succeeded": lambda e: f"{_step(e)} succeeded: {_value(e['outputs'])}",
    "step_failed": lambda e: _failed(e, e["error"]),
    "step_skipped": lambda e: f"{_step(e)} was skipped: {e['reason']}",
    "step_reset": lambda e: f"{_step(e)} was reset: {e['reason']}",
    "wait_planned": lambda e: f"{_step(e)} planned the wait {e['waitId']}, until {e['deadline']}",
    "wait_opened": lambda e: f"{_step(e)} opened the wait {e['waitId']}",
    "wait_applied": _applied,
    "run_suspended": lambda _: "the run was suspended",
    "run_resumed": lambda e: f"{_owner(e)} resumed the run",
    "cancel_requested": lambda e: f"{e['by']} asked for the end of the run{_reason(e)}",
    "run_finished": lambda e: f"the run ended: {e['status']}",
}
