"""The resume after a signal. The receipt is stored by then, so whatever becomes of the resume is told and no error."""

from __future__ import annotations

from swamp_core.app import resume as use_case
from swamp_core.app.refusals import Refused
from swamp_core.app.views import RunResult, SignalResult
from swamp_core.cli.errors import failure_of
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.following import follow
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Say, paragraph
from swamp_core.store.errors import StoreError


def resumed(invocation: Invocation, signalled: SignalResult) -> tuple[RunResult | None, ExitCode]:
    """The run that was resumed, or None, and the exit code: 0 but after an interrupt, for the receipt is stored."""
    workspace, output = invocation.workspace, invocation.output
    try:
        result, code = follow(
            invocation,
            lambda attention: use_case.resume(workspace, signalled.run_id, attention=attention),
            stays=False,
        )
    except (Refused, StoreError) as error:
        failure = failure_of(error)
        if failure.code == "already_resumed":
            output.warn(Say(f"{failure.message} It takes the signal up by itself.", "good"))
        elif failure.details.get("status") in ("succeeded", "failed", "cancelled"):
            output.warn(Say(failure.message))
        else:
            output.warn(
                *paragraph(f"The run was not resumed. {failure.message}", "warn"),
                *paragraph(failure.hint or ""),
                Say("Once that is done, resume the run with:"),
                Copy(signalled.resume_command),
            )
        return None, ExitCode.DONE
    return result, code if code is ExitCode.INTERRUPTED else ExitCode.DONE
