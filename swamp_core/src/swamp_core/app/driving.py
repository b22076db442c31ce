"""Driving a run from a use case, until it ends or is suspended."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Literal

from swamp_core.app.patience import Awaited
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Workspace
from swamp_core.engine.ceiling import Ceiling
from swamp_core.engine.driver import Driver, Heard
from swamp_core.engine.ledger import Fenced, Observer, Trouble
from swamp_core.engine.lives import new_owner
from swamp_core.engine.suspending import NotSuspended, Resumed, resume_run
from swamp_core.flag import Flag
from swamp_core.run.events import Event, Owner
from swamp_core.run.state import RunState
from swamp_core.store.errors import StoreError


def _nothing(*_: object) -> None:
    pass


def driver_of(workspace: Workspace) -> Owner:
    """This process as the driver of a run, for whoever is about to start or take up one.

    Raises `Refused` (`invalid_input`) when its surroundings would not let it drive: before a run is touched.
    """
    _ = workspace.concurrent_steps_max
    return new_owner(workspace.ambient)


Phase = Literal["starting", "taking_up", "driving", "left"]
"""Where a process stands with the run that it is about to drive, drives, or does not drive any more."""


@dataclass(slots=True)
class Attention:
    """How a caller follows a run that it drives, and ends it.

    `observe` is told of every commit of the run and of its nested runs, one at a time, and without events of each of
    them as it is taken up: a run before those that are nested in it. `heard` is told, on other threads, what the steps
    print while they run (run, job, step, stream, lines); `trouble` of every failure of the store that is waited
    out; and `awaited` of a run that another process drives, each time that it is found so.

    `interrupt` may be called from a signal handler of the thread that drives. What it does is decided by the `phase` in
    which it comes, and by nothing else, so that what a person is told then is what happens:

    1. Before the drive has let go of the run, it cancels the run, also if that was suspended in the same moment.
    2. From then on, and so from when the run is told to be suspended, it only ends the waiting.
    """

    observe: Observer = _nothing
    heard: Heard = _nothing
    trouble: Trouble = _nothing
    awaited: Awaited = _nothing
    interrupted: Flag = field(default_factory=Flag)
    phase: Phase = "taking_up"
    seen: RunState | None = None
    """The run itself, as it was last seen; None before it has been started or taken up."""
    _to_end: Flag = field(default_factory=Flag)
    _driver: Driver | None = None
    _lock: Lock = field(default_factory=Lock)

    def is_nested(self, run: RunState) -> bool:
        """Whether the run is one of those below the run that is driven."""
        return self._driver is not None and self._driver.journal.run_id != run.run_id

    def interrupt(self) -> None:
        """Cancel the run that is driven or about to be, or stop waiting for one that is not."""
        self.interrupted.set()
        if self.phase != "left":
            self._to_end.set()
            if self._driver is not None:
                self._driver.interrupt()

    def goes_on(self) -> bool:
        """Whether to take up a run now, rather than to leave all as it is; asked before each that is waited for."""
        self.phase = "taking_up"
        if self.interrupted.is_set():
            self.phase = "left"
        return self.phase == "taking_up"

    def leaves(self, run: RunState) -> None:
        """The run is not driven by this process, and an interrupt does not touch it."""
        self.seen, self.phase = run, "left"

    def drive(self, workspace: Workspace, resumed: Resumed, owner: Owner) -> RunState:
        """Drive a run that is ours, until it ends or is suspended; once interrupted, until it ends.

        Raises `Refused` (`driver_replaced`) when another process has gone on with it, and `StoreError` when the
        store cannot be used: its hint then says how to go on with the run later.
        """
        while True:
            run = self._driven(workspace, resumed, owner)
            self.leaves(run)
            if run.status != "suspended" or not self._to_end.is_set():
                return run
            # The interrupt came after the driver's last look, and nothing has been said of the run but that it ends.
            self.phase, owner = "taking_up", driver_of(workspace)
            taken = self._taken_to_end(workspace, run, owner)
            if not isinstance(taken, Resumed):
                self.leaves(taken)
                return taken
            resumed = taken

    def _driven(self, workspace: Workspace, resumed: Resumed, owner: Owner) -> RunState:
        self.seen = resumed.journal.run
        self._driver = Driver(
            workspace.store,
            workspace.ambient,
            resumed.journal,
            owner,
            workspace.repo_dir,
            observe=self._observed,
            heard=self.heard,
            trouble=self.trouble,
            interrupted=self._to_end,
            ceiling=Ceiling(workspace.concurrent_steps_max),
            build=workspace.build,
        )
        self.phase = "driving"
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
        except StoreError as error:
            run = resumed.journal.run
            recover = workspace.command("workflow", "recover", run.workflow, "--run", run.run_id)
            error.hint = f"{error.hint}\nThe run is left as it was; take it up again with:\n{recover}"
            raise
        finally:
            self._driver = None

    def _taken_to_end(self, workspace: Workspace, run: RunState, owner: Owner) -> Resumed | RunState:
        """The suspended run, to cancel it; or how it stands, where another process was faster."""
        ambient = workspace.ambient
        resuming = resume_run(
            run.run_id,
            owner=owner,
            now=ambient.clock.now(),
            entry_id=ambient.ids.random_id(),
            build=workspace.build,
            by=ambient.user,
            to_end=True,
        )
        try:
            taken = workspace.execute(resuming)
        except StoreError as error:
            cancel = workspace.command("workflow", "cancel", run.run_id)
            error.hint = (
                f"{error.hint}\nThe run was suspended and is not cancelled yet. Cancel it with:\n{cancel}"
            )
            raise
        match taken:
            case Resumed():
                return taken
            case NotSuspended(run=found):
                return found
            case _:  # It is gone, or cannot be read any more; what this process knows of it is told.
                return run

    def _observed(self, run: RunState, events: list[Event]) -> None:
        with self._lock:  # Nested runs are driven on threads of their own.
            if not self.is_nested(run):
                self.seen = run
                if (
                    run.status == "suspended"
                ):  # The driver has looked for the last time, and this is told now.
                    self.phase = "left"
            self.observe(run, events)
