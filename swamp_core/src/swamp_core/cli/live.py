"""The live view of a run on a terminal: what has ended scrolls by, what is running stands below with its time.

The part that is redrawn is never higher than a few lines, however many steps run at once.
"""

from __future__ import annotations

from datetime import datetime
from typing import Self

from rich.live import Live
from rich.text import Text

from swamp_core.ambient import Clock
from swamp_core.cli.escaping import printable
from swamp_core.cli.output import Output
from swamp_core.cli.progress import sentences, step_name
from swamp_core.cli.terminal import STYLES, Terminal
from swamp_core.cli.times import exact_length
from swamp_core.run.events import Event, StepStarted
from swamp_core.run.state import RunState

LINES_MAX = 8
REFRESHES_PER_SECOND = 4


class LiveProgress:
    """Progress on a terminal. Lines of steps that started are left out: the view shows them while they run."""

    def __init__(self, output: Output, clock: Clock) -> None:
        console = Terminal(output.err).console
        self._clock = clock
        self._running: dict[tuple[str, str], datetime] = {}
        self._live = Live(
            console=console,
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
        self._running = {}
        self._live.stop()

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe`."""
        self._running = {
            (job, step): run.step(job, step).started_at or run.started_at for job, step in run.running_steps()
        }
        told = [event for event in events if not isinstance(event, StepStarted)]
        for said in sentences(run, told):
            self._live.console.print(Text(printable(said.text), STYLES[said.style]), soft_wrap=True)
        self._live.refresh()

    def _view(self) -> Text:
        return Text("\n").join(view_lines(self._running, self._clock.now()))


def view_lines(running: dict[tuple[str, str], datetime], now: datetime) -> list[Text]:
    """The running steps, the oldest first, with their times, in at most `LINES_MAX` lines."""
    steps = sorted(running.items(), key=lambda each: each[1])
    shown = steps if len(steps) <= LINES_MAX else steps[: LINES_MAX - 1]
    lines = [
        Text.assemble(
            ("▸ ", "cyan"), printable(step_name(*ref)), (f"  {exact_length(now - started_at)}", "dim")
        )
        for ref, started_at in shown
    ]
    if len(shown) < len(steps):
        lines.append(Text(f"  and {len(steps) - len(shown)} more", "dim"))
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return lines
