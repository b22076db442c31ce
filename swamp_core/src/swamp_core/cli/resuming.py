"""The resume after a signal. The receipt is stored by then, so whatever becomes of the resume is told and no error."""

from __future__ import annotations

from swamp_core.app import resume as use_case
from swamp_core.app.refusals import Refused
from swamp_core.app.views import SignalResult
from swamp_core.cli.errors import failure_of
from swamp_core.cli.following import follow
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Say, paragraph
from swamp_core.store.errors import StoreError


def resumed(invocation: Invocation, result: SignalResult) -> tuple[SignalResult, bool]:
    """The result with the run that was resumed, if it was, and whether an interrupt ended that."""
    workspace = invocation.workspace
    try:
        after, interrupted = follow(
            invocation,
            lambda attention: use_case.resume(workspace, result.run_id, attention=attention),
        )
    except (Refused, StoreError) as error:
        failure = failure_of(error)
        if failure.code == "already_resumed":
            text = f"{failure.message} It applies the signal itself."
            invocation.output.warn(Say(text, "good"))
        else:
            text = f"The signal is accepted, but the run was not resumed. {failure.message}"
            invocation.output.warn(*paragraph(text, "warn"), *paragraph(failure.hint or ""))
        return result, False
    return result.model_copy(update={"run": after.run, "awaiting_resume": False}), interrupted
