"""Following a run that this process drives: its steps are told on stderr, and an interrupt cancels it.

A suspended run that is only waited for is left as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from swamp_core.app.driving import Attention
from swamp_core.app.views import RunResult
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.failures import Failure, interrupted_failure
from swamp_core.cli.interrupting import interrupts, leave
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Say
from swamp_core.cli.patience import awaited_once, told_once
from swamp_core.cli.progress import PlainProgress, Progress
from swamp_core.cli.rendering.runs import run_exit_code, run_parts
from swamp_core.cli.verbose import hearing
from swamp_core.run.events import Event
from swamp_core.run.state import RunState

Drive = Callable[[Attention], RunResult]
T = TypeVar("T")


def driven(invocation: Invocation, drive: Drive, *, stays: bool) -> ExitCode:
    """Drive a run, answer with what became of it, and give the exit code. `stays` is `--wait`."""
    result, code = follow(invocation, drive, stays=stays)
    invocation.output.answer(result.to_json(), run_parts(result, invocation.workspace))
    return code


def follow(invocation: Invocation, drive: Drive, *, stays: bool) -> tuple[RunResult, ExitCode]:
    """Drive a run; what became of it, and the exit code of that."""
    result, interrupted = attended(invocation, drive, stays=stays)
    if interrupted and result.run.finished_at is None:
        cancel = invocation.workspace.command("workflow", "cancel", result.run.id)
        invocation.output.warn(Say("The run is not cancelled. Cancel it with:", "warn"), Copy(cancel))
    if interrupted and result.run.status not in ("succeeded", "failed"):
        return result, ExitCode.INTERRUPTED
    return result, run_exit_code(result.run)


def attended(invocation: Invocation, drive: Callable[[Attention], T], *, stays: bool) -> tuple[T, bool]:
    """Drive one run or several while somebody looks on; what came of it, and whether they interrupted it."""
    with progress_of(invocation, stays=stays) as progress:

        def observe(run: RunState, events: list[Event]) -> None:
            if attention.is_nested(run):
                progress.observe_nested(run, events)
                return
            progress.observe(run, events)

        attention = Attention(
            observe=observe, trouble=told_once(invocation), awaited=awaited_once(invocation)
        )
        if invocation.options.verbose:
            attention.heard = hearing(invocation, progress.place)
        with interrupts(
            lambda: interrupt_sentence(attention),
            attention.interrupt,
            lambda: leave(invocation.output, left_failure(attention, invocation)),
        ) as interrupted:
            result = drive(attention)
    return result, interrupted.is_set()


def interrupt_sentence(attention: Attention) -> str:
    """What a first interrupt does, as the run stands when it comes."""
    match attention.phase, attention.seen:
        case "left", RunState(status="suspended"):
            return "Interrupted; the run stays suspended."
        case "left", RunState(status="running"):
            return "Interrupted; the run is left to the process that drives it."
        case "left", _:
            return "Interrupted; the run is over."
        case "taking_up", _:
            return "Interrupted; the run is cancelled if it is taken up."
    return "Interrupted; the run is being cancelled."


def left_failure(attention: Attention, invocation: Invocation) -> Failure:
    """What a second interrupt has left behind. Called in a signal handler: it reads nothing from the store."""
    command, run = invocation.workspace.command, attention.seen
    if run is None:
        history = command("workflow", "history", "list")
        return interrupted_failure(f"If a run was begun, it is shown as interrupted by:\n{history}")
    details = {"runId": run.run_id}
    if attention.phase == "driving":
        recover = command("workflow", "recover", run.workflow, "--run", run.run_id)
        cancel = command("workflow", "cancel", run.run_id)
        hint = f"The run is left interrupted. Take it up again with:\n{recover}\nOr end it with:\n{cancel}"
        return interrupted_failure(hint, details)
    history = command("workflow", "history", "get", run.run_id)
    return interrupted_failure(f"See how the run stands with:\n{history}", details)


def progress_of(invocation: Invocation, *, stays: bool) -> Progress:
    """Who looks on: a live view on a terminal, lines elsewhere and where no escape sequence is wanted."""
    output = invocation.output
    if output.err.is_terminal and output.colour and not output.quiet:
        from swamp_core.cli.live import LiveProgress

        return LiveProgress(invocation, stays=stays)
    return PlainProgress(invocation, stays=stays)
