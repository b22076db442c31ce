"""The live view of a run on a terminal: what has ended scrolls by, what goes on stands below with its time.

The part that is redrawn is never higher than a few lines, however many steps run at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from rich.live import Live
from rich.text import Text

from swamp_core.cli.escaping import printable
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.progress import Teller
from swamp_core.cli.times import exact_length, until
from swamp_core.run.events import Event, StepStarted
from swamp_core.run.state import RunState

LINES_MAX = 8
REFRESHES_PER_SECOND = 4


@dataclass(frozen=True, slots=True)
class Going:
    """A step that is running, since an instant, or waiting, until one if it has a deadline."""

    job: str
    step: str
    instant: datetime | None
    waiting: bool = False


class LiveProgress:
    """Progress on a terminal. Lines of steps that started are left out: the view shows them while they run."""

    def __init__(self, invocation: Invocation, *, stays: bool) -> None:
        self._clock = invocation.ambient.clock
        self._teller = Teller(invocation, stays=stays)
        self._terminal = invocation.output.terminal(invocation.output.err)
        self._going: list[Going] = []
        self._live = Live(
            console=self._terminal.console,
            get_renderable=self._view,
            refresh_per_second=REFRESHES_PER_SECOND,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._going = []
        self._live.stop()

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe`."""
        self._going = going_on(run)
        self._live.refresh()
        for part in self._teller.parts(
            run, [event for event in events if not isinstance(event, StepStarted)]
        ):
            self._terminal.print(part)

    def _view(self) -> Text:
        return Text("\n").join(view_lines(self._going, self._clock.now()))


def going_on(run: RunState) -> list[Going]:
    """The steps that are running, the oldest first, and then those that wait, by deadline."""
    running = [
        Going(job, step, run.step(job, step).started_at or run.started_at)
        for job, step in run.running_steps()
    ]
    waiting = [Going(wait.job, wait.step, wait.deadline, waiting=True) for wait in run.waiting().values()]
    return sorted(
        [*running, *waiting],
        key=lambda each: (each.waiting, each.instant is None, each.instant or run.started_at),
    )


def view_lines(going: list[Going], now: datetime) -> list[Text]:
    """What goes on, in at most `LINES_MAX` lines."""
    shown = going if len(going) <= LINES_MAX else going[: LINES_MAX - 1]
    lines = [_line(each, now) for each in shown]
    if len(shown) < len(going):
        lines.append(Text(f"  and {len(going) - len(shown)} more", "dim"))
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return lines


def _line(each: Going, now: datetime) -> Text:
    name = printable(f"{each.job}/{each.step}")
    if each.waiting or each.instant is None:
        return Text.assemble(("◦ ", "yellow"), name, f"  waits{until(each.instant, now)}")
    return Text.assemble(("▸ ", "cyan"), name, (f"  {exact_length(now - each.instant)}", "dim"))
