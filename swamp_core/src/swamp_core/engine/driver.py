"""The driver: one process that runs a workflow's steps as soon as they are ready, until it ends or must wait.

One thread decides and writes; workers carry out. What workers finish while an append is in flight goes together
into the next one. An effect starts only when the entry that plans it is durable (rule 1). When another process goes
on with the run, or it has ended, this one stops its tasks, withdraws what it registered, and says so (`Fenced`).
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from threading import Event as Flag

from swamp_core.ambient import Ambient, monotonic_s
from swamp_core.engine.ledger import Fenced, Ledger, Observer, Trouble
from swamp_core.engine.lives import LEASE_RENEWAL_S, lease_from
from swamp_core.engine.moves import (
    CallMethod,
    Effect,
    Moves,
    OpenWait,
    cancel_moves,
    next_moves,
    planned_effects,
)
from swamp_core.engine.plan import Plan, StepRef, plan_of_run
from swamp_core.engine.readiness import all_ended, follows, pending, run_end
from swamp_core.engine.suspending import Applications, NotSuspended, Resumed, WaitsOpen
from swamp_core.engine.tasks import Ended, Tasks, result_event
from swamp_core.journal.ending import withdraw_waits
from swamp_core.journal.entry import Journal
from swamp_core.models.method import Invocation, MethodResult
from swamp_core.models.registry import call_of, model_from_json
from swamp_core.run.events import (
    CancelRequested,
    Event,
    FailureApplied,
    LeaseRenewed,
    Owner,
    StepError,
    StepFailed,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import fold
from swamp_core.store.errors import StoreError
from swamp_core.store.operations import execute
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.waits.opening import open_wait, registration_of

CONCURRENT_STEPS_MAX = 32
POLL_S = 2.0


StepFact = StepSucceeded | StepFailed | WaitApplied
"""The facts that end a step."""


@dataclass(slots=True)
class Driver:
    """Drives one run for its owner. `drive` is called once, on one thread; `interrupt` from anywhere."""

    store: SignalWaitStore
    ambient: Ambient
    journal: Journal
    owner: Owner
    repo_dir: Path
    observe: Observer = lambda _run, _events: None
    trouble: Trouble = lambda _error: None
    interrupted: Flag = field(default_factory=Flag)
    _ledger: Ledger = field(init=False)
    _plan: Plan = field(init=False)
    _tasks: Tasks = field(init=False)
    _frontier: list[StepRef] = field(init=False)
    _more: bool = field(init=False, default=False)
    _look_at_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._ledger = Ledger(
            self.store,
            self.ambient,
            self.journal,
            self.owner.token,
            observe=self.observe,
            trouble=self.trouble,
        )
        self._plan = plan_of_run(self.journal.run)
        self._tasks = Tasks(CONCURRENT_STEPS_MAX)
        self._frontier = pending(self._plan, self.journal.run)
        self._look_at_s = monotonic_s() + POLL_S

    def interrupt(self) -> None:
        """Ask for the end of the run, as a person at its terminal does. Safe in a signal handler."""
        self.interrupted.set()
        self._ledger.give_up.set()
        self._tasks.wake()

    def drive(self, applications: Applications) -> RunState:
        """Drive the run until it has ended or is suspended, and give its state.

        `applications` are what its settled waits have come to, as the resume found them. Raises `Fenced` when
        another process has gone on with the run, and `StoreError` when the store refuses to work with us: the run
        is then left as a killed process would leave it.
        """
        try:
            self._start(planned_effects(self._ledger.run))
            return self._drive(self._applied(applications))
        except Fenced:
            self._close()
            self._withdraw()
            raise
        finally:
            self._close()

    def _drive(self, facts: list[Event]) -> RunState:
        while True:
            self._start(self._commit(facts))
            facts = []
            if len(self._tasks):
                facts = self._await(0 if self._more else POLL_S)
            elif all_ended(self._plan, self._ledger.run):
                self._ledger.end(lambda run: run_end(self._plan, run))
                return self._ledger.run
            elif not (self._frontier or self._ledger.run.cancellation or self.interrupted.is_set()):
                suspension = self._ledger.suspend(self.owner)
                if isinstance(suspension, WaitsOpen | NotSuspended):
                    return suspension.run
                if isinstance(suspension, Resumed):
                    facts = self._applied(suspension.applications)

    def _commit(self, facts: list[Event]) -> list[Effect]:
        """Make the facts durable, with what is to be done next, and give the effects that may now start."""
        run = fold(self._ledger.run, facts)
        assert run is not None
        ended = [(fact.job, fact.step) for fact in facts if isinstance(fact, StepFact)]
        frontier = [*self._frontier, *follows(self._plan, run, ended)]
        moves = (
            self._cancel(run) if run.cancellation or self.interrupted.is_set() else self._next(run, frontier)
        )
        kept = self._ledger.commit(facts, moves.events)
        self._frontier, self._more = (moves.frontier, moves.more) if kept else (frontier, False)
        return moves.effects if kept else []

    def _next(self, run: RunState, frontier: list[StepRef]) -> Moves:
        slots = CONCURRENT_STEPS_MAX - self._tasks.calls
        return next_moves(self._plan, run, frontier, slots=slots, ambient=self.ambient)

    def _cancel(self, run: RunState) -> Moves:
        self._tasks.stop()
        now = self.ambient.clock.now()
        request = CancelRequested(at=now, by=self.ambient.user, reason="Interrupted at its terminal.")
        requests: list[Event] = [] if run.cancellation else [request]
        return Moves(requests + cancel_moves(self._plan, run, self.ambient), [], [])

    def _start(self, effects: list[Effect]) -> None:
        run = self._ledger.run
        for effect in effects:
            match effect:
                case CallMethod(ref=(job, step), model=model, method=method, inputs=inputs):
                    invocation = Invocation(run.workflow, run.run_id, job, step, self.repo_dir, inputs)
                    self._tasks.call(call_of(model_from_json(run.models[model]), method), invocation)
                case OpenWait(wait_id=wait_id):
                    wait = run.waits[wait_id]
                    registration = registration_of(run, wait_id, wait)
                    self._tasks.register(
                        wait.job,
                        wait.step,
                        partial(self._ledger.patiently, partial(open_wait, registration)),
                    )

    def _await(self, timeout_s: float) -> list[Event]:
        """What ended in the meantime, as facts; looks for foreign entries and renews the lease now and then."""
        facts = [fact for ended in self._tasks.wait(timeout_s) if (fact := self._fact(ended))]
        now = self.ambient.clock.now()
        if monotonic_s() >= self._look_at_s:
            self._look_at_s = monotonic_s() + POLL_S
            self._ledger.poll()
        owner = self._ledger.run.owner
        if owner and lease_from(now) >= owner.lease_until + timedelta(seconds=LEASE_RENEWAL_S):
            facts.append(LeaseRenewed(at=now, lease_until=lease_from(now)))
        return facts

    def _fact(self, ended: Ended) -> Event | None:
        ref = (ended.job, ended.step)
        allowed = self._plan.steps[ref].allow_failure
        now = self.ambient.clock.now()
        if isinstance(ended.result, MethodResult):
            return result_event(ended.result, at=now, job=ended.job, step=ended.step, allowed=allowed)
        step = self._ledger.run.step(*ref)
        if step.status != "waiting" or step.wait_id is None:
            return None  # The run was cancelled while the wait was being opened.
        if ended.result is None:
            return WaitOpened(at=now, job=ended.job, step=ended.step, wait_id=step.wait_id)
        unreadable = ended.result
        message = f"The wait could not be opened: `{unreadable.key}` is taken, and {unreadable.reason}."
        error = StepError(code="wait_unreadable", message=message)
        return StepFailed(at=now, job=ended.job, step=ended.step, error=error, allowed=allowed)

    def _applied(self, applications: Applications) -> list[Event]:
        facts: list[Event] = []
        for wait_id, application in applications.items():
            wait = self._ledger.run.waits[wait_id]
            if isinstance(application, FailureApplied):
                allowed = self._plan.steps[wait.job, wait.step].allow_failure
                application = application.model_copy(update={"allowed": allowed})
            facts.append(
                WaitApplied(
                    at=self.ambient.clock.now(),
                    job=wait.job,
                    step=wait.step,
                    wait_id=wait_id,
                    application=application,
                )
            )
        return facts

    def _close(self) -> None:
        self._ledger.give_up.set()
        self._tasks.close()

    def _withdraw(self) -> None:
        """Remove the registrations of a run that ended while its waits were being opened (rule 5)."""
        with suppress(StoreError):
            execute(withdraw_waits(self._ledger.run), self.store)
