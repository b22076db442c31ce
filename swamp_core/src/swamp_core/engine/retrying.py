"""Retrying a run that failed: which of its steps run again, and taking the run over under a mark of its own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from swamp_core.engine.plan import Plan, StepRef, declared, plan_of_run
from swamp_core.engine.readiness import all_steps
from swamp_core.engine.reading import read_run
from swamp_core.engine.suspending import NotSuspended, Resumed
from swamp_core.journal.appending import Appended, Blocked
from swamp_core.journal.retrying import retry_run
from swamp_core.journal.starting import UnknownFormat, check_format
from swamp_core.records.base import Absent, Unreadable
from swamp_core.run.events import Json, Owner, StepReset
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol

Retrial = Resumed | NotSuspended | Absent | Blocked | UnknownFormat


def retry_failed_run(
    run_id: str,
    *,
    steps: tuple[StepRef, ...],
    owner: Owner,
    by: str,
    inputs: Json,
    now: datetime,
    entry_id: str,
    build: str,
) -> Protocol[Retrial]:
    """Take over a run that failed, to run these steps again, or else those that failed, and what depends on them.

    Of several that retry at once one is given `Resumed`; the others see who was. To repeat one whose answer is not
    known, call this again with the same arguments.
    """
    unknown = yield from check_format(build)
    if unknown:
        return unknown
    while True:
        journal = yield from read_run(run_id)
        if isinstance(journal, Absent):
            return journal
        if isinstance(journal, Unreadable):
            return Blocked(journal)
        run = journal.run
        if run.owner and run.owner.token == owner.token:
            return Resumed(journal, {})
        if run.status != "failed":
            return NotSuspended(run)
        resets = [
            StepReset(at=now, job=job, step=step, reason="The run was retried.")
            for job, step in steps_to_reset(plan_of_run(run), run, steps)
        ]
        retried = yield from retry_run(
            journal, resets, owner=owner, by=by, inputs=inputs, now=now, entry_id=entry_id
        )
        if isinstance(retried, Appended):
            return Resumed(retried.journal, {})
        if isinstance(retried, Blocked):
            return retried


def steps_to_reset(plan: Plan, run: RunState, steps: Iterable[StepRef] = ()) -> list[StepRef]:
    """The steps that run again, in the order in which they are declared; each was over.

    They are those named, or else those that failed and made the run fail; whatever depends on them; and what was cut
    off when the run ended. An item runs again alone, unless its whole step does.
    """
    chosen = set(steps) or {
        ref
        for ref in all_steps(plan, run)
        if run.step(*ref).counts_as_failed and run.step(*ref).expansion is None
    }
    chosen |= {ref for ref in all_steps(plan, run) if run.step(*ref).cut_off}
    whole = _dependents(plan, {declared(run, ref) for ref in chosen})
    whole |= {ref for ref in chosen if ref in plan.steps}
    return [
        ref
        for ref in all_steps(plan, run)
        if run.step(*ref).status != "pending"
        and (ref in whole or (ref in chosen and declared(run, ref) not in whole))
    ]


def _dependents(plan: Plan, refs: Iterable[StepRef]) -> set[StepRef]:
    """Everything that depends on these steps, directly or through others, by steps or by jobs."""
    found: set[StepRef] = set()
    ahead = list(refs)
    while ahead:
        ref = ahead.pop()
        after = [*plan.steps_after_step.get(ref, ())]
        for job in plan.jobs_after_job.get(ref[0], ()):
            after += plan.steps_of(job)
        new = [each for each in after if each not in found]
        found.update(new)
        ahead += new
    return found
