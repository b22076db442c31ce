"""The actors and invariants of the explorations of a gate: those who decide it, beside an open wait for a signal."""

from __future__ import annotations

from datetime import datetime, timedelta

from swamp_core.engine.rejecting import end_rejected
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.reading import read_journal
from swamp_core.journal.starting import start_run
from swamp_core.records.base import Found
from swamp_core.records.families import Rejected
from swamp_core.run.events import RunSuspended, WaitOpened, WaitPlanned
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Protocol, execute
from swamp_core.testing.explore import ActorProtocol
from swamp_core.waits.deciding import Decided, GateAnswer, decide_gate
from swamp_core.waits.opening import open_wait, registration_of
from swamp_core.waits.settling import read_outcome
from swamp_core.workflow.definition import Workflow

from tests.explored import runs
from tests.explored.runs import NOW, RUN, WAIT, ambient, started

GATE = "00000000-0000-4000-8000-00000000000b"
DEADLINE = NOW + timedelta(minutes=1)

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


def gated_run(*, suspended: bool = True) -> dict[str, bytes]:
    """The records of a run with an undecided gate and an open wait, suspended or driven by a living process."""
    store = MemoryStore()
    begun = started(RUN, "first").model_copy(update={"definition": DEFINITION})
    if not suspended:
        begun = begun.model_copy(update={"owner": runs.owner("first", alive=True)})
    journal = execute(start_run(begun, entry_id="e1", build="test"), store)
    assert isinstance(journal, Appended)
    of_gate = {"at": NOW, "job": "j", "step": "sign-off", "wait_id": GATE}
    of_wait = {"at": NOW, "job": "j", "step": "review", "wait_id": WAIT}
    events = [
        WaitPlanned(**of_gate, wait_kind="approval", deadline=DEADLINE),
        WaitPlanned(**of_wait, wait_kind="signal", deadline=NOW + timedelta(minutes=2)),
        WaitOpened(**of_gate),
        WaitOpened(**of_wait),
        *([RunSuspended(at=NOW)] if suspended else []),
    ]
    opened = execute(append(journal.journal, events, entry_id="e2", owner="first"), store)
    assert isinstance(opened, Appended)
    run = opened.journal.run
    for wait_id, wait in run.waits.items():
        assert execute(open_wait(registration_of(run, wait_id, wait)), store) is None
    return store.records


def decision(
    name: str, *, approve: bool, at: datetime = NOW, reason: str | None = None
) -> Protocol[GateAnswer]:
    """A decision by somebody; its ID is their name."""
    return decide_gate(GATE, approve=approve, by=name, reason=reason, decision_id=name, now=lambda: at)


def approver(name: str = "approver") -> ActorProtocol:
    """Approve the gate."""
    return type((yield from decision(name, approve=True))).__name__


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


def run_in(records):
    """The run as its journal says."""
    return execute(read_journal(RUN), MemoryStore(dict(records)))
