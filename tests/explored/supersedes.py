"""The actors of the explorations of a supersede, and the runs that it meets: one with a gate, and one with two."""

from __future__ import annotations

from copy import deepcopy

from swamp_core.engine.cancelling import ask_for_end
from swamp_core.engine.superseding import supersede
from swamp_core.journal.ending import close_waits
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.run.events import CancelRequested
from swamp_core.store.operations import Operation, PutIfAbsent, Together
from swamp_core.testing.explore import ActorProtocol

from tests.explored import gates
from tests.explored.runs import NOW, RUN, WAIT, ambient, answering

AGAIN = "00000000-0000-4000-8000-00000000001b"
"""The wait ID under which the gate is asked again, the first time."""
TWO_GATES = deepcopy(gates.DEFINITION)
TWO_GATES["jobs"][0]["steps"][0]["task"] = {"type": "manual_approval", "prompt": "Good?", "timeout": "2m"}


def one_gate() -> dict[str, bytes]:
    """The records of a suspended run that waits for a decision alone."""
    return gates.gated_run(beside=False)


def two_gates() -> dict[str, bytes]:
    """The records of a suspended run that waits for two decisions."""
    return gates.gated_run(definition=TWO_GATES)


def superseder(name: str = "superseder") -> ActorProtocol:
    """Read the run and supersede it, as a new run of its workflow does."""
    journal = yield from read_journal(RUN)
    if not isinstance(journal, Journal):
        return "gone"
    decision = yield from supersede(journal.run, "the-new-run", {}, ambient(name))
    return type(decision).__name__


def approver_of_the_other() -> ActorProtocol:
    """Approve the second gate."""
    return (yield from gates.approver("other", WAIT))


def approver_of_what_is_asked() -> ActorProtocol:
    """Approve the gate, or the one that is asked in its place."""
    answer = yield from gates.approver()
    return (yield from gates.approver("again", AGAIN)) if answer == "Closed" else answer


def without_closing_first(name: str = "superseder") -> ActorProtocol:
    """A supersede that sees the gates undecided and asks for the end at once."""
    protocol = superseder(name)

    def closes(operation: Operation) -> bool:
        return isinstance(operation, Together) and any(
            isinstance(each, PutIfAbsent) for each in operation.operations
        )

    closed = False

    def answers(operation: Operation) -> list[bool] | None:
        nonlocal closed
        if closed or not closes(operation):
            return None
        closed = True
        return [True for _ in operation.operations]

    return answering(protocol, answers)


def without_looking_at_the_run(name: str = "superseder") -> ActorProtocol:
    """A supersede that has closed the gates that it knew, and then ends the run whatever it waits for."""
    journal = yield from read_journal(RUN)
    if not isinstance(journal, Journal):
        return "gone"
    gates_known = journal.run.waiting()
    if len((yield from close_waits(journal.run, gates_known, NOW))) < len(gates_known):
        return "Kept"
    asked = yield from ask_for_end(
        RUN, lambda _run, _now: CancelRequested(at=NOW, by=name), ambient=ambient(name)
    )
    return type(asked).__name__
