"""The resume after a signal or an approval. That is stored by then, so what becomes of the resume is no error."""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.app import resume as use_case
from swamp_core.app.refusals import Refused
from swamp_core.app.views import RunResult
from swamp_core.cli.errors import failure_of
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.following import follow
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Say, paragraph
from swamp_core.store.errors import StoreError


@dataclass(frozen=True, slots=True)
class Resumption:
    """What became of the resume: the outermost run that was resumed, and whether one waits for somebody to do so.

    The exit code is 0 but after an interrupt, for what was asked first is done.
    """

    run: RunResult | None
    awaited: bool
    exit_code: ExitCode = ExitCode.DONE


def resume_after(invocation: Invocation, run_id: str) -> Resumption:
    """Resume the run of an accepted signal or an approved gate, and tell why if that cannot be."""
    workspace, output = invocation.workspace, invocation.output
    try:
        result, code = follow(
            invocation,
            lambda attention: use_case.resume(workspace, run_id, attention=attention),
            stays=False,
        )
    except (Refused, StoreError) as error:
        failure = failure_of(error)
        if failure.code == "already_resumed":
            output.warn(Say(f"{failure.message} It takes it up by itself.", "good"))
        elif failure.details.get("status") in ("succeeded", "failed", "cancelled"):
            output.warn(Say(failure.message))
            return Resumption(None, awaited=False)
        else:
            output.warn(
                *paragraph(f"The run was not resumed. {failure.message}", "warn"),
                *paragraph(failure.hint or ""),
                Say("Once that is done, resume the run with:"),
                Copy(workspace.command("workflow", "resume", run_id)),
            )
        return Resumption(None, awaited=True)
    interrupted = code is ExitCode.INTERRUPTED
    parent_run_id, can_go_on = (
        result.run.parent_run_id,
        result.parent is None or result.parent.awaiting_resume,
    )
    if parent_run_id and can_go_on and result.run.finished_at and not interrupted:
        above = resume_after(invocation, parent_run_id)  # It adopts what its nested run came to.
        if above.run is not None:
            return above
    return Resumption(result, awaited=False, exit_code=code if interrupted else ExitCode.DONE)
