"""How the decision of a gate is told, with what becomes of its run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from swamp_core.app.gates import Gate
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.parts import Copy, Facts, Gap, Part, Say
from swamp_core.cli.rendering.runs import parent_parts, run_parts


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
    above = list(parent_parts(result.parent, workspace)) if result.parent and run.finished_at is None else []
    if above:
        yield Gap()
        yield Say("When it is over:")
        yield from above


def rejected_parts(gate: Gate, result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """The rejection, and the run that it ended or is about to end."""
    yield from decision_parts(gate, "rejected", workspace)
    if result.run.status == "running":
        yield Say("The process that drives the run ends it within seconds. See how far it is with:")
        yield Copy(workspace.command("workflow", "history", "get", result.run.id))
        return
    yield Gap()
    yield from run_parts(result, workspace)
