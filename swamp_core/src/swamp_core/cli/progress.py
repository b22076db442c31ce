"""What happens to a run while somebody looks on, as sentences: one for each step that starts or ends.

A forEach with many items is summed up: a line for each tenth of them that is over, and one for each of the first
that fail. So a run of thousands of steps prints a bounded number of lines.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

from swamp_core.app.run_views import run_wait_views
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Part, Say, Style
from swamp_core.cli.rendering.runs import first_waits_parts
from swamp_core.cli.sentences import sentence
from swamp_core.run.events import Event, Parent, StepExpanded
from swamp_core.run.state import Expansion, RunState

ITEMS_TOLD_MAX = 10
"""A forEach with more items than this is summed up."""
FAILURES_TOLD_MAX = 10
"""Of a forEach that is summed up, how many items that failed are told one by one."""

StepName = tuple[str, str]


class Progress(Protocol):
    """Somebody who looks on while a run is driven."""

    def observe(self, run: RunState, events: list[Event]) -> None:
        """See what was committed, and the run after it."""
        ...

    def observe_nested(self, run: RunState, events: list[Event]) -> None:
        """See the same of a run that a step of the run, or of one below it, is."""
        ...

    def place(self, run: RunState) -> str:
        """What stands before the name of a step of the run, from any thread: the steps that the run is nested in."""
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

    def observe_nested(self, run: RunState, events: list[Event]) -> None:
        """See `Progress.observe_nested`."""
        self._output.note(*self._teller.nested_parts(run, events))

    def place(self, run: RunState) -> str:
        """See `Progress.place`."""
        return self._teller.place(run)


class Teller:
    """What is told of a run, or of several one after another: the ID first, then the events.

    When the process stays (`--wait`), it is also told how to settle what the run is suspended for, each wait once:
    without `--wait` the command's answer says so.
    """

    def __init__(self, invocation: Invocation, *, stays: bool) -> None:
        self._invocation = invocation
        self._stays = stays
        self._run_id: str | None = None
        self._told_waits: set[str] = set()
        self._items = Summary()
        self._nested = NestedTeller()

    def parts(self, run: RunState, events: Sequence[Event]) -> Iterator[Part]:
        """What there is to tell about the events."""
        if run.run_id != self._run_id:  # The first one, or the next of several.
            self._run_id, self._items, self._nested = run.run_id, Summary(), NestedTeller()
            yield Say(f"This is a run of {run.workflow}:", "dim")
            yield Copy(run.run_id)
        yield from self._items.told(run, events)
        self._nested.knows(run)
        if self._stays and run.status == "suspended":
            yield from self._waits(run)

    def nested_parts(self, run: RunState, events: Sequence[Event]) -> Iterator[Part]:
        """What there is to tell about the events of a nested run."""
        return self._nested.told(run, events)

    def place(self, run: RunState) -> str:
        """See `Progress.place`."""
        return self._nested.place(run)

    def _waits(self, run: RunState) -> Iterator[Part]:
        workspace = self._invocation.workspace
        waiting = [run, *self._nested.suspended()]
        open_waits = [wait for each in waiting for wait in run_wait_views(each, workspace)]
        waits = [wait for wait in open_waits if wait.wait_id not in self._told_waits]
        self._told_waits.update(wait.wait_id for wait in waits)
        yield from first_waits_parts(waits, run.workflow, workspace)


@dataclass(slots=True)
class Summary:
    """Sums up what happens to the items of each forEach that has many."""

    tenths: dict[StepName, int] = field(default_factory=dict)
    failures: Counter[StepName] = field(default_factory=Counter)

    def told(self, run: RunState, events: Sequence[Event]) -> Iterator[Say]:
        """The sentences about a commit. It costs what its events cost, however many items there are."""
        touched: dict[StepName, None] = {}
        for event in events:
            name = _summed_up_as(run, event)
            if isinstance(event, StepExpanded):
                self._forget((event.job, event.step))
            said = sentence(run, event)
            if name is not None:
                touched[name] = None
                said = said if self._is_told(name, event) else None
            if said is not None:
                yield said
        for name in touched:
            expansion = run.step(*name).expansion
            if expansion is not None:
                yield from self._summed_up(name, expansion)

    def _is_told(self, name: StepName, event: Event) -> bool:
        application = getattr(event, "application", None)
        if getattr(event, "error", None) is None and getattr(application, "error", None) is None:
            return False
        self.failures[name] += 1
        return self.failures[name] <= FAILURES_TOLD_MAX

    def _summed_up(self, name: StepName, expansion: Expansion) -> Iterator[Say]:
        total, ended = len(expansion.names), expansion.ended
        tenths = 10 * ended // total
        if tenths == self.tenths.get(name, 0):
            return
        self.tenths[name] = tenths
        told = {"failed": expansion.failed, "skipped": expansion.skipped}
        others = "".join(f", {count} {what}" for what, count in told.items() if count)
        style: Style = "bad" if expansion.failed > expansion.forgiven else "plain"
        yield Say(f"{name[0]}/{name[1]}: {ended} of {total} items are over{others}.", style)

    def _forget(self, name: StepName) -> None:
        self.tenths.pop(name, None)
        del self.failures[name]


class NestedTeller:
    """Tells of nested runs: each sentence after the step that the run is, below the steps of the runs above.

    Of runs that are the items of a forEach which is summed up, only the first failures are told.
    """

    def __init__(self) -> None:
        self._runs: dict[str, RunState] = {}
        self._summaries: defaultdict[str, Summary] = defaultdict(Summary)
        self._failures_told = 0

    def knows(self, run: RunState) -> None:
        """Take a run as it is now; nested runs of it may follow."""
        self._runs[run.run_id] = run

    def suspended(self) -> list[RunState]:
        """The nested runs that wait, as they were last seen."""
        return [run for run in self._runs.values() if run.parent is not None and run.status == "suspended"]

    def told(self, run: RunState, events: Sequence[Event]) -> Iterator[Say]:
        """The sentences about a commit of a nested run."""
        self.knows(run)
        where, is_quiet = self.place(run), self._is_one_of_many(run)
        for said in self._summaries[run.run_id].told(run, events):
            if is_quiet and (said.style != "bad" or self._failures_told >= FAILURES_TOLD_MAX):
                continue
            self._failures_told += is_quiet
            yield Say(f"{where}{said.text}", said.style)
        if run.ended:
            del self._runs[run.run_id], self._summaries[run.run_id]

    def place(self, run: RunState) -> str:
        """What stands before a sentence about the run. It may be asked on any thread."""
        return "".join(f"{step.job}/{step.step} > " for _, step in reversed([*self._above(run)]))

    def _is_one_of_many(self, run: RunState) -> bool:
        """Whether the run is an item of many, or below one."""
        return any(_many_items(parent, step.job, step.step) for parent, step in self._above(run))

    def _above(self, run: RunState) -> Iterator[tuple[RunState, Parent]]:
        """The runs that it is nested in, the innermost first, each with the step of it that is or holds the run."""
        while run.parent is not None and (parent := self._runs.get(run.parent.run_id)) is not None:
            yield parent, run.parent
            run = parent


def _summed_up_as(run: RunState, event: Event) -> StepName | None:
    """The step with many items that the event is about one of."""
    job, step = getattr(event, "job", None), getattr(event, "step", None)
    return None if job is None or step is None else _many_items(run, job, step)


def _many_items(run: RunState, job: str, step: str) -> StepName | None:
    """The step with many items that this is one of."""
    if (declared := run.step(job, step).of) is None:
        return None
    expansion = run.step(job, declared).expansion
    return (job, declared) if expansion and len(expansion.names) > ITEMS_TOLD_MAX else None
