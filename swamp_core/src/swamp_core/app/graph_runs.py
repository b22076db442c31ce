"""What the graph of a run reads: where its jobs, steps and items stand, and the nested runs within it, so many in all.

A nested run is one more journal to read, and a run may have thousands. Those of one run are read side by side.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from swamp_core.app.run_views import run_view, status_of_all
from swamp_core.app.seeing_views import GraphStatus
from swamp_core.app.views import StepView
from swamp_core.app.workspace import Workspace
from swamp_core.engine.reading import read_run
from swamp_core.journal.entry import Journal
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.state import RunState
from swamp_core.run.statuses import ShownStatus
from swamp_core.store.fan_out import fan_out
from swamp_core.workflow.definition import Workflow

ITEMS_SHOWN_MAX = 5
CHILDREN_READ_MAX = 20
"""Of a run, how many nested runs are looked at. Of those beyond, the graph has no more than the IDs."""


def shown_of(items: list[StepView]) -> list[StepView]:
    """Those of the items that are drawn one by one: all, or of many the first."""
    return items if len(items) <= ITEMS_SHOWN_MAX + 1 else items[:ITEMS_SHOWN_MAX]


class Standing:
    """Where the jobs and steps of a run stand."""

    def __init__(self, workspace: Workspace, run: RunState) -> None:
        view = run_view(run, workspace.ambient)
        self.run = run
        self.status = view.status
        self.jobs = {job.name: job.status for job in view.jobs}
        self._steps = {(step.job, step.name): step for job in view.jobs for step in job.steps}

    def step(self, job: str, name: str) -> tuple[GraphStatus, str | None]:
        """The status of a step, and its nested run. One that was expanded stands where its items do until all end."""
        shown = self._steps.get((job, name))
        if shown is not None:
            return shown.status, shown.child_run_id
        status = self.run.step(job, name).status
        if status == "expanded":
            return status_of_all(item.status for item in self.items(job, name)), None
        return status, None

    def items(self, job: str, name: str) -> list[StepView]:
        """The items of a step that was expanded."""
        expansion = self.run.step(job, name).expansion
        return [self._steps[job, item] for item in expansion.names] if expansion else []

    def nested_runs(self) -> Iterator[str]:
        """The nested runs of the steps and items that are drawn."""
        for job in Workflow.from_json(self.run.definition).jobs:
            for step in job.steps:
                found = [item.child_run_id for item in shown_of(self.items(job.name, step.name))]
                yield from filter(None, found or [self.step(job.name, step.name)[1]])


@dataclass(frozen=True, slots=True)
class NestedRuns:
    """The nested runs that were looked at, by ID."""

    workspace: Workspace
    found: dict[str, Standing | Absent | Unreadable] = field(default_factory=dict)

    def look_at(self, run_ids: Iterator[str]) -> None:
        """Read these as well, as long as they are not too many."""
        wanted = [each for each in run_ids if each not in self.found][: CHILDREN_READ_MAX - len(self.found)]
        readings = fan_out(lambda run_id: self.workspace.execute(read_run(run_id)), wanted)
        for run_id, reading in zip(wanted, readings, strict=True):
            self.found[run_id] = (
                Standing(self.workspace, reading.run) if isinstance(reading, Journal) else reading
            )

    def get(self, run_id: str) -> Standing | None:
        """The nested run, if it was looked at and can be read."""
        found = self.found.get(run_id)
        return found if isinstance(found, Standing) else None

    def place_of(self, run_id: str | None) -> tuple[str | None, ShownStatus | None]:
        """The ID of a nested run, unless it is planned and not begun; and where it stands, if that is known."""
        if run_id is None or isinstance(self.found.get(run_id), Absent):
            return None, None
        child = self.get(run_id)
        return run_id, child.status if child else None
