"""A nested run, as the driver of its parent sees it: how it begins, is taken up, and what its end means for the step.

It is an ordinary run of its own, which any process may go on with. So its parent's driver starts it or takes it up
like anybody else, and adopts its result whoever drove it.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.ambient import Ambient
from swamp_core.engine.reading import read_run
from swamp_core.engine.starting_children import start_child
from swamp_core.engine.suspending import NotSuspended, Resumed, resume_run
from swamp_core.engine.tasks import NotDriven
from swamp_core.journal.appending import Appended
from swamp_core.journal.entry import Journal
from swamp_core.records.base import Absent
from swamp_core.run.events import Owner, Parent, RunStarted
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol
from swamp_core.workflow.definition import ModelMethod, Workflow


@dataclass(frozen=True, slots=True)
class Attempt:
    """One attempt to drive a nested run: the same IDs, however often it is repeated for want of an answer."""

    owner: Owner
    start_id: str
    resume_id: str
    build: str


def take_up_child(
    parent: RunState, child_run_id: str, attempt: Attempt, ambient: Ambient
) -> Protocol[Resumed | RunState | NotDriven]:
    """Start the nested run if nobody has, or resume it if it can go on; its state when it has ended.

    `NotDriven` when another process drives it, or it waits for something that nobody has done.
    """
    journal = yield from read_run(child_run_id)
    if isinstance(journal, Absent):
        started = _started(parent, child_run_id, attempt.owner, ambient)
        begun = yield from start_child(
            started, entry_id=attempt.start_id, build=attempt.build, ambient=ambient
        )
        if isinstance(begun, Appended):
            return Resumed(begun.journal, {})
        journal = yield from read_run(child_run_id)
    if isinstance(journal, Journal) and journal.run.ended:
        return journal.run
    resumed = yield from resume_run(
        child_run_id,
        owner=attempt.owner,
        now=ambient.clock.now(),
        entry_id=attempt.resume_id,
        build=attempt.build,
        by=ambient.user,
    )
    match resumed:
        case Resumed():
            return resumed
        case NotSuspended(run=run) if run.ended:
            return run
        case _:
            return NotDriven()


def _started(parent: RunState, child_run_id: str, owner: Owner, ambient: Ambient) -> RunStarted:
    child = parent.children[child_run_id]
    workflows = _reachable(parent, child.workflow)
    own = workflows.pop(child.workflow)
    called = {
        step.task.model_id_or_name
        for workflow in (own, *workflows.values())
        for job in workflow.jobs
        for step in job.steps
        if isinstance(step.task, ModelMethod)
    }
    return RunStarted(
        at=ambient.clock.now(),
        run_id=child_run_id,
        workflow=child.workflow,
        mark=1,
        definition=parent.workflows[child.workflow],
        workflows={name: parent.workflows[name] for name in workflows},
        models={name: model for name, model in parent.models.items() if name in called},
        inputs=child.inputs,
        owner=owner,
        started_by=ambient.user,
        parent=Parent(
            run_id=parent.run_id,
            workflow=parent.workflow,
            mark=child.mark,
            job=child.job,
            step=child.step,
        ),
    )


def _reachable(parent: RunState, name: str) -> dict[str, Workflow]:
    """The workflow, and all that it runs directly or through others, as the parent has pinned them."""
    found: dict[str, Workflow] = {}
    ahead = [name]
    while ahead:
        each = ahead.pop()
        if each not in found:
            found[each] = Workflow.from_json(parent.workflows[each])
            ahead += found[each].nested_names()
    return found
