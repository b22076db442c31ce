"""How a run is told when a command leaves it: its status, what failed, what it waits for, what to do next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from swamp_core.app.views import ReadyResult, RunResult, RunView, StandingView, StepView, WaitView
from swamp_core.app.workspace import Workspace
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.parts import Copy, Gap, Part, Say, Style
from swamp_core.cli.rendering.nested_failures import nested_failure_parts
from swamp_core.cli.rendering.sources import looked_in
from swamp_core.cli.rendering.waits import wait_parts

STDERR_LINES_MAX = 10
SHOWN_MAX = 10
"""Of many steps that failed, or that wait, how many are told one by one."""

STATUS_STYLES: dict[str, Style] = {
    "succeeded": "good",
    "suspended": "warn",
    "failed": "bad",
    "cancelled": "bad",
    "interrupted": "bad",
    "unreadable": "bad",
}


def run_exit_code(run: RunView) -> ExitCode:
    """0 for a run that succeeded, is suspended or goes on elsewhere; 1 for one that failed or was cancelled."""
    return ExitCode.FAILED if run.status in ("failed", "cancelled") else ExitCode.DONE


def run_parts(result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """The run as a command left it."""
    run = result.run
    yield Say(_status_sentence(run), STATUS_STYLES.get(run.status, "plain"))
    yield Copy(run.id)
    yield from _failures(run)
    yield from first_waits_parts(result.waits, run.workflow, workspace)
    yield from _next(result, workspace)
    for run_id in result.superseded:
        yield Gap()
        yield Say(
            f"An earlier run of {run.workflow} waited for an approval of the same; it was cancelled.", "dim"
        )
        yield Copy(run_id)
    for kept in result.kept:
        yield Gap()
        yield Say(f"An earlier run of {run.workflow} was left alone. {kept.reason}", "dim")
        yield Copy(kept.run_id)


def ready_parts(result: ReadyResult, workspace: Workspace) -> Iterator[Part]:
    """What became of the runs that were ready to go on."""
    if not result.runs and not result.refused:
        yield Say("No run is ready to go on.")
        yield from looked_in(workspace)
    for number, each in enumerate(result.runs):
        if number:
            yield Gap()
        yield from run_parts(each, workspace)
    for refused in result.refused:
        yield Gap()
        yield Say(f"A run was not resumed. {refused.message}", "bad")
        yield Copy(refused.run_id)


def cancelled_parts(result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """The run after a cancel: ended, or about to be ended by the process that drives it."""
    if result.run.status != "running":
        yield from run_parts(result, workspace)
        if result.not_cleaned_up:
            told = ", ".join(result.not_cleaned_up[:SHOWN_MAX])
            more = len(result.not_cleaned_up) - SHOWN_MAX
            steps = f"{told}, and {more} more" if more > 0 else told
            yield Say(
                f"No process drove the run, so what would have cleaned up was skipped: {steps}.", "warn"
            )
        return
    yield Say("The cancel is recorded. The process that drives the run ends it within seconds.", "good")
    yield Copy(result.run.id)
    yield Say("See how far it is with:")
    yield Copy(workspace.command("workflow", "history", "get", result.run.id))


def watched_parts(result: RunResult, workspace: Workspace) -> Iterator[Part]:
    """What a suspended run whose own waits were told waits for below it, and what to do next."""
    below = [wait for wait in result.waits if wait.run_id != result.run.id]
    yield from first_waits_parts(below, result.run.workflow, workspace)
    yield from _suspended_next(result, workspace)


def first_waits_parts(waits: Sequence[WaitView], workflow: str, workspace: Workspace) -> Iterator[Part]:
    """The waits of a run, of many the first, and how to see them all."""
    now = workspace.ambient.clock.now()
    for wait in waits[:SHOWN_MAX]:
        yield Gap()
        yield from wait_parts(wait, now)
    if len(waits) > SHOWN_MAX:
        yield Gap()
        yield Say(f"{len(waits) - SHOWN_MAX} more steps wait. All waits are listed by:")
        yield Copy(workspace.command("workflow", "waits", "--workflow", workflow))


def _failures(run: RunView) -> Iterator[Part]:
    failed = [
        step for job in run.jobs for step in job.steps if step.status == "failed" and not step.allowed_failure
    ]
    for step in failed[:SHOWN_MAX]:
        yield from _failure(step)
    if len(failed) > SHOWN_MAX:
        yield Say(f"{len(failed) - SHOWN_MAX} more steps failed.", "bad")


def _status_sentence(run: RunView) -> str:
    match run.status:
        case "suspended":
            return f"The run of {run.workflow} is suspended."
        case "running" if run.owner is not None:
            return (
                f"The run of {run.workflow} is being driven by process {run.owner.pid} on {run.owner.host}."
            )
        case "cancelled" | "interrupted":
            return f"The run of {run.workflow} was {run.status}."
        case "running":
            return f"The run of {run.workflow} is running."
        case ended:
            return f"The run of {run.workflow} {ended}."


def _failure(step: StepView) -> Iterator[Part]:
    code, message = (
        (step.error.code, step.error.message) if step.error else ("unknown", "No reason is known.")
    )
    yield Say(f"{step.job}/{step.name} failed ({code}): {message}", "bad")
    stderr = (step.outputs or {}).get("stderr")
    if isinstance(stderr, str):
        for line in stderr.rstrip().split("\n")[-STDERR_LINES_MAX:]:
            if line:
                yield Say(f"  {line}", "dim")


def _next(result: RunResult, workspace: Workspace) -> Iterator[Part]:
    run = result.run
    if result.parent and run.finished_at:
        yield from parent_parts(result.parent, workspace)
    if run.status == "suspended":
        yield from _suspended_next(result, workspace)
    elif run.status == "interrupted":
        yield Say("Its driver is gone. Recover it with:")
        yield Copy(workspace.command("workflow", "recover", run.workflow, "--run", run.id))
    elif run.status in ("failed", "running"):
        yield Say(
            "See what happened, and what the steps printed, with:"
            if run.status == "failed"
            else "See how far it is with:"
        )
        yield Copy(workspace.command("workflow", "history", "get", run.id))
    if run.status == "failed":
        yield from nested_failure_parts(run, workspace)
    if run.status == "failed" and not run.parent_run_id:
        given = ("--from", result.retry_from) if result.retry_from else ()
        yield Say(
            "An assert fails again on the same values. Run again the step that gave them with:"
            if given
            else "Run what failed again with:"
        )
        yield Copy(workspace.command("workflow", "resume", run.workflow, "--run", run.id, *given))


def parent_parts(parent: StandingView, workspace: Workspace) -> Iterator[Part]:
    """How the run that a run is nested in goes on, that one being over; nothing when it is over itself."""
    match parent.status:
        case "suspended" if parent.awaiting_resume:
            yield Say("The run that it is nested in goes on with:")
        case "suspended":
            yield Say("The run that it is nested in is held up by more than it. This is to be done first:")
            yield from commands_parts(parent.next_commands)
            yield Say("Then that run goes on with:")
            yield Copy(workspace.command("workflow", "resume", parent.run_id))
            return
        case "running":
            yield Say(
                "The run that it is nested in is being driven, and takes this up by itself. Follow it with:"
            )
        case "interrupted":
            yield Say("The run that it is nested in has lost its driver. Recover it with:")
        case _:
            return
    yield from commands_parts(parent.next_commands)


def commands_parts(commands: Sequence[str]) -> Iterator[Part]:
    """Commands to paste in order; of many the first."""
    for command in commands[:SHOWN_MAX]:
        yield Copy(command)
    if len(commands) > SHOWN_MAX:
        yield Say(f"{len(commands) - SHOWN_MAX} more are like these.", "dim")


def _suspended_next(result: RunResult, workspace: Workspace) -> Iterator[Part]:
    for nested in result.nested:
        yield Gap()
        yield Say(
            f"Its nested run of {nested.workflow} has lost its driver. Recover it with:"
            if nested.status == "interrupted"
            else f"Its nested run of {nested.workflow} is being driven. Follow it with:"
        )
        yield from commands_parts(nested.next_commands)
    is_held_up = bool(result.nested) or any(not wait.expired for wait in result.waits)
    if is_held_up or not result.waits:
        yield Gap()
        yield Say(
            "Then resume the run with:" if is_held_up else "Nothing is waited for. Resume the run with:"
        )
        yield Copy(workspace.command("workflow", "resume", result.run.id))
