"""Runs that are written to a store event by event: a run of any shape, without driving it.

run = StoredRun(swamp, definition)
run.happened(events.StepStarted(at=NOW, job="a", step="b"))        # an entry for each call
swamp("workflow", "history", "get", run.run_id)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from swamp_core.app.workspace import open_workspace
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.entry import Journal
from swamp_core.journal.starting import start_run
from swamp_core.run.events import Event, Owner, Parent, RunStarted
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.recording import CommandLineInProcess

NOW = datetime(2026, 7, 27, 12, tzinfo=UTC)
OWNER = Owner(host="build-1", pid=1, token="t", lease_until=NOW + timedelta(seconds=90))
NOTHING = {"type": "model_method", "modelIdOrName": "release", "methodName": "build"}


def calling(name: str, **fields: Any) -> dict[str, Any]:
    """A step that calls a method, as a definition has it."""
    return {"name": name, "task": NOTHING, **fields}


def workflow(name: str, *jobs: dict[str, Any]) -> dict[str, Any]:
    """A definition."""
    return {"name": name, "jobs": list(jobs)}


@dataclass
class StoredRun:
    """A run in the store of a command line's repo."""

    swamp: CommandLineInProcess
    definition: dict[str, Any]
    inputs: dict[str, Any] = field(default_factory=dict)
    workflows: dict[str, Any] = field(default_factory=dict)
    parent: Parent | None = None
    seed: int = 1
    journal: Journal = field(init=False)

    def __post_init__(self) -> None:
        self._workspace = open_workspace(self.swamp.directory, environ={})
        self._ids = SeededIds(self.seed)
        model = {"name": "release", "type": "command/shell", "methods": {"build": {"run": "true"}}}
        event = RunStarted(
            at=NOW,
            run_id=self._ids.run_id(NOW),
            workflow=self.definition["name"],
            mark=1,
            definition=self.definition,
            workflows=self.workflows,
            models={"release": model},
            inputs=self.inputs,
            owner=OWNER,
            started_by="ada",
            parent=self.parent,
        )
        started = self._workspace.execute(start_run(event, entry_id=self._ids.random_id(), build="test"))
        assert isinstance(started, Appended)
        self.journal = started.journal

    @property
    def run_id(self) -> str:
        """The run's ID."""
        return self.journal.run_id

    def happened(self, *events: Event) -> StoredRun:
        """Append the events as one entry."""
        protocol = append(self.journal, list(events), entry_id=self._ids.random_id(), owner="t")
        appended = self._workspace.execute(protocol)
        assert isinstance(appended, Appended)
        self.journal = appended.journal
        return self
