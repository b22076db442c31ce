"""The actors of the explorations of a nested run: those that start it, its parent's end, and the removal of both."""

from __future__ import annotations

from swamp_core.engine.cancelling import cancel_run
from swamp_core.engine.removing import TreeRemoved, remove_tree
from swamp_core.engine.starting_children import start_child
from swamp_core.engine.sweeping import sweep
from swamp_core.journal.appending import Appended, append
from swamp_core.journal.ending import clear_ended, end_run
from swamp_core.journal.entry import Journal
from swamp_core.journal.reading import read_journal
from swamp_core.journal.removal import begin_removal
from swamp_core.journal.starting import start_run
from swamp_core.records import keys
from swamp_core.run.events import (
    ChildApplied,
    ChildPlanned,
    Parent,
    RunFinished,
    RunStarted,
    StepError,
    StepStarted,
    StepSucceeded,
)
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import Get, execute
from swamp_core.testing.explore import Act, ActorProtocol
from swamp_core.workflow.definition import Workflow

from tests.explored import runs
from tests.explored.runs import NOW, RUN, ambient, answering, canceller, started

PARENT = "01900000-0000-7000-8000-0000000000aa"
PARENT_MARK = keys.mark("above", PARENT, 1)


def child_started(token: str) -> RunStarted:
    """The child's first event, as this driver of its parent makes it."""
    parent = Parent(run_id=PARENT, workflow="above", mark=1, job="j", step="nest")
    return started(RUN, token).model_copy(update={"parent": parent})


DEFINITION = Workflow.from_json(
    {
        "name": "above",
        "jobs": [
            {
                "name": "j",
                "steps": [
                    {"name": "nest", "task": {"type": "workflow", "workflowIdOrName": "ask", "inputs": {}}}
                ],
            }
        ],
    }
).to_json()


def parent_started() -> RunStarted:
    """The parent's first event."""
    pinned = {"workflow": "above", "definition": DEFINITION, "workflows": {"ask": runs.DEFINITION}}
    return started(PARENT, "parent").model_copy(update=pinned)


def planned_child() -> dict[str, bytes]:
    """The records of a parent that is about to start its child."""
    store = MemoryStore()
    begun = execute(start_run(parent_started(), entry_id="p1", build="test"), store)
    assert isinstance(begun, Appended)
    planned = ChildPlanned(at=NOW, job="j", step="nest", child_run_id=RUN, workflow="ask", inputs={})
    execute(append(begun.journal, [planned], entry_id="p2", owner="parent"), store)
    return store.records


def ended_parent() -> dict[str, bytes]:
    """The records of a parent that is over, and never came to starting its child; as few of them as can be."""
    store = MemoryStore()
    begun = execute(start_run(parent_started(), entry_id="p1", build="test"), store)
    assert isinstance(begun, Appended)
    where = {"at": NOW, "job": "j", "step": "nest", "child_run_id": RUN}
    planned = ChildPlanned(**where, workflow="ask", inputs={})
    failed = ChildApplied(**where, error=StepError(code="cancelled", message="The run was cancelled."))
    events = [planned, failed, RunFinished(at=NOW, status="cancelled")]
    over = execute(append(begun.journal, events, entry_id="p2", owner="parent"), store)
    assert isinstance(over, Appended)
    execute(clear_ended(over.journal.run), store)
    return store.records


def parent_being_removed() -> dict[str, bytes]:
    """The same, once the parent's removal has begun."""
    store = MemoryStore(ended_parent())
    execute(begin_removal(PARENT, now=NOW, entry_id="r1", owner="remover"), store)
    return store.records


def ended_tree() -> dict[str, bytes]:
    """The records of a parent and its child, both over."""
    store = MemoryStore(planned_child())
    begun = execute(start_child(child_started("c"), entry_id="c1", build="test", ambient=ambient("c")), store)
    assert isinstance(begun, Appended)
    execute(canceller(), store)
    execute(ender(), store)
    return store.records


def tree_being_removed() -> dict[str, bytes]:
    """The same, once the removal of the tree has begun."""
    store = MemoryStore(ended_tree())
    execute(begin_removal(PARENT, now=NOW, entry_id="r1", owner="remover"), store)
    return store.records


def starter(token: str) -> ActorProtocol:
    """A driver of the parent that starts the child, deploys in it, and ends it."""
    begun = yield from start_child(
        child_started(token), entry_id=f"{token}-1", build="test", ambient=ambient(token)
    )
    if not isinstance(begun, Appended):
        return type(begun).__name__
    intent = StepStarted(at=NOW, job="j", step="deploy")
    going = yield from append(begun.journal, [intent], entry_id=f"{token}-d", owner=token)
    if not isinstance(going, Appended):
        return f"deploy {type(going).__name__}"
    yield Act(("deploys", f"{token}-d"))
    done = StepSucceeded(at=NOW, job="j", step="deploy", outputs={})
    over = yield from append(going.journal, [done], entry_id=f"{token}-s", owner=token)
    if not isinstance(over, Appended):
        return f"done {type(over).__name__}"
    ended = yield from end_run(over.journal, "succeeded", now=NOW, entry_id=f"{token}-e", owner=token)
    return type(ended).__name__


def starter_that_suspends(token: str) -> ActorProtocol:
    """A driver of the parent that starts the child and leaves it to itself."""
    begun = yield from start_child(
        child_started(token), entry_id=f"{token}-1", build="test", ambient=ambient(token)
    )
    return type(begun).__name__


def ender() -> ActorProtocol:
    """End the parent, then cancel its child: in this order, so that a child that is started later ends itself."""
    while True:
        journal = yield from read_journal(PARENT)
        if not isinstance(journal, Journal):
            return "gone"
        if journal.run.ended:
            break
        if journal.run.waiting_children():
            error = StepError(code="cancelled", message="The run was cancelled.")
            failed = ChildApplied(at=NOW, job="j", step="nest", child_run_id=RUN, error=error)
            yield from append(journal, [failed], entry_id="x1", owner="ender")
        else:
            yield from end_run(journal, "cancelled", now=NOW, entry_id="x2", owner="ender")
    yield from clear_ended(journal.run)
    yield from cancel_run(RUN, by="ender", reason=None, ambient=ambient("ender"))
    return "ended"


def parent_canceller(name: str = "canceller") -> ActorProtocol:
    """Cancel the parent, whose driver is taken for dead, as production code does."""
    cancelled = yield from cancel_run(PARENT, by=name, reason=None, ambient=ambient(name))
    return type(cancelled).__name__


def remover_of_the_child() -> ActorProtocol:
    """What the removal of the parent does with the child, once: it gives up if the child is not over."""
    removal = yield from remove_tree(RUN, ambient=ambient("remover"))
    return type(removal).__name__


def remover(name: str = "remover", run_id: str = PARENT) -> ActorProtocol:
    """Remove the parent with its child, as a forced delete does."""
    while True:
        removal = yield from remove_tree(run_id, ambient=ambient(name))
        if isinstance(removal, TreeRemoved):
            return "Removed"
        yield from cancel_run(RUN, by=name, reason=None, ambient=ambient(name))


def sweeper(name: str = "sweeper") -> ActorProtocol:
    """Clean up whatever is left over in the store, twice: what one sweep ends, the next may remove."""
    yield from sweep(ambient=ambient(name))
    return (yield from sweep(ambient=ambient(f"{name}-again")))


def without_its_parents_mark(protocol: ActorProtocol) -> ActorProtocol:
    """A start of a child that takes its parent for granted."""
    return answering(protocol, lambda operation: b"{}" if operation == Get(PARENT_MARK) else None)
