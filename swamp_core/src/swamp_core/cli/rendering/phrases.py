"""One event of a run, as JSON has it, as a phrase that says who did what.

Inputs that were given when a run was resumed or retried are told by their names alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

from swamp_core.cli.escaping import shortened
from swamp_core.cli.times import moment

VALUE_CHARACTERS_MAX = 200
LOG_LINES_MAX = 20

Event = dict[str, Any]

AT_ONCE = timedelta(minutes=1)
"""What took less than this since a decision is told without the decision's own time."""
ANSWERED = "answered"
"""What stands in the place of an event for an answer to a wait that the run has not taken up."""


def event_text(event: Event) -> str:
    """The event as a phrase."""
    tell = _PHRASES.get(event["event"])
    return tell(event) if tell else event["event"].replace("_", " ")


def error_of(event: Event) -> Event | None:
    """Why the step failed, if the event is that one did."""
    error: Event | None = event.get("error") or event.get("application", {}).get("error")
    return error


def is_allowed(event: Event) -> bool:
    """Whether a step that failed was allowed to."""
    return bool(event.get("allowed") or event.get("application", {}).get("allowed"))


def failure_lines(event: Event) -> Iterator[str]:
    """What a failed step left: the facts of its error, and the ends of what it printed."""
    error = error_of(event) or {}
    log = event.get("outputs") or {}
    for name, value in error.get("details", {}).items():
        if name in log or name == "cause":  # Of the cause the message tells.
            continue
        if isinstance(value, str) and "\n" in value:
            yield from _last_lines(name, value)
        else:
            yield f"{name}: {value_text(value)}"
    for name in ("stderr", "stdout") if error else ():
        text = log.get(name)
        if isinstance(text, str) and text.strip():
            yield from _last_lines(name, text)


def _last_lines(name: str, text: str) -> Iterator[str]:
    """The end of a text that has lines, such as a traceback, under its name."""
    lines = text.rstrip().split("\n")
    cut = f" (the last {LOG_LINES_MAX} of {len(lines)} lines; `history logs` has all)"
    yield f"{name}{cut if len(lines) > LOG_LINES_MAX else ''}:"
    yield from (f"  {shortened(line.expandtabs(), VALUE_CHARACTERS_MAX)}" for line in lines[-LOG_LINES_MAX:])


def value_text(value: object) -> str:
    """The beginning of a JSON value."""
    return shortened(json.dumps(value, ensure_ascii=False), VALUE_CHARACTERS_MAX)


def step_text(event: Event) -> str:
    """The step of an event: `job/step`."""
    return f"{event['job']}/{event['step']}"


def _owner(event: Event) -> str:
    return f"process {event['owner']['pid']} on {event['owner']['host']}"


def _failed(event: Event, error: Event) -> str:
    allowed = ", which is allowed" if is_allowed(event) else ""
    return f"{step_text(event)} failed{allowed} ({error['code']}): {error['message']}"


def _started(event: Event) -> str:
    parent = event.get("parent")
    whose = f" for {step_text(parent)} of the run {parent['runId']}" if parent else ""
    inputs = value_text(event["inputs"])
    return f"{event['startedBy']} started the run{whose} as {_owner(event)}, with inputs {inputs}"


def _expanded(event: Event) -> str:
    count = len(event["items"])
    if not count:
        return f"{step_text(event)} has no items"
    return f"{step_text(event)} became {'a step' if count == 1 else f'{count} steps'}, one for each item"


def _planned(event: Event) -> str:
    what = "gate" if event["waitKind"] == "approval" else "wait"
    until = f", until {event['deadline']}" if event["deadline"] else ""
    return f"{step_text(event)} planned the {what} {event['waitId']}{until}"


def _applied(event: Event) -> str:
    application = event["application"]
    match application["result"]:
        case "failed" | "rejected":
            return _failed(event, application["error"])
        case "approved":
            decision = application["decision"]
            when = _moment(decision["at"])
            return f"{step_text(event)} was approved by {decision['by']} at {when}{_reason(decision)}"
    receipt = application["receipt"]
    whose = f"{receipt['submittedBy']}, received at {_moment(receipt['receivedAt'])}"
    return f"{step_text(event)} took the signal of {whose}: {value_text(application['payload'])}"


def _answered(event: Event) -> str:
    """An answer to a wait that no event of the run tells of, as `outcomes` has it."""
    match event["result"]:
        case "accepted":
            what = f"signalled {step_text(event)}: {value_text(event['payload'])}"
        case result:
            what = f"{result} {step_text(event)}{_reason(event)}"
    left = (
        "not taken up yet"
        if event["use"] == "pending"
        else "never taken up: the run or the step was over first"
    )
    return f"{event['by']} {what} ({left})"


def _child_applied(event: Event) -> str:
    if event["error"]:
        return _failed(event, event["error"])
    outputs = value_text(event["outputs"])
    return f"{step_text(event)} has the outputs of the run {event['childRunId']}: {outputs}"


def _rejected(event: Event) -> str:
    """`decidedAt` is when that was, where it is known; it is told when the run was ended for it much later."""
    decided = event.get("decidedAt") or event["at"]
    later = datetime.fromisoformat(event["at"]) - datetime.fromisoformat(decided)
    when = f" at {_moment(decided)}" if later >= AT_ONCE else ""
    return f"{event['by']} rejected {step_text(event)}{when}{_reason(event)}"


def _taken_over(event: Event, verb: str) -> str:
    inputs = f", with other inputs: {', '.join(event['inputs'])}" if event["inputs"] else ""
    if not event["by"]:
        return f"{_owner(event)} {verb} the run{inputs}"
    return f"{event['by']} {verb} the run as {_owner(event)}{inputs}"


def _moment(instant: str) -> str:
    return moment(datetime.fromisoformat(instant))


def _reason(event: Event) -> str:
    return f": {event['reason']}" if event.get("reason") else ""


_PHRASES: dict[str, Callable[[Event], str]] = {
    "run_started": _started,
    "step_expanded": _expanded,
    "step_started": lambda e: f"{step_text(e)} started",
    "step_succeeded": lambda e: f"{step_text(e)} succeeded: {value_text(e['outputs'])}",
    "step_failed": lambda e: _failed(e, e["error"]),
    "step_skipped": lambda e: f"{step_text(e)} was skipped: {e['reason']}",
    "step_reset": lambda e: f"{step_text(e)} was reset: {e['reason']}",
    "wait_planned": _planned,
    "wait_opened": lambda e: f"{step_text(e)} opened the wait {e['waitId']}",
    "wait_applied": _applied,
    ANSWERED: _answered,
    "child_planned": lambda e: f"{step_text(e)} runs {e['workflow']} as the run {e['childRunId']}",
    "child_applied": _child_applied,
    "run_suspended": lambda _: "the run was suspended",
    "run_resumed": lambda e: _taken_over(e, "resumed"),
    "run_retried": lambda e: _taken_over(e, "retried"),
    "retry_abandoned": lambda _: "a retry of the run was given up before it began",
    "cancel_requested": lambda e: f"{e['by']} asked for the end of the run{_reason(e)}",
    "gate_rejected": _rejected,
    "run_finished": lambda e: f"the run ended: {e['status']}",
}
