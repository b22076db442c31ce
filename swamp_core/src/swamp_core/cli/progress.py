"""What happens to a run while it is driven, as sentences: one for each step that starts or ends."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol, Self

from swamp_core.cli.output import Output
from swamp_core.cli.parts import Say
from swamp_core.cli.times import exact_length
from swamp_core.run.events import (
    CancelRequested,
    Event,
    FailureApplied,
    SignalApplied,
    StepFailed,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
)
from swamp_core.run.state import RunState


class Progress(Protocol):
    """Somebody who looks on while a run is driven."""

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See what was committed, and the run after it."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...


class PlainProgress:
    """Progress as lines."""

    def __init__(self, output: Output) -> None:
        self._output = output

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def observe(self, _run: RunState, events: list[Event]) -> None:
        """See `Progress.observe`."""
        self._output.note(*sentences(_run, events))


def sentences(run: RunState, events: Sequence[Event]) -> list[Say]:
    """A sentence for each event that a person who looks on wants to know of."""
    return [said for event in events if (said := _sentence(run, event)) is not None]


def step_name(job: str, step: str) -> str:
    """How a step is called in a sentence."""
    return f"{job}/{step}"


def _sentence(run: RunState, event: Event) -> Say | None:
    match event:
        case StepStarted():
            return Say(f"{step_name(event.job, event.step)} started.", "dim")
        case StepSucceeded():
            return Say(f"{step_name(event.job, event.step)} succeeded{_after(run, event)}.", "good")
        case StepFailed():
            allowed = ", which is allowed" if event.allowed else ""
            return Say(
                f"{step_name(event.job, event.step)} failed{_after(run, event)}{allowed}: {event.error.message}",
                "warn" if event.allowed else "bad",
            )
        case StepSkipped():
            return Say(f"{step_name(event.job, event.step)} was skipped: {event.reason}", "dim")
        case WaitOpened():
            return Say(f"{step_name(event.job, event.step)} waits for a signal.", "warn")
        case WaitApplied(application=SignalApplied(receipt=receipt)):
            return Say(
                f"{step_name(event.job, event.step)} has its signal, submitted by {receipt.submitted_by}.",
                "good",
            )
        case WaitApplied(application=FailureApplied(error=error, allowed=allowed)):
            return Say(
                f"{step_name(event.job, event.step)} failed{', which is allowed' if allowed else ''}: {error.message}",
                "warn" if allowed else "bad",
            )
        case CancelRequested():
            return Say(f"{event.by} asked for the end of the run.", "warn")
        case _:
            return None


def _after(run: RunState, event: StepSucceeded | StepFailed) -> str:
    started_at: datetime | None = run.step(event.job, event.step).started_at
    return f" after {exact_length(event.at - started_at)}" if started_at else ""
