"""The live view of a run on a terminal: what has ended scrolls by, what goes on stands below with its time.

The part that is redrawn is never higher than a few lines, however many steps run at once; with many steps its last
line counts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, islice
from threading import Lock
from typing import Self

from rich.live import Live
from rich.text import Text

from swamp_core.cli.escaping import printable
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Part
from swamp_core.cli.progress import Teller
from swamp_core.cli.tally import Going, Tally
from swamp_core.cli.times import exact_length, until
from swamp_core.run.events import Event, StepStarted
from swamp_core.run.state import RunState

LINES_MAX = 8
STEPS_UNCOUNTED_MAX = 8
"""A run of no more steps than this is not counted: they can all be seen."""
REFRESHES_PER_SECOND = 4


@dataclass(frozen=True, slots=True)
class NestedTally:
    """Where the steps of a nested run stand, and what stands before their names."""

    place: str
    tally: Tally


class LiveProgress:
    """Progress on a terminal. Lines of steps that started are left out: the view shows them while they run.

    The view is drawn on a thread of its own, so the tally is looked at and changed under a lock.
    """

    def __init__(self, invocation: Invocation, *, stays: bool) -> None:
        self._clock = invocation.ambient.clock
        self._teller = Teller(invocation, stays=stays)
        self._terminal = invocation.output.terminal(invocation.output.err)
        self._tally = Tally()
        self._nested: dict[str, NestedTally] = {}
        self._lock = Lock()
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
        with self._lock:
            self._tally, self._nested = Tally(), {}
        self._live.stop()

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe`."""
        with self._lock:
            self._tally.observe(run, events)
        self._live.refresh()
        self._print(self._teller.parts(run, _but_starts(events)))

    def observe_nested(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe_nested`. A nested run that nobody drives any more is seen in the step that it is."""
        with self._lock:
            if run.status == "running":
                nested = self._nested.setdefault(run.run_id, NestedTally(self._teller.place(run), Tally()))
                nested.tally.observe(run, events)
            else:
                self._nested.pop(run.run_id, None)
        self._live.refresh()
        self._print(self._teller.nested_parts(run, _but_starts(events)))

    def place(self, run: RunState) -> str:
        """See `Progress.place`."""
        return self._teller.place(run)

    def _print(self, parts: Iterable[Part]) -> None:
        for part in parts:
            self._terminal.print(part)

    def _view(self) -> Text:
        with self._lock:
            lines = view_lines(self._tally, self._clock.now(), list(self._nested.values()))
            return Text("\n").join(lines)


def view_lines(tally: Tally, now: datetime, nested: Sequence[NestedTally] = ()) -> list[Text]:
    """What goes on, in at most `LINES_MAX` lines: what runs, the oldest first, then what waits, then the counts.

    What runs in nested runs is shown as well, after the steps that they are; counted are the steps of the run itself.
    """
    below = [each for each in nested if each.tally.running]
    going = len(tally.running) + len(tally.waiting) + sum(len(each.tally.running) for each in below)
    is_counted = going > LINES_MAX or (going > 0 and tally.total > STEPS_UNCOUNTED_MAX)
    shown = LINES_MAX - 1 if is_counted else LINES_MAX
    first: Iterable[tuple[str, Going]] = islice(
        chain(
            (("", each) for each in tally.running.values()),
            ((each.place, going) for each in below for going in each.tally.running.values()),
            (("", each) for each in tally.waiting.values()),
        ),
        shown,
    )
    lines = [_line(place, each, now) for place, each in first]
    if is_counted:
        lines.append(Text(f"  {counts_text(tally)}", "dim"))
    for line in lines:
        line.no_wrap, line.overflow = True, "ellipsis"
    return lines


def _but_starts(events: list[Event]) -> list[Event]:
    return [event for event in events if not isinstance(event, StepStarted)]


def counts_text(tally: Tally) -> str:
    """How many steps stand where: `12 running · 340 done · 2 failed · 648 to go`."""
    counts = tally.counts
    told = {
        "running": counts["running"],
        "waiting": counts["waiting"],
        "done": counts["succeeded"],
        "skipped": counts["skipped"],
        "failed": counts["failed"],
        "to go": tally.to_go,
    }
    return " · ".join(f"{count} {what}" for what, count in told.items() if count)


def _line(place: str, each: Going, now: datetime) -> Text:
    name = printable(f"{place}{each.job}/{each.step}")
    if each.waiting or each.instant is None:
        return Text.assemble(("◦ ", "yellow"), name, f"  waits{until(each.instant, now)}")
    return Text.assemble(("▸ ", "cyan"), name, (f"  {exact_length(now - each.instant)}", "dim"))
