"""What happens to a run while it is driven, as sentences: one for each step that starts or ends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Protocol, Self

from swamp_core.app.run_views import run_wait_views
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Part, Say
from swamp_core.cli.rendering.waits import wait_parts
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

    def __init__(self, invocation: Invocation, *, stays: bool) -> None:
        self._output = invocation.output
        self._teller = Teller(invocation, stays=stays)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe`."""
        self._output.note(*self._teller.parts(run, events))


class Teller:
    """What is told of a run: its ID first, then its events.

    When the process stays (`--wait`), it is also told how to signal what the run is suspended for, each wait once:
    without `--wait` the command's answer says so.
    """

    def __init__(self, invocation: Invocation, *, stays: bool) -> None:
        self._invocation = invocation
        self._stays = stays
        self._begun = False
        self._told_waits: set[str] = set()

    def parts(self, run: RunState, events: Sequence[Event]) -> Iterator[Part]:
        """What there is to tell about the events."""
        if not self._begun:
            self._begun = True
            yield Say(f"This is a run of {run.workflow}:", "dim")
            yield Copy(run.run_id)
        yield from sentences(run, events)
        if self._stays and run.status == "suspended":
            workspace = self._invocation.workspace
            for wait in run_wait_views(run, workspace):
                if wait.wait_id not in self._told_waits:
                    self._told_waits.add(wait.wait_id)
                    yield from wait_parts(wait, workspace.ambient.clock.now())


def sentences(run: RunState, events: Sequence[Event]) -> list[Say]:
    """A sentence for each event that a person who looks on wants to know of."""
    return [said for event in events if (said := _sentence(run, event)) is not None]


def _sentence(run: RunState, event: Event) -> Say | None:
    match event:
        case StepStarted(job=job, step=step):
            return Say(f"{job}/{step} started.", "dim")
        case StepSucceeded(job=job, step=step):
            return Say(f"{job}/{step} succeeded{_after(run, event)}.", "good")
        case StepFailed(job=job, step=step, error=error, allowed=allowed):
            return _failed(f"{job}/{step}", _after(run, event), allowed, error.message)
        case StepSkipped(job=job, step=step, reason=reason):
            return Say(f"{job}/{step} was skipped: {reason}", "dim")
        case WaitOpened(job=job, step=step):
            return Say(f"{job}/{step} waits for a signal.", "warn")
        case WaitApplied(job=job, step=step, application=SignalApplied(receipt=receipt)):
            return Say(f"{job}/{step} has its signal, submitted by {receipt.submitted_by}.", "good")
        case WaitApplied(job=job, step=step, application=FailureApplied(error=error, allowed=allowed)):
            return _failed(f"{job}/{step}", "", allowed, error.message)
        case CancelRequested(by=by):
            return Say(f"{by} asked for the end of the run.", "warn")
        case _:
            return None


def _failed(step: str, after: str, allowed: bool, message: str) -> Say:
    if allowed:
        return Say(f"{step} failed{after}, which is allowed: {message}", "warn")
    return Say(f"{step} failed{after}: {message}", "bad")


def _after(run: RunState, event: StepSucceeded | StepFailed) -> str:
    started_at: datetime | None = run.step(event.job, event.step).started_at
    return f" after {exact_length(event.at - started_at)}" if started_at else ""
