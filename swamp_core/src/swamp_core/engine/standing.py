"""What a suspended run still waits for, and whether resuming it would do anything: asked down the tree of nested runs.

A nested run that is suspended and could go on is no reason to wait: whoever resumes its parent takes it up as well.
Asking settles nothing; a wait whose deadline has passed counts as settled, since a resume would time it out. A gate
that was rejected is a reason to resume whatever else is open: that ends the run. So is one that was closed and is to be
asked again, and the request to end the run, if whoever made it was cut off.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from swamp_core.engine.plan import plan_of_run
from swamp_core.engine.readiness import has_ready_step
from swamp_core.engine.reading import read_run
from swamp_core.journal.entry import Journal
from swamp_core.records.base import Absent
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol, side_by_side
from swamp_core.waits.applying import Judgement, Rejection, StillOpen, Unanswered, judge_waits

Standing = Literal["ended", "ready", "open"]
"""Of a nested run: its result can be adopted, it could be gone on with, or nothing can be done from here."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What holds a run up: its open waits and its nested runs that cannot go on, by ID. `ready`: it could do more."""

    wait_ids: tuple[str, ...]
    child_run_ids: tuple[str, ...]
    ready: bool

    @property
    def is_resumable(self) -> bool:
        """Whether resuming the run would do anything: it is held up by nothing, or it could do something else."""
        return self.ready or not (self.wait_ids or self.child_run_ids)


def holding(
    run: RunState, waits: Mapping[str, Judgement], now: datetime, *, besides: str | None = None
) -> Protocol[Holding]:
    """What holds the run up, given what its waits have come to, and leaving aside the nested run `besides`."""
    open_waits = tuple(wait_id for wait_id, each in waits.items() if isinstance(each, StillOpen))
    is_to_end = run.cancellation is not None
    acts = is_to_end or any(isinstance(each, Rejection | Unanswered) for each in waits.values())
    children = [each for each in run.waiting_children() if each != besides]
    standings = yield from side_by_side([_standing(each, now) for each in children])
    ready = acts or "ready" in standings or has_ready_step(plan_of_run(run), run)
    held = [each for each, standing in zip(children, standings, strict=True) if standing == "open"]
    return Holding(open_waits, tuple(held), ready)


def look_at(run: RunState, now: datetime, *, besides: str | None = None) -> Protocol[Holding]:
    """What holds the run up, leaving aside the nested run `besides`; settles nothing."""
    waits = yield from judge_waits(run, now)
    return (yield from holding(run, waits, now, besides=besides))


def _standing(child_run_id: str, now: datetime) -> Protocol[Standing]:
    journal = yield from read_run(child_run_id)
    if isinstance(journal, Absent):
        return "ready"  # It was planned, and not started yet.
    if not isinstance(journal, Journal):
        return "open"
    if journal.run.ended:
        return "ended"
    if journal.run.status != "suspended":
        return "open"
    held = yield from look_at(journal.run, now)
    return "ready" if held.is_resumable else "open"
