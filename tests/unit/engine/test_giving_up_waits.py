"""A driver that is interrupted while it opens a wait gives the wait up, and cleans up after it at once."""

from __future__ import annotations

from pathlib import Path
from threading import Event as Flag
from typing import Any

from swamp_core.ambient import Ambient
from swamp_core.app.driving import Attention
from swamp_core.app.run import run_workflow
from swamp_core.app.workflows import Runnable
from swamp_core.app.workspace import Workspace
from swamp_core.engine.driver import CLEAN_UP_S
from swamp_core.models.definition import ShellModel
from swamp_core.records import keys
from swamp_core.run.events import CancelRequested, WaitPlanned
from swamp_core.store.memory import MemoryStore
from swamp_core.workflow.definition import Workflow

STEPS = [
    {"name": "wait", "task": {"type": "wait_for_signal", "timeout": 60}},
    {
        "name": "excuse",
        "task": {"type": "model_method", "modelIdOrName": "m", "methodName": "go"},
        "dependsOn": [{"step": "wait", "condition": {"type": "failed"}}],
    },
]


class Slow(MemoryStore):
    """A store that registers a wait only once it is told to."""

    def __init__(self, go: Flag) -> None:
        super().__init__()
        self.go = go

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if key.startswith(keys.WAITS):
            assert self.go.wait(CLEAN_UP_S)
        return super().put_if_absent(key, data)


def test_a_wait_that_is_given_up_while_it_is_opened_is_cleaned_up_after(tmp_path: Path) -> None:
    """The step that is there for the failure of the wait runs, and no registration is left."""
    go = Flag()
    store = Slow(go)
    attention = Attention()

    def observe(_run: Any, events: Any) -> None:
        if any(isinstance(event, WaitPlanned) for event in events):
            attention.interrupt()
        if any(isinstance(event, CancelRequested) for event in events):
            go.set()

    attention.observe = observe
    space = Workspace(tmp_path, Ambient(), opener=lambda _setting: store)
    workflow = Workflow.from_json({"name": "w", "jobs": [{"name": "j", "steps": STEPS}]})
    methods = {"go": {"run": "true"}}
    model = ShellModel.from_json({"name": "m", "type": "command/shell", "methods": methods})
    result = run_workflow(space, Runnable(workflow, {"m": model}), {}, attention=attention)
    steps = {step.name: step.status for step in result.run.jobs[0].steps}
    assert (result.run.status, steps) == ("cancelled", {"wait": "failed", "excuse": "succeeded"})
    assert not [key for key in store.records if key.startswith(keys.WAITS)]
