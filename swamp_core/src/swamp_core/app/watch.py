"""Watching a run that another process drives: its new journal entries, one after another, and nothing else.

A look is one request, for the entry that comes next. Now and then the newest one is listed as well, for a run that was
removed has no next entry. A watcher writes nothing; whoever drives the run does not know of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from swamp_core.app.finding import read_run_journal, unreadable_run
from swamp_core.app.run import run_result
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import Workspace
from swamp_core.engine.ledger import Observer, Trouble
from swamp_core.engine.lives import shown_status
from swamp_core.flag import Flag
from swamp_core.journal.entry import Entry, Journal
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable, read_record
from swamp_core.run.state import RunState
from swamp_core.run.transitions import ImpossibleEvent
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.operations import Get, List, Protocol

Until = Literal["suspended", "ended"]

POLL_S = 1.0
POLL_MAX_S = 5.0
LOOKS_PER_LISTING = 10
"""After how many looks in vain the newest entry is listed."""


def watch_run(
    workspace: Workspace,
    run_id: str,
    *,
    until: Until = "ended",
    observe: Observer = lambda _run, _events: None,
    trouble: Trouble = lambda _error: None,
    interrupted: Flag | None = None,
) -> RunResult:
    """Follow a run until it has ended, or is suspended, or has lost its driver; or until the caller interrupts.

    `observe` is shown the run as it is found, and then each entry that is added. While the store is away it is tried
    again. Raises `Refused` (`unknown_run` for one that was removed, `unreadable`) and `StoreError`.
    """
    watching = _Watching(workspace, read_run_journal(workspace, run_id), observe)
    observe(watching.run, [])
    interrupted = interrupted or Flag()
    delay_s, in_vain = POLL_S, 0
    while not _is_over(watching.run, until):
        was_lost = watching.is_lost
        try:
            if watching.look(thoroughly=was_lost or (in_vain + 1) % LOOKS_PER_LISTING == 0):
                delay_s, in_vain = POLL_S, 0
                continue
        except (StoreUnavailable, OutcomeUnknown) as error:
            trouble(error)
            was_lost = False
        if was_lost:
            break  # It was lost before the look, so its driver had written all that it ever will.
        in_vain += 1
        if workspace.ambient.clock.wait(interrupted, delay_s * (0.5 + workspace.ambient.ids.jitter())):
            break
        delay_s = min(delay_s * 1.5, POLL_MAX_S)
    return run_result(workspace, watching.run, found=True)


def _is_over(run: RunState, until: Until) -> bool:
    return run.ended or (until == "suspended" and run.status == "suspended")


@dataclass(slots=True)
class _Watching:
    """The journal as far as it was seen."""

    workspace: Workspace
    journal: Journal
    observe: Observer

    @property
    def run(self) -> RunState:
        return self.journal.run

    @property
    def is_lost(self) -> bool:
        ambient = self.workspace.ambient
        return shown_status(self.run, ambient.clock.now(), ambient.host) == "interrupted"

    def look(self, *, thoroughly: bool) -> bool:
        """Whether there was something new. `thoroughly`: it is made sure that the run is still there."""
        run_id = self.journal.run_id
        reading = self.workspace.execute(_next_entry(self.journal))
        if isinstance(reading, Entry):
            try:
                self.journal = self.journal.followed_by(reading)
            except ImpossibleEvent:
                return self._read_anew()
            self.observe(self.run, reading.events)
            return True
        if isinstance(reading, Unreadable):
            raise unreadable_run(self.workspace, run_id, reading)
        newest = keys.entry(run_id, self.journal.number)
        return thoroughly and self.workspace.execute(_newest_key(run_id)) != newest and self._read_anew()

    def _read_anew(self) -> bool:
        """Take the journal as it is now. Raises `Refused` when it is gone, or cannot be read."""
        before = self.journal.number
        self.journal = read_run_journal(self.workspace, self.journal.run_id)
        self.observe(self.run, [])
        return self.journal.number != before


def _next_entry(journal: Journal) -> Protocol[Entry | Absent | Unreadable]:
    key = keys.entry(journal.run_id, journal.number + 1)
    reading = read_record(Entry, key, (yield Get(key)))
    return reading if isinstance(reading, Absent | Unreadable) else reading.record


def _newest_key(run_id: str) -> Protocol[str | None]:
    listed: list[str] = yield List(keys.entries(run_id), limit=1)
    return listed[0] if listed else None
