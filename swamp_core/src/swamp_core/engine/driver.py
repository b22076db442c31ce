"""The driver: one process that runs a workflow's steps as soon as they are ready, until it ends or must wait.

One thread decides and writes; workers carry out. What workers finish while an append is in flight goes together
into the next one. An effect starts only when the entry that plans it is durable (rule 1). When another process goes
on with the run, or it has ended, this one stops its tasks, withdraws what it registered, and says so (`Fenced`).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from swamp_core.ambient import Ambient, monotonic_s
from swamp_core.engine.adopting import adopted
from swamp_core.engine.answers import answered, close_open_waits
from swamp_core.engine.beginning import CallMethod, Effect, OpenWait, RunChild
from swamp_core.engine.cancelling import cancel_children, why_nested
from swamp_core.engine.ceiling import Ceiling, Room
from swamp_core.engine.ledger import Fenced, Ledger, Observer, Trouble
from swamp_core.engine.line import Line
from swamp_core.engine.lives import LEASE_RENEWAL_S, lease_from, new_owner
from swamp_core.engine.moves import Moves, cancel_moves, give_up_children, next_moves, planned_effects
from swamp_core.engine.nested import Attempt, take_up_child
from swamp_core.engine.plan import Plan, StepRef, declared, plan_of_run
from swamp_core.engine.readiness import all_ended, follows, pending, run_end
from swamp_core.engine.suspending import Applications, NotSuspended, Resumed, WaitsOpen
from swamp_core.engine.tasks import Ended, NotDriven, Tasks, result_event
from swamp_core.flag import Flag
from swamp_core.journal.ending import withdraw_outcomes, withdraw_waits
from swamp_core.journal.entry import Journal
from swamp_core.models.method import Invocation, MethodResult
from swamp_core.models.registry import call_of, model_from_json
from swamp_core.run.events import (
    CancelRequested,
    ChildApplied,
    Event,
    LeaseRenewed,
    Owner,
    StepFailed,
    StepReset,
    StepSucceeded,
    WaitApplied,
    WaitOpened,
)
from swamp_core.run.state import Cancellation, RunState
from swamp_core.run.transitions import fold
from swamp_core.store.errors import StoreError
from swamp_core.store.operations import execute
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.waits.opening import open_wait, opening_error, registration_of

Heard = Callable[[RunState, str, str, str, str], None]
"""Told, on any thread, what a step prints while it runs: its run, its job and name, the stream, and whole lines."""

POLL_S = 2.0
CLEAN_UP_S = 60.0
"""How long, after a cancel, the steps that clean up may take before they are stopped too."""

StepFact = StepSucceeded | StepFailed | WaitApplied | ChildApplied
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
    heard: Heard = lambda _run, _job, _step, _stream, _text: None
    trouble: Trouble = lambda _error: None
    interrupted: Flag = field(default_factory=Flag)
    ceiling: Ceiling = field(default_factory=Ceiling)
    build: str = "swamp-core"
    clean_up_s: float = CLEAN_UP_S
    _ledger: Ledger = field(init=False)
    _plan: Plan = field(init=False)
    _tasks: Tasks = field(init=False)
    _line: Line = field(init=False)
    _room: Room = field(init=False)
    _children: dict[str, Driver] = field(init=False, default_factory=dict)
    _housed: set[StepRef] = field(init=False, default_factory=set)
    _why: str = field(init=False, default="Interrupted at its terminal.")
    _clean_until_s: float | None = field(init=False, default=None)
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
        self._tasks = Tasks(self.ceiling.steps_max)
        self._room = Room(self._plan, self.ceiling, self._tasks.wake)
        self._line = Line(pending(self._plan, self.journal.run))
        self._look_at_s = monotonic_s() + POLL_S

    def interrupt(self) -> None:
        """Ask for the end of the run, as a person at its terminal does. Safe in a signal handler."""
        self._ledger.give_up.set()
        self.ask_for_end("Interrupted at its terminal.")
        for child in tuple(self._children.values()):
            child.interrupt()

    def ask_for_end(self, why: str) -> None:
        """Ask for the end of the run, waiting out what the store cannot do just now."""
        self._why = why
        self.interrupted.set()
        self._tasks.wake()

    def drive(self, applications: Applications) -> RunState:
        """Drive the run until it has ended or is suspended, and give its state.

        `applications` are what its settled waits have come to, as the resume found them. Raises `Fenced` when
        another process has gone on with the run, and `StoreError` when the store refuses to work with us: the run
        is then left as a killed process would leave it.
        """
        try:
            self.observe(self._ledger.run, [])  # Before anything that is told of its nested runs.
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
            if not len(self._tasks) and all_ended(self._plan, self._ledger.run):
                return self._end()
            if len(self._tasks) or self._line:
                facts = self._await(0 if self._more else POLL_S)
            elif not self._is_ending:
                suspension = self._ledger.suspend(self.owner)
                if isinstance(suspension, WaitsOpen | NotSuspended):
                    return suspension.run
                if isinstance(suspension, Resumed):
                    self._start(planned_effects(self._ledger.run))
                    facts = self._applied(suspension.applications)

    @property
    def _is_ending(self) -> bool:
        return self._ledger.run.cancellation is not None or self.interrupted.is_set()

    def _end(self) -> RunState:
        nested = partial(cancel_children, self._ledger.run, self.ambient)
        self._ledger.patiently(nested)
        self._ledger.end(lambda run: run_end(self._plan, run))
        self._ledger.patiently(nested)  # Once more: a driver that was stalled may have started one meanwhile.
        return self._ledger.run

    def _commit(self, facts: list[Event]) -> list[Effect]:
        """Make the facts durable, with what is to be done next, and give the effects that may now start."""
        facts = facts + self._answers(facts)
        run = fold(self._ledger.run, facts)
        assert run is not None
        for fact in facts:
            if isinstance(fact, StepReset):
                self._line.look_at([(fact.job, fact.step)])
            elif isinstance(fact, StepFact):
                self._line.look_at(follows(self._plan, run, [(fact.job, fact.step)]))
        moves = self._cancel(run) if run.cancellation or self.interrupted.is_set() else self._next(run)
        kept = self._ledger.commit(facts, moves.events)
        self._more = moves.more
        for effect in moves.effects:
            self._account_for(moves.run, effect, kept)
        if kept:
            return moves.effects
        self._line = Line(pending(self._plan, self._ledger.run))
        return []

    def _answers(self, facts: list[Event]) -> list[Event]:
        """What the open waits of a run that is to end came to; they are closed once it is durable that it is to end."""
        run = fold(self._ledger.run, facts)
        if run is None or self._ledger.run.cancellation is None or not run.waiting():
            return []
        now = self.ambient.clock.now()
        return answered(self._plan, run, self._ledger.patiently(partial(close_open_waits, run, now)), now)

    def _next(self, run: RunState) -> Moves:
        return next_moves(self._plan, run, self._line, self._room, self.ambient)

    def _cancel(self, run: RunState) -> Moves:
        """What is left to do for a run that is to end: stop what runs, give up what waits, and clean up in time."""
        moves = Moves(run)
        if run.cancellation is None:
            now, by = self.ambient.clock.now(), self.ambient.user
            request = CancelRequested(at=now, by=by, reason=self._why)
            moves.add([request], None)
        why = moves.run.cancellation
        assert why is not None
        if self._clean_until_s is None:
            self._clean_until_s = monotonic_s() + (0 if why.rejected else self.clean_up_s)
            self._stop_tasks(why)
            self._line = Line(pending(self._plan, moves.run))
        over = monotonic_s() >= self._clean_until_s
        if over and self._line:
            self._stop_tasks(why)
            self._line = Line()
        given_up = give_up_children(self._plan, moves.run, self.ambient, besides=self._tasks.in_flight())
        moves.add(given_up, None)
        if over:
            moves.add(cancel_moves(self._plan, moves.run, self.ambient), None)
            moves.more = bool(moves.run.waiting())
            return moves
        ended = [(fact.job, fact.step) for fact in given_up if isinstance(fact, StepFact)]
        self._line.look_at(follows(self._plan, moves.run, ended))
        cleaning = next_moves(self._plan, moves.run, self._line, self._room, self.ambient, cleaning=True)
        cleaning.events[:0] = moves.events
        cleaning.more |= bool(cleaning.run.waiting())  # They are closed once the request to end is durable.
        return cleaning

    def _stop_tasks(self, why: Cancellation) -> None:
        self._tasks.stop()
        if not why.keep_children:
            for child in tuple(self._children.values()):
                child.ask_for_end(self._why_nested)

    def _start(self, effects: list[Effect]) -> None:
        run = self._ledger.run
        for effect in effects:
            match effect:
                case CallMethod(ref=(job, step), model=model, method=method, inputs=inputs):
                    heard = partial(self.heard, run, job, step)
                    invocation = Invocation(
                        run.workflow, run.run_id, job, step, self.repo_dir, inputs, heard=heard
                    )
                    self._tasks.call(call_of(model_from_json(run.models[model]), method), invocation)
                case OpenWait(wait_id=wait_id):
                    wait = run.waits[wait_id]
                    registration = registration_of(run, wait_id, wait)
                    self._tasks.register(
                        wait.job,
                        wait.step,
                        partial(
                            self._ledger.patiently,
                            partial(open_wait, registration, self.ambient.clock.now),
                        ),
                    )
                case RunChild(child_run_id=child_run_id):
                    child = run.children[child_run_id]
                    if not self._tasks.has((child.job, child.step)):
                        self._tasks.nest(child.job, child.step, partial(self._run_child, run, child_run_id))

    def _run_child(self, parent: RunState, child_run_id: str) -> RunState | NotDriven:
        """Drive a nested run as far as it goes, on a thread of its own."""
        ids = self.ambient.ids
        attempt = Attempt(new_owner(self.ambient), ids.random_id(), ids.random_id(), self.build)
        taken = self._ledger.patiently(partial(take_up_child, parent, child_run_id, attempt, self.ambient))
        if not isinstance(taken, Resumed):
            return taken
        driver = Driver(
            self.store,
            self.ambient,
            taken.journal,
            attempt.owner,
            self.repo_dir,
            observe=self.observe,
            heard=self.heard,
            trouble=self.trouble,
            ceiling=self.ceiling,
            build=self.build,
            clean_up_s=self.clean_up_s,
        )
        self._children[child_run_id] = driver
        if self._is_ending and not self._keeps_children:
            driver.ask_for_end(self._why_nested)
        try:
            return driver.drive(taken.applications)
        except Fenced:
            return NotDriven()
        finally:
            del self._children[child_run_id]

    @property
    def _why_nested(self) -> str:
        return why_nested(self._ledger.run)

    @property
    def _keeps_children(self) -> bool:
        why = self._ledger.run.cancellation
        return why is not None and why.keep_children

    def _account_for(self, run: RunState, effect: Effect, kept: bool) -> None:
        """Give back the room of an effect that was not kept; remember which nested runs have room."""
        match effect:
            case OpenWait():
                return
            case CallMethod(ref=ref):
                pass
            case RunChild(child_run_id=child_run_id):
                child = run.children[child_run_id]
                ref = (child.job, child.step)
        if not kept:
            self._room.give(declared(run, ref))
        elif isinstance(effect, RunChild):
            self._housed.add(ref)

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
        run, now = self._ledger.run, self.ambient.clock.now()
        allowed = self._plan.step(run, ref).allow_failure
        if isinstance(ended.result, MethodResult):
            self._room.give(declared(run, ref))
            return result_event(ended.result, at=now, job=ended.job, step=ended.step, allowed=allowed)
        step = run.step(*ref)
        if isinstance(ended.result, RunState | NotDriven):
            if ref in self._housed:
                self._housed.discard(ref)
                self._room.give(declared(run, ref))
            child = ended.result
            if isinstance(child, NotDriven) or not child.ended or step.status != "waiting":
                return None
            return adopted(child, at=now, job=ended.job, step=ended.step, allowed=allowed)
        if step.status != "waiting" or step.wait_id is None:
            return None  # The run was cancelled while the wait was being opened.
        if ended.result is None:
            return WaitOpened(at=now, job=ended.job, step=ended.step, wait_id=step.wait_id)
        error = opening_error(ended.result)
        return StepFailed(at=now, job=ended.job, step=ended.step, error=error, allowed=allowed)

    def _applied(self, applications: Applications) -> list[Event]:
        return answered(self._plan, self._ledger.run, applications, self.ambient.clock.now())

    def _close(self) -> None:
        self._ledger.give_up.set()
        self._tasks.close()

    def _withdraw(self) -> None:
        """Remove what was made of waits for a run that ended, or was removed, meanwhile (rule 5)."""
        with suppress(StoreError):
            execute(withdraw_waits(self._ledger.run), self.store)
            execute(withdraw_outcomes(self._ledger.run), self.store)
