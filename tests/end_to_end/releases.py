"""A repo with the workflow `release` of the README, whose steps leave a trace each time that they are done."""

from __future__ import annotations

import os
import signal
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SHIP, FIX = '{"verdict":"ship"}', '{"verdict":"fix"}'

WORKFLOW = """
jobs:
  - name: release
    steps:
      - name: review
        allowFailure: true
        task:
          type: wait_for_signal
          timeout: 24h
          schema: { properties: { verdict: { enum: [ship, fix, abandon] } }, required: [verdict] }
      - name: ship
        dependsOn: [review]
        guard: ${{ steps.review.outputs.payload.verdict != "ship" }}
        task: { type: model_method, modelIdOrName: release, methodName: count }
      - name: escalate
        dependsOn: [{ step: review, condition: { type: failed } }]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""

# `hold` writes its process ID to the fifo `started` and is done when it can read from the fifo `go`; see `Held`.
MODEL = r"""
type: command/shell
methods:
  count: { run: 'echo "$SWAMP_RUN_ID" >> "done-$SWAMP_STEP"' }
  hold: { run: 'echo $$ > started; read -r word < go; echo "$SWAMP_RUN_ID" >> "done-$SWAMP_STEP"' }
"""


@dataclass(frozen=True, slots=True)
class Release:
    """A repo with runs of `release`, and what is asked of it again and again. `ran` is the answer of its first run.

    Who acts is a process. Who only looks is one where a world is given, and else this process, which is faster.
    """

    swamp: Any
    ran: Any = None

    @property
    def directory(self) -> Path:
        """Where the repo is."""
        return self.swamp.directory

    @property
    def wait_id(self) -> str:
        """The wait of the first run."""
        return self.ran["waits"][0]["waitId"]

    @property
    def run_id(self) -> str:
        """The first run."""
        return self.ran["run"]["id"]

    def run(self, *options: str, **world: object) -> Any:
        """Start a run, and give its document."""
        return self.swamp.json("workflow", "run", "release", *options, **world)

    def waits(self, **world: object) -> Any:
        """The open waits."""
        return self._looked("workflow", "waits", **world)["waits"]

    def wait(self, **world: object) -> Any:
        """The only open wait."""
        (wait,) = self.waits(**world)
        return wait

    def signal(self, wait_id: str, payload: str = SHIP, *options: str, **world: Any) -> Any:
        """Signal a wait, and give the document; `code=3` gives the error."""
        document = self.swamp.json("workflow", "signal", wait_id, "--payload", payload, *options, **world)
        return document.get("error", document)

    def resume(self, *options: str, code: int | None = 0, **world: object) -> Any:
        """Resume the run, and give its document; `code=3` gives the error."""
        document = self.swamp.json("workflow", "resume", "release", *options, code=code, **world)
        return document.get("error", document)

    def history(self, run_id: str, **world: object) -> Any:
        """The run with its events."""
        return self._looked("workflow", "history", "get", run_id, **world)

    def done(self) -> dict[str, int]:
        """How often each step was carried out."""
        return {
            path.name.removeprefix("done-"): len(path.read_text().splitlines())
            for path in self.directory.glob("done-*")
        }

    def runs(self) -> Any:
        """The runs in the history, the newest first."""
        return self._looked("workflow", "history", "list")["runs"]

    def _looked(self, *args: str, **world: object) -> Any:
        if world:
            return self.swamp.json(*args, **world)
        looked = self.swamp.here(*args, "--json")
        assert looked.code == 0, looked
        return looked.json

    def copied(self, directory: Path) -> Release:
        """The same repo elsewhere, its store included."""
        return Release(self.swamp.copied(directory), self.ran)


def new_release(swamp: Any, workflow: str = WORKFLOW) -> Release:
    """A repo in which nothing has run."""
    swamp.write("workflows/release.yaml", workflow)
    swamp.write("models/release.yaml", MODEL)
    return Release(swamp)


def steps_of(run: Any) -> dict[str, Any]:
    """The steps of a run's document by their names."""
    return {step["name"]: step for job in run["jobs"] for step in job["steps"]}


def statuses(run: Any) -> dict[str, str]:
    """The status of each step of a run's document."""
    return {name: step["status"] for name, step in steps_of(run).items()}


def of(events: list[Any]) -> Counter[str]:
    """How many events of each kind there are."""
    return Counter(event["event"] for event in events)


class Held:
    """The fifos of a step `hold`: a test meets the step while it runs, and lets it go on. One step at a time."""

    def __init__(self, directory: Path) -> None:
        self._started, self._go = directory / "started", directory / "go"
        self.groups: list[int] = []
        for fifo in (self._started, self._go):
            os.mkfifo(fifo)

    def met(self) -> int:
        """Wait until the step runs; the ID of its process, which leads a group of its own."""
        self.groups.append(int(self._started.read_text()))
        return self.groups[-1]

    def goes_on(self) -> None:
        """Let the step end."""
        self._go.write_text("go\n")

    def end(self) -> None:
        """End a step that has outlived its driver."""
        for group in self.groups:
            with suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
