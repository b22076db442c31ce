"""Driving a run from a use case, until it ends or is suspended."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Event as Flag
from threading import Lock

from swamp_core.app.patience import Awaited
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Workspace
from swamp_core.engine.ceiling import Ceiling
from swamp_core.engine.driver import Driver, Heard
from swamp_core.engine.ledger import Fenced, Observer, Trouble
from swamp_core.engine.lives import new_owner
from swamp_core.engine.suspending import Resumed
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


@dataclass(slots=True)
class Attention:
    """How a caller follows a run that it drives, and ends it.

    `observe` is told of every commit of the run and of its nested runs, one at a time, and without events of each of
    them as it is taken up: a run before those that are nested in it. `heard` is told, on other threads, what the steps
    print while they run (run, job, step, stream, lines); `trouble` of every failure of the store that is waited out;
    and `awaited` of a run that another process drives, each time that it is found so. `interrupt` may be called from a
    signal handler; the run is then cancelled.
    """

    observe: Observer = _nothing
    heard: Heard = _nothing
    trouble: Trouble = _nothing
    awaited: Awaited = _nothing
    interrupted: Flag = field(default_factory=Flag)
    _driver: Driver | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def driving(self) -> bool:
        """Whether a run is driven just now, rather than waited for."""
        return self._driver is not None

    def is_nested(self, run: RunState) -> bool:
        """Whether the run is one of those below the run that is driven."""
        return self._driver is not None and self._driver.journal.run_id != run.run_id

    def interrupt(self) -> None:
        """Cancel the run that is driven, or stop waiting for a suspended one."""
        self.interrupted.set()
        if self._driver is not None:
            self._driver.interrupt()

    def _observed(self, run: RunState, events: list[Event]) -> None:
        with self._lock:  # Nested runs are driven on threads of their own.
            self.observe(run, events)

    def drive(self, workspace: Workspace, resumed: Resumed, owner: Owner) -> RunState:
        """Drive a run that is ours.

        Raises `Refused` (`driver_replaced`) when another process has gone on with it, and `StoreError` when the
        store cannot be used: its hint then says how to go on with the run later.
        """
        self._driver = Driver(
            workspace.store,
            workspace.ambient,
            resumed.journal,
            owner,
            workspace.repo_dir,
            observe=self._observed,
            heard=self.heard,
            trouble=self.trouble,
            interrupted=self.interrupted,
            ceiling=Ceiling(workspace.concurrent_steps_max),
            build=workspace.build,
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
        except StoreError as error:
            run = resumed.journal.run
            recover = workspace.command("workflow", "recover", run.workflow, "--run", run.run_id)
            error.hint = f"{error.hint}\nThe run is left as it was; take it up again with:\n{recover}"
            raise
        finally:
            self._driver = None
