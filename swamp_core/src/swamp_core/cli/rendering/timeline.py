"""The timeline of a run: who did what and when, and how long each step took.

A forEach with many items must not hide the rest: what happens to its items is summed up, from one event that is not
about items to the next, and only the first of those that failed are told one by one. `--json` has every event.

What a wait was answered is told with its own time, also where the run has not taken it up: then no event tells of it.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime

from swamp_core.app.views import RunHistory, RunView
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Part, Say, Style, Table
from swamp_core.cli.rendering.nested_failures import nested_failure_parts
from swamp_core.cli.rendering.phrases import (
    ANSWERED,
    Event,
    error_of,
    event_text,
    failure_lines,
    is_allowed,
)
from swamp_core.cli.rendering.runs import STATUS_STYLES
from swamp_core.cli.times import exact_length, moment_in_utc
from swamp_core.records.base import instant_text

ITEMS_TOLD_MAX = 10
"""A forEach with more items than this is summed up."""
FAILURES_TOLD_MAX = 10
"""Of a forEach that is summed up, how many items that failed are told one by one."""

UNTOLD = frozenset({"lease_renewed"})
"""Events that only say that nothing happened."""
BEGINNINGS = frozenset({"step_started", "wait_planned", "child_planned"})
ENDS = {
    "step_succeeded": "succeeded",
    "step_failed": "failed",
    "step_skipped": "skipped",
    "wait_applied": "succeeded",
    "child_applied": "succeeded",
}

StepName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Row:
    """A line of the timeline, and the lines below it."""

    at: datetime
    took: str
    text: str
    style: Style = "plain"
    below: tuple[str, ...] = ()


def timeline_parts(history: RunHistory, workspace: Workspace) -> Iterator[Part]:
    """The run's status, and all that happened to it, oldest first."""
    run = history.run
    yield Say(f"The run of {run.workflow}: {run.status}.", STATUS_STYLES.get(run.status, "plain"))
    yield Copy(run.id)
    cells: list[tuple[str, str, str]] = []
    styles: list[Style] = []
    for row in rows(with_answers(history)):
        cells.append((moment_in_utc(row.at), row.took, row.text))
        cells += [("", "", f"  {line}") for line in row.below]
        styles += [row.style]
        styles += ["dim" for _ in row.below]
    yield Table(("when (UTC)", "took", "what"), tuple(cells), tuple(styles))
    yield from _next(history, workspace)


def _next(history: RunHistory, workspace: Workspace) -> Iterator[Part]:
    """What can be done about the run from here."""
    run = history.run
    yield from nested_failure_parts(run, workspace)
    if history.awaiting_resume:
        yield Say("It is ready to go on. Resume it with:")
        yield Copy(workspace.command("workflow", "resume", run.id))
    elif run.status == "suspended":
        yield Say("See what it waits for with:")
        yield Copy(_waits_command(run, workspace))
    elif run.status == "interrupted":
        yield Say("Its driver is gone. Recover it with:")
        yield Copy(workspace.command("workflow", "recover", run.workflow, "--run", run.id))


def _waits_command(run: RunView, workspace: Workspace) -> str:
    """What lists the waits of a suspended run. Gates, and the waits of nested runs, are only in its own answer."""
    kinds = {step.wait_kind for job in run.jobs for step in job.steps if step.status == "waiting"}
    if kinds <= {"signal"}:
        return workspace.command("workflow", "waits", "--workflow", run.workflow)
    return workspace.command("workflow", "watch", run.id, "--until", "suspended")


def with_answers(history: RunHistory) -> Iterator[Event]:
    """The events, and among them the answers that the run has not taken up; `rejected` ones say when that was."""
    ahead = deque(each for each in history.outcomes if each.use != "applied")
    rejected = {each.wait_id: each for each in history.outcomes if each.result == "rejected"}
    for number, event in enumerate(history.events):
        while number and ahead and ahead[0].at < _at(event):
            yield {"event": ANSWERED, **ahead.popleft().to_json()}
        decision = rejected.get(str(event.get("waitId"))) if event["event"] == "gate_rejected" else None
        yield event if decision is None else {**event, "decidedAt": instant_text(decision.at)}
    for each in ahead:
        yield {"event": ANSWERED, **each.to_json()}


def rows(events: Iterable[Event]) -> Iterator[Row]:
    """The events as lines, those of many items summed up."""
    story = _Story()
    block: list[Event] = []
    for event in events:
        if event["event"] in UNTOLD:
            continue
        if story.is_summed_up(event):
            block.append(event)
            continue
        yield from story.summed_up(block)
        block = []
        yield story.told(event)
    yield from story.summed_up(block)


@dataclass(slots=True)
class _Story:
    """What the events up to now say of the ones to come: when steps began, and whose items there are."""

    began: dict[StepName, datetime] = field(default_factory=dict)
    items: dict[StepName, StepName] = field(default_factory=dict)
    totals: dict[StepName, int] = field(default_factory=dict)
    over: defaultdict[StepName, set[str]] = field(default_factory=lambda: defaultdict(set))
    failures_told: Counter[StepName] = field(default_factory=Counter)

    def is_summed_up(self, event: Event) -> bool:
        """Whether the event is one of many about items."""
        return (event.get("job"), event.get("step")) in self.items

    def told(self, event: Event) -> Row:
        """The event as a line of its own."""
        at, took = _at(event), ""
        name = (event.get("job", ""), event.get("step", ""))
        match event["event"]:
            case "run_started":
                self.began["", ""] = at
            case "run_finished":
                took = self._length(("", ""), at)
            case "step_expanded":
                self._expand(name, [item["name"] for item in event["items"]])
            case "step_reset":
                self._forget(name)
            case kind if kind in BEGINNINGS:
                self.began[name] = at
            case kind if kind in ENDS:
                took = self._length(name, at)
        return Row(at, took, event_text(event), _style(event), tuple(failure_lines(event)))

    def summed_up(self, block: list[Event]) -> Iterator[Row]:
        """The events about items in a few lines: one for each forEach, and its first failures."""
        by_step: defaultdict[StepName, list[Event]] = defaultdict(list)
        for event in block:
            by_step[self.items[event["job"], event["step"]]].append(event)
        for name, events in by_step.items():
            counts = Counter(filter(None, map(_summary, events)))
            self._count(self.over[name], events)
            told = ", ".join(f"{count} {what}" for what, count in counts.items()) or "some planned"
            text = (
                f"{name[0]}/{name[1]}, items: {told}; {len(self.over[name])} of {self.totals[name]} are over"
            )
            took = exact_length(_at(events[-1]) - _at(events[0]))
            yield Row(_at(events[0]), took, text, "bad" if counts["failed"] else "plain")
            yield from self._failures(name, [event for event in events if error_of(event)])

    def _count(self, over: set[str], events: list[Event]) -> None:
        for event in events:
            if event["event"] in ENDS:
                over.add(event["step"])
            elif event["event"] == "step_reset":
                over.discard(event["step"])

    def _failures(self, name: StepName, failed: list[Event]) -> Iterator[Row]:
        room = FAILURES_TOLD_MAX - self.failures_told[name]
        self.failures_told[name] += len(failed)
        for event in failed[: max(0, room)]:
            yield Row(_at(event), "", event_text(event), _style(event), tuple(failure_lines(event)))

    def _expand(self, name: StepName, items: list[str]) -> None:
        if len(items) > ITEMS_TOLD_MAX:
            self.totals[name] = len(items)
            self.items.update(((name[0], item), name) for item in items)

    def _forget(self, name: StepName) -> None:
        self.began.pop(name, None)
        if self.totals.pop(name, None) is not None:
            self.items = {item: step for item, step in self.items.items() if step != name}
            self.over.pop(name, None)
            del self.failures_told[name]

    def _length(self, name: StepName, at: datetime) -> str:
        began = self.began.pop(name, None) if name[0] else self.began.get(name)
        return exact_length(at - began) if began else ""


def _at(event: Event) -> datetime:
    return datetime.fromisoformat(str(event["at"]))


def _summary(event: Event) -> str | None:
    """What the event says of an item, in a word."""
    if event["event"] == ANSWERED:
        return f"{event['result']} and {'not yet' if event['use'] == 'pending' else 'never'} taken up"
    if error_of(event):
        return "failed"
    if event["event"] in ENDS:
        return ENDS[event["event"]]
    begun = {"step_started": "started", "wait_opened": "waiting", "child_planned": "started"}
    return "reset" if event["event"] == "step_reset" else begun.get(event["event"])


def _style(event: Event) -> Style:
    if error_of(event):
        return "warn" if is_allowed(event) else "bad"
    return "warn" if event["event"] == ANSWERED and event["use"] == "unused" else "plain"
