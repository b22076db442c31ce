"""The actors and invariants of the explorations of a gate: those who decide it, beside an open wait for a signal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TypeGuard

from swamp_core.engine.answers import answered, close_open_waits
from swamp_core.engine.moves import cancel_moves
from swamp_core.engine.plan import Plan, plan_of_run
from swamp_core.engine.readiness import run_end
from swamp_core.engine.rejecting import end_rejected
from swamp_core.engine.suspending import Resumed, WaitsOpen, resume_run, suspend_run
from swamp_core.journal.appending import Appended, Lost, append
from swamp_core.journal.ending import end_run
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.journal.starting import start_run
from swamp_core.records.base import Absent, Found, Unreadable
from swamp_core.records.families import Rejected
from swamp_core.run.events import (
    CancelRequested,
    Event,
    GateRejected,
    Json,
    RunSuspended,
    StepReset,
    StepSkipped,
    StepStarted,
    StepSucceeded,
    WaitOpened,
    WaitPlanned,
)
from swamp_core.run.state import RunState
from swamp_core.run.transitions import fold
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Protocol, execute
from swamp_core.testing.explore import Act, ActorProtocol
from swamp_core.waits.deciding import Decided, GateAnswer, decide_gate
from swamp_core.waits.opening import open_wait, registration_of
from swamp_core.waits.settling import read_outcome
from swamp_core.workflow.definition import Workflow

from tests.explored.runs import NOW, RUN, WAIT, Ids, ambient, owner, started

GATE = "00000000-0000-4000-8000-00000000000b"
DEADLINE = NOW + timedelta(minutes=1)
AFTER = NOW + timedelta(minutes=2)
"""When the wait beside the gate is overdue as well."""

DEFINITION = Workflow.from_json(
    {
        "name": "ask",
        "jobs": [
            {
                "name": "j",
                "steps": [
                    {"name": "review", "task": {"type": "wait_for_signal", "timeout": "2m"}},
                    {
                        "name": "sign-off",
                        "task": {"type": "manual_approval", "prompt": "Ship?", "timeout": "1m"},
                    },
                    {
                        "name": "deploy",
                        "dependsOn": ["sign-off"],
                        "task": {"type": "model_method", "modelIdOrName": "m", "methodName": "go"},
                    },
                ],
            }
        ],
    }
).to_json()


def gated_run(
    *, suspended: bool = True, beside: bool = True, definition: Json = DEFINITION
) -> dict[str, bytes]:
    """The records of a run with an undecided gate and, `beside` it, an open wait: for a signal, as it is defined.

    The run is suspended, or is driven by a living process.
    """
    store = MemoryStore()
    begun = started(RUN, "first").model_copy(update={"definition": definition})
    if not suspended:
        begun = begun.model_copy(update={"owner": owner("first", alive=True)})
    journal = execute(start_run(begun, entry_id="e1", build="test"), store)
    assert isinstance(journal, Appended)
    gate = {"at": NOW, "job": "j", "step": "sign-off", "wait_id": GATE}
    wait = {"at": NOW, "job": "j", "step": "review", "wait_id": WAIT}
    kind = "signal" if definition == DEFINITION else "approval"
    events: list[Event] = [
        WaitPlanned(**gate, wait_kind="approval", deadline=DEADLINE),
        WaitOpened(**gate),
    ]
    if beside:
        events += [WaitPlanned(**wait, wait_kind=kind, deadline=AFTER), WaitOpened(**wait)]
    else:
        events += [StepSkipped(at=NOW, job="j", step="review", reason="Nobody is asked.")]
    events += [RunSuspended(at=NOW)] if suspended else []
    opened = execute(append(journal.journal, events, entry_id="e2", owner="first"), store)
    assert isinstance(opened, Appended)
    run = opened.journal.run
    for wait_id, state in run.waits.items():
        assert execute(open_wait(registration_of(run, wait_id, state), lambda: NOW), store) is None
    return store.records


def rejected(records: Mapping[str, bytes]) -> dict[str, bytes]:
    """The same records with a rejection whose run has not been ended yet."""
    store = MemoryStore(dict(records))
    assert isinstance(execute(decision("rejecter", approve=False), store), Decided)
    return store.records


def decision(
    name: str, *, approve: bool, at: datetime = NOW, reason: str | None = None, gate: str = GATE
) -> Protocol[GateAnswer]:
    """A decision by somebody; its ID is their name."""
    return decide_gate(gate, approve=approve, by=name, reason=reason, decision_id=name, now=lambda: at)


def approver(name: str = "approver", gate: str = GATE) -> ActorProtocol:
    """Approve the gate."""
    return type((yield from decision(name, approve=True, gate=gate))).__name__


def rejecter(name: str = "rejecter") -> ActorProtocol:
    """Reject the gate, and have the run ended."""
    answer = yield from decision(name, approve=False)
    if isinstance(answer, Decided):
        assert isinstance(answer.outcome, Rejected)
        yield from end_rejected(answer.outcome, ambient=ambient(name))
    return type(answer).__name__


def completer(name: str = "completer") -> ActorProtocol:
    """Complete what a rejection that was cut off has left, as a repeat of it does."""
    outcome = yield from read_outcome(GATE)
    if isinstance(outcome, Found) and isinstance(outcome.record, Rejected):
        ended = yield from end_rejected(outcome.record, ambient=ambient(name))
        return type(ended).__name__
    return "nothing to complete"


def resumer(token: str = "resumer", at: datetime = AFTER) -> ActorProtocol:
    """Resume the run when all its deadlines have passed, and end it as what its waits came to says."""
    resumed = yield from resume_run(RUN, owner=owner(token), now=at, entry_id=f"{token}-r", build="test")
    if not isinstance(resumed, Resumed):
        return type(resumed).__name__
    return (yield from finishing(resumed, token))


def living_driver(records: Mapping[str, bytes]) -> Callable[[], ActorProtocol]:
    """A driver that has opened the run's waits and has nothing more to do: it suspends the run."""
    journal = run_in(records)
    assert isinstance(journal, Journal)

    def protocol() -> ActorProtocol:
        suspension = yield from suspend_run(
            journal, owner=owner("first", alive=True), now=NOW, suspended_id="f-s", resumed_id="f-r"
        )
        match suspension:
            case Resumed():
                return (yield from finishing(suspension, "first"))
            case Lost() if is_request(suspension):
                asked = journal.followed_by(suspension.theirs)
                return (yield from finishing(Resumed(asked, {}), "first"))
            case _:
                return type(suspension).__name__

    return protocol


def finishing(resumed: Resumed, token: str) -> ActorProtocol:
    """Write what the waits came to, deploy if the gate was approved, and end the run: the driver in small."""
    journal, ids = resumed.journal, Ids(token)
    plan = plan_of_run(journal.run)
    facts = answered(plan, journal.run, resumed.applications, NOW)
    if any(isinstance(fact, StepReset) for fact in facts):
        return (yield from asking_again(journal, facts, ids, token))
    while True:
        run = fold(journal.run, facts)
        assert run is not None
        deploys = run.step("j", "sign-off").status == "succeeded" and not run.cancellation
        intents = [StepStarted(at=NOW, job="j", step="deploy")] if deploys else over(plan, run, token)
        if not (facts or intents):
            return (yield from ending(journal, ids, token))
        begun = yield from append(journal, [*facts, *intents], entry_id=ids.random_id(), owner=token)
        if isinstance(begun, Appended):
            break
        if not is_request(begun):
            return type(begun).__name__
        journal = journal.followed_by(begun.theirs)
        facts = [fact for fact in facts if not isinstance(fact, GateRejected)]
    return (yield from (deploying if deploys else ending)(begun.journal, ids, token))


def again_of(run: RunState, step: str) -> str:
    """The wait ID under which the gate of the step is asked the next time."""
    times = sum(wait.step == step for wait in run.waits.values())
    return f"00000000-0000-4000-8000-0000000000{times}{'b' if step == 'sign-off' else 'a'}"


def asking_again(journal: Journal, facts: list[Event], ids: Ids, token: str) -> ActorProtocol:
    """Plan and open a gate in the place of each that was closed in vain, and suspend the run."""
    resets = [fact.step for fact in facts if isinstance(fact, StepReset)]
    again = {again_of(journal.run, step): step for step in resets}
    planned = [
        WaitPlanned(at=NOW, job="j", step=step, wait_id=each, wait_kind="approval", deadline=None)
        for each, step in again.items()
    ]
    begun = yield from append(journal, [*facts, *planned], entry_id=ids.random_id(), owner=token)
    if not isinstance(begun, Appended):
        return type(begun).__name__
    run = begun.journal.run
    for each in again:
        yield from open_wait(registration_of(run, each, run.waits[each]), lambda: NOW)
    opened = [WaitOpened(at=NOW, job="j", step=step, wait_id=each) for each, step in again.items()]
    asked = yield from append(begun.journal, opened, entry_id=ids.random_id(), owner=token)
    if not isinstance(asked, Appended):
        return type(asked).__name__
    suspension = yield from suspend_run(
        asked.journal,
        owner=owner(token),
        now=NOW,
        suspended_id=ids.random_id(),
        resumed_id=ids.random_id(),
    )
    return "asked again" if isinstance(suspension, WaitsOpen) else type(suspension).__name__


def deploying(journal: Journal, ids: Ids, token: str) -> ActorProtocol:
    """Deploy, which was written down, and end the run."""
    yield Act(("deploys", token))
    done = StepSucceeded(at=NOW, job="j", step="deploy", outputs={})
    over = yield from append(journal, [done], entry_id=ids.random_id(), owner=token)
    if is_request(over):
        asked = journal.followed_by(over.theirs)
        over = yield from append(asked, [done], entry_id=ids.random_id(), owner=token)
    return (
        (yield from ending(over.journal, ids, token)) if isinstance(over, Appended) else type(over).__name__
    )


def ending(journal: Journal, ids: Ids, token: str) -> ActorProtocol:
    """End the run, whose steps are all over."""
    plan = plan_of_run(journal.run)
    while True:
        run, status = journal.run, run_end(plan, journal.run)
        answers = (
            answered(plan, run, (yield from close_open_waits(run, NOW)), NOW) if run.cancellation else []
        )
        ended = yield from end_run(
            journal, status, now=NOW, entry_id=ids.random_id(), owner=token, answers=answers
        )
        if not is_request(ended):
            return type(ended).__name__
        journal = journal.followed_by(ended.theirs)


def is_request(appended: object) -> TypeGuard[Lost]:
    """Whether an append was lost to somebody who only asks for the end of the run, and leaves it to its driver."""
    return isinstance(appended, Lost) and all(
        isinstance(event, CancelRequested | GateRejected) for event in appended.theirs.events
    )


def over(plan: Plan, run: RunState, token: str) -> list[Event]:
    """What leaves no step of the run unfinished, when nothing more is to be run."""
    if run.cancellation:
        return cancel_moves(plan, run, ambient(token))
    return [StepSkipped(at=NOW, job="j", step="deploy", reason="The gate was not approved.")]


def run_in(records: Mapping[str, bytes]) -> Journal | Absent | Unreadable:
    """The run as its journal says."""
    return execute(read_journal(RUN), MemoryStore(dict(records)))
