"""The command that retries a run that failed, from where that can help."""

from __future__ import annotations

from swamp_core.app.workspace import Workspace
from swamp_core.engine.plan import plan_of_run
from swamp_core.engine.readiness import all_steps
from swamp_core.engine.retry_points import retry_point
from swamp_core.run.state import RunState


def retry_command(workspace: Workspace, run: RunState) -> str:
    """The command that retries the run; it names a step when to run only what failed again could not help."""
    step = retry_from(run)
    words = () if step is None else ("--from", step)
    return workspace.command("workflow", "resume", run.workflow, "--run", run.run_id, *words)


def retry_from(run: RunState) -> str | None:
    """The step that a failed run is to be retried from, as `--from` takes it: STEP, or JOB/STEP of several."""
    point = retry_point(run)
    if point is None:
        return None
    job, step = point
    same = [ref for ref in all_steps(plan_of_run(run), run) if step in (ref[1], "/".join(ref))]
    return step if len(same) == 1 else f"{job}/{step}"
