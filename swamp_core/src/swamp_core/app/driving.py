"""Driving a run from a use case: until it ends or is suspended, or, when asked to wait, until it ends.

To wait is to do what a person with `resume` would, again and again with backoff and jitter: it holds nothing, so
another host may resume the run first, and this process then only tells what it found.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event as Flag

from swamp_core.app.finding import read_run, unknown_run, unreadable_run
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Workspace
from swamp_core.engine.driver import Driver
from swamp_core.engine.ledger import Fenced, Observer
from swamp_core.engine.lives import new_owner
from swamp_core.engine.suspending import Resumed, Resumption, WaitsOpen, resume_run
from swamp_core.journal.appending import Blocked
from swamp_core.journal.starting import UnknownFormat
from swamp_core.records.base import Absent
from swamp_core.run.events import Owner
from swamp_core.run.state import RunState
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable

POLL_INITIAL_S = 0.5
POLL_MAX_S = 15.0


def _nothing(_run: RunState, _events: object) -> None:
    pass


@dataclass(slots=True)
class Attention:
    """How a caller follows a run that it drives, and ends it: `observe` is told of every commit.

    `interrupt` may be called from a signal handler; the run is then cancelled.
    """

    observe: Observer = _nothing
    interrupted: Flag = field(default_factory=Flag)
    _driver: Driver | None = None

    def interrupt(self) -> None:
        """Cancel the run that is driven, or stop waiting for a suspended one."""
        self.interrupted.set()
        if self._driver is not None:
            self._driver.interrupt()

    def drive(self, workspace: Workspace, resumed: Resumed, owner: Owner) -> RunState:
        """Drive a run that is ours. Raises `Refused` (`already_resumed`) when another process has gone on with it."""
        self._driver = Driver(
            workspace.store,
            workspace.ambient,
            resumed.journal,
            owner,
            workspace.repo_dir,
            observe=self.observe,
            interrupted=self.interrupted,
        )
        try:
            return self._driver.drive(resumed.applications)
        except Fenced as fenced:
            run_id = resumed.journal.run_id
            raise Refused(
                "driver_replaced",
                f"This process no longer drives the run {run_id}, and has stopped its steps. {fenced}",
                hint=f"See what became of the run with:\n{workspace.command('workflow', 'history', 'get', run_id)}",
                details={"runId": run_id},
            ) from fenced
        finally:
            self._driver = None


def wait_and_drive(workspace: Workspace, run: RunState, attention: Attention) -> RunState:
    """Stay with a suspended run until it ends, another process takes it over, or the caller interrupts.

    `attention` is shown the run before it is waited for, so that a person knows what to do meanwhile.
    """
    attention.observe(run, [])
    delay_s = POLL_INITIAL_S
    clock, ids = workspace.ambient.clock, workspace.ambient.ids
    while run.status == "suspended":
        if clock.wait(attention.interrupted, delay_s * (0.5 + ids.jitter())):
            return run
        delay_s = min(delay_s * 2, POLL_MAX_S)
        owner = new_owner(workspace.ambient)
        try:
            taken = take_up(workspace, run.run_id, owner)
        except (StoreUnavailable, OutcomeUnknown):
            continue
        match taken:
            case Resumed():
                run, delay_s = attention.drive(workspace, taken, owner), POLL_INITIAL_S
            case WaitsOpen():
                pass
            case _:
                return read_run(workspace, run.run_id)
    return run


def take_up(workspace: Workspace, run_id: str, owner: Owner) -> Resumption:
    """Try to resume a run for the owner."""
    protocol = resume_run(
        run_id,
        owner=owner,
        now=workspace.ambient.clock.now(),
        entry_id=workspace.ambient.ids.random_id(),
        build=workspace.build,
    )
    return workspace.execute(protocol)


def unusable(workspace: Workspace, run_id: str, found: Absent | Blocked | UnknownFormat) -> Refused:
    """The refusal of a run that is not there or that this build cannot go on with."""
    match found:
        case Absent():
            return unknown_run(workspace, run_id)
        case Blocked(unreadable=unreadable):
            return unreadable_run(run_id, unreadable)
        case UnknownFormat():
            return unknown_format(found)


def unknown_format(found: UnknownFormat) -> Refused:
    """The refusal of a store that a newer build, or something else, has written."""
    return Refused(
        "unknown_format",
        f"This build must not run or resume on this store: of its record `format`, {found.reason}.",
        hint="Install the build of Swamp that the store was written with, or a newer one.",
    )
