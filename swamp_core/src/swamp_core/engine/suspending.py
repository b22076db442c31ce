"""Suspending a run and taking it up again.

Suspending appends `run_suspended`, and *then* looks for outcomes once more. A signal that arrives with `--resume`
while the run is still running finds a driver and leaves it at that; it was stored before it looked, so either the
driver's last look finds it, or its own look finds the run suspended. Neither misses the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from swamp_core.engine.reading import read_run
from swamp_core.engine.standing import holding
from swamp_core.journal.appending import Appended, Blocked, Lost, Void, append
from swamp_core.journal.entry import Journal
from swamp_core.journal.starting import UnknownFormat, check_format
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import Json, Owner, RunResumed, RunSuspended
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol
from swamp_core.waits.applying import Application, StillOpen, look_at_waits

Applications = dict[str, Application]
"""What the waits of a run have come to, by wait ID, as far as they are settled."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """The run is ours to drive from here; `applications` are still to be written to its journal."""

    journal: Journal
    applications: Applications


@dataclass(frozen=True, slots=True)
class WaitsOpen:
    """Nothing can be done before these waits are settled, and these nested runs can go on, each by ID."""

    run: RunState
    wait_ids: tuple[str, ...] = ()
    child_run_ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotSuspended:
    """The run is driven, was interrupted, or is over: its status says which."""

    run: RunState


Suspension = Resumed | WaitsOpen | NotSuspended | Lost | Void | Blocked
Resumption = Resumed | WaitsOpen | NotSuspended | Absent | Blocked | UnknownFormat


def suspend_run(
    journal: Journal, *, owner: Owner, now: datetime, suspended_id: str, resumed_id: str
) -> Protocol[Suspension]:
    """Suspend a run that nothing more can be done for; `Resumed` when its waits turn out to be settled.

    Once `run_suspended` is written this process no longer drives: if another takes the run up first, so be it, and
    `NotSuspended` is how far that one is.
    """
    appended = yield from append(journal, [RunSuspended(at=now)], entry_id=suspended_id, owner=owner.token)
    match appended:
        case Appended(journal=suspended):
            taken = yield from _take_up(suspended, RunResumed(at=now, owner=owner), entry_id=resumed_id)
            if isinstance(taken, Resumed | WaitsOpen):
                return taken
        case Lost() | Blocked():
            return appended
        case Void():
            taken = appended  # The run was removed; or it was suspended, taken up and ended before the mark was read.
    found = yield from read_run(journal.run_id)
    if not isinstance(found, Journal):
        return taken
    return WaitsOpen(found.run) if found.run.status == "suspended" else NotSuspended(found.run)


def resume_run(
    run_id: str,
    *,
    owner: Owner,
    now: datetime,
    entry_id: str,
    build: str,
    by: str | None = None,
    inputs: Json | None = None,
    to_end: bool = False,
) -> Protocol[Resumption]:
    """Take up a suspended run, unless all that could be done waits; `inputs` replace those of the same names.

    Overdue waits are settled as timed out. Of several that resume at once one is given `Resumed`; the others see
    who was. To repeat one whose answer is not known, call this again with the same arguments. With `to_end` it is taken
    up whatever waits, for a caller who is going to cancel it.
    """
    unknown = yield from check_format(build)
    if unknown:
        return unknown
    while True:
        journal = yield from read_run(run_id)
        if isinstance(journal, Absent):
            return journal
        if isinstance(journal, Unreadable):
            return Blocked(journal)
        run = journal.run
        if run.owner and run.owner.token == owner.token:
            return Resumed(journal, _settled((yield from look_at_waits(run, now))))
        if run.status != "suspended":
            return NotSuspended(run)
        resumed = RunResumed(at=now, owner=owner, by=by, inputs=inputs or {})
        taken = yield from _take_up(journal, resumed, entry_id=entry_id, to_end=to_end)
        match taken:
            case Resumed() | WaitsOpen() | Blocked():
                return taken
            case _:
                continue


def _take_up(
    journal: Journal, resumed: RunResumed, *, entry_id: str, to_end: bool = False
) -> Protocol[Resumed | WaitsOpen | Lost | Void | Blocked]:
    run = journal.run
    waits = yield from look_at_waits(run, resumed.at)
    held = yield from holding(run, waits, resumed.at)
    if not held.is_resumable and not to_end:
        return WaitsOpen(run, held.wait_ids, held.child_run_ids)
    appended = yield from append(journal, [resumed], entry_id=entry_id, owner=resumed.owner.token)
    return Resumed(appended.journal, _settled(waits)) if isinstance(appended, Appended) else appended


def _settled(waits: Mapping[str, Application | StillOpen]) -> Applications:
    return {wait_id: each for wait_id, each in waits.items() if not isinstance(each, StillOpen)}
