"""How the decision of a gate is told, with what becomes of its run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from swamp_core.app.gates import Gate
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say
from swamp_core.cli.rendering.runs import run_parts


def decision_parts(
    gate: Gate, decided: Literal["approved", "rejected"], workspace: Workspace
) -> Iterator[Part]:
    """What was decided, and by whom."""
    name = f"{gate.wait.job}/{gate.wait.step} of {gate.run.workflow}"
    yield Say(f"{name} is {decided}.", "good" if decided == "approved" else "bad")
    yield Facts((("wait", gate.wait_id), ("run", gate.run.run_id), ("by", workspace.ambient.user)))


def approved_parts(gate: Gate, result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """The approval, what else the run waits for, and the command that makes it go on."""
    yield from decision_parts(gate, "approved", workspace)
    run = result.run
    if run.status == "running":
        yield Say("The process that drives the run takes it up by itself. See how far it is with:")
        yield Copy(workspace.command("workflow", "history", "get", run.id))
        return
    yield Gap()
    yield from run_parts(result, workspace)
    if run.parent_run_id is not None and run.finished_at is None:
        yield Gap()
        yield Say("It is the work of a step of another run, which goes on when that is resumed after it:")
        yield Copy(workspace.command("workflow", "resume", run.parent_run_id))


def rejected_parts(gate: Gate, result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """The rejection, and the run that it ended or is about to end."""
    yield from decision_parts(gate, "rejected", workspace)
    if result.run.status == "running":
        yield Say("The process that drives the run ends it within seconds. See how far it is with:")
        yield Copy(workspace.command("workflow", "history", "get", result.run.id))
        return
    yield Gap()
    yield from run_parts(result, workspace)
