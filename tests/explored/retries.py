"""The actors of the explorations of a retry: a retrier, one that stalls, a sweep, and the records they meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from swamp_core.engine.removing import TreeRemoved, remove_tree
from swamp_core.engine.sweeping import sweep
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.ending import clear_ended, end_run
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.journal.retrying import retry_run
from swamp_core.records import keys
from swamp_core.run.events import (
    RetryAbandoned,
    StepError,
    StepFailed,
    StepReset,
    StepStarted,
    StepSucceeded,
)
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Get, Operation, PutIfAbsent, execute
from swamp_core.testing.explore import Act, ActorProtocol

from tests.explored.runs import NOW, RUN, ambient, answering, owner, started_run

RESET = StepReset(at=NOW, job="j", step="deploy", reason="It is retried.")
INDEX = keys.run_index("ask", RUN)


def failed_run() -> dict[str, bytes]:
    """The records of a run that failed, with its mark gone."""
    records, begun = started_run()
    store = MemoryStore(records)
    where = {"at": NOW, "job": "j", "step": "deploy"}
    failed = StepFailed(**where, error=StepError(code="broken", message="It broke."))
    over = execute(
        append(begun.journal, [StepStarted(**where), failed], entry_id="o2", owner="opener"), store
    )
    assert isinstance(over, Appended)
    execute(end_run(over.journal, "failed", now=NOW, entry_id="o3", owner="opener"), store)
    return store.records


def retrier(token: str) -> ActorProtocol:
    """Read the run, retry it, and go on with it; after a lost retry, as its caller does, once more."""
    for _ in range(2):
        journal = yield from read_journal(RUN)
        if not isinstance(journal, Journal) or journal.run.status != "failed":
            return "nothing to retry"
        answer = yield from retrying(token, journal)
        if answer != "Lost":
            return answer
    return "Lost"


def stalled_retrier(records: Mapping[str, bytes], token: str = "stalled") -> Callable[[], ActorProtocol]:
    """A retrier that has read the run as it was, and stalled before its mark."""
    journal = execute(read_journal(RUN), MemoryStore(dict(records)))
    assert isinstance(journal, Journal)
    return lambda: retrying(token, journal)


def retrying(token: str, journal: Journal) -> ActorProtocol:
    """Retry the run, deploy on the strength of that, and end the run."""
    answer = yield from retry_run(
        journal, [RESET], owner=owner(token), by=token, inputs={}, now=NOW, entry_id=f"{token}-r"
    )
    if not isinstance(answer, Appended):
        return type(answer).__name__
    intent = StepStarted(at=NOW, job="j", step="deploy")
    begun = yield from append(answer.journal, [intent], entry_id=f"{token}-d", owner=token)
    if not isinstance(begun, Appended):
        return f"deploy {type(begun).__name__}"
    yield Act(("deploys", f"{token}-d"))
    done = StepSucceeded(at=NOW, job="j", step="deploy", outputs={})
    over = yield from append(begun.journal, [done], entry_id=f"{token}-s", owner=token)
    if not isinstance(over, Appended):
        return f"done {type(over).__name__}"
    ended = yield from end_run(over.journal, "succeeded", now=NOW, entry_id=f"{token}-e", owner=token)
    return type(ended).__name__


def sweeper(name: str = "sweeper") -> ActorProtocol:
    """Clean up whatever is left over in the store."""
    return (yield from sweep(ambient=ambient(name)))


def remover(name: str = "remover") -> ActorProtocol:
    """Remove the run as long as it is over; a run that was retried meanwhile is left alone."""
    removal = yield from remove_tree(RUN, ambient=ambient(name))
    return "Removed" if isinstance(removal, TreeRemoved) else type(removal).__name__


def clearer() -> ActorProtocol:
    """Whoever meets a run that is over and clears what its end may have left."""
    journal = yield from read_journal(RUN)
    if isinstance(journal, Journal) and journal.run.ended:
        yield from clear_ended(journal.run)
    return "cleared"


def without_a_look_for_the_index(protocol: ActorProtocol) -> ActorProtocol:
    """A retry that takes the index for granted."""
    return answering(protocol, lambda operation: b"{}" if operation == Get(INDEX) else None)


def without_abandoning(protocol: ActorProtocol) -> ActorProtocol:
    """A sweep that deletes the mark of a retry without taking the place of its entry."""

    def answers(operation: Operation) -> bool | None:
        abandons = isinstance(operation, PutIfAbsent) and RetryAbandoned.model_fields[
            "event"
        ].default.encode() in (operation.data)
        return True if abandons else None

    return answering(protocol, answers)
