"""Following a run that this process drives: its steps are told on stderr, and an interrupt cancels it."""

from __future__ import annotations

from collections.abc import Callable

from swamp_core.app.driving import Attention
from swamp_core.app.views import RunResult
from swamp_core.cli.exit_codes import ExitCode
from swamp_core.cli.interrupting import interrupts
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.progress import PlainProgress, Progress
from swamp_core.cli.rendering.runs import run_exit_code, run_parts


def driven(invocation: Invocation, drive: Callable[[Attention], RunResult]) -> ExitCode:
    """Drive a run, answer with what became of it, and give the exit code."""
    result, interrupted = follow(invocation, drive)
    invocation.output.answer(result.to_json(), run_parts(result, invocation.workspace))
    return ExitCode.INTERRUPTED if interrupted else run_exit_code(result.run)


def follow(invocation: Invocation, drive: Callable[[Attention], RunResult]) -> tuple[RunResult, bool]:
    """Drive a run; what became of it, and whether an interrupt ended it."""
    with _progress(invocation) as progress:
        attention = Attention(observe=progress.observe)
        with interrupts(attention.interrupt) as interrupted:
            return drive(attention), interrupted.is_set()


def _progress(invocation: Invocation) -> Progress:
    output = invocation.output
    if output.err.is_terminal and not output.quiet:
        from swamp_core.cli.live import LiveProgress

        return LiveProgress(output, invocation.ambient.clock)
    return PlainProgress(output)
