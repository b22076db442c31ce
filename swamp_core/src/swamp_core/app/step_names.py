"""From what a person types to a step of a run: its name, that of an item, or JOB/STEP."""

from __future__ import annotations

from collections.abc import Callable

from swamp_core.app.refusals import Refused
from swamp_core.engine.plan import StepRef, plan_of_run
from swamp_core.engine.readiness import all_steps
from swamp_core.run.state import RunState
from swamp_core.workflow.problems import did_you_mean, quoted


def find_step(run: RunState, text: str, again: Callable[[str], str]) -> StepRef:
    """The one step, or item of a step, that the text names; `again` gives the command with another name in its place.

    Raises `Refused` (`unknown_step`, `ambiguous_step`).
    """
    refs = list(all_steps(plan_of_run(run), run))
    found = [ref for ref in refs if text in (ref[1], "/".join(ref))]
    if len(found) == 1:
        return found[0]
    if not found:
        known = ["/".join(ref) if "/" in text else ref[1] for ref in refs]
        raise Refused(
            "unknown_step",
            f"The run {run.run_id} has no step {quoted(text)}{did_you_mean(text, known)}",
            details={"runId": run.run_id, "step": text},
        )
    commands = "\n".join(again(f"{job}/{name}") for job, name in found)
    raise Refused(
        "ambiguous_step",
        f"The run {run.run_id} has a step {quoted(text)} in several jobs.",
        hint=f"Say which:\n{commands}",
        details={"runId": run.run_id, "steps": [{"job": job, "step": name} for job, name in found]},
    )
