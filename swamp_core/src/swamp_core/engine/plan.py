"""A workflow as the driver walks it: its steps by name, and who depends on whom.

A step is named by its job and its own name, as a pair: names are free text, so they are never joined.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from swamp_core.run.state import RunState
from swamp_core.workflow.definition import Job, Step, Workflow

StepRef = tuple[str, str]
"""A job's name and the name of a step, or of an item of one with a forEach."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a workflow in the order in which they are declared, and what follows each."""

    workflow: Workflow
    jobs: dict[str, Job]
    steps: dict[StepRef, Step]
    steps_after_step: dict[StepRef, tuple[StepRef, ...]]
    jobs_after_job: dict[str, tuple[str, ...]]

    def steps_of(self, job: str) -> list[StepRef]:
        """The steps of a job, as they are declared."""
        return [(job, step.name) for step in self.jobs[job].steps]

    def step(self, run: RunState, ref: StepRef) -> Step:
        """The definition of a step, or of the one that an item belongs to."""
        return self.steps[declared(run, ref)]


def declared(run: RunState, ref: StepRef) -> StepRef:
    """The step itself, or the one that an item belongs to."""
    return ref[0], run.step(*ref).of or ref[1]


def plan_of(workflow: Workflow) -> Plan:
    """The plan of a valid workflow."""
    after_step: defaultdict[StepRef, list[StepRef]] = defaultdict(list)
    after_job: defaultdict[str, list[str]] = defaultdict(list)
    for job in workflow.jobs:
        for job_dependency in job.depends_on:
            after_job[job_dependency.name].append(job.name)
        for step in job.steps:
            for dependency in step.depends_on:
                after_step[job.name, dependency.name].append((job.name, step.name))
    return Plan(
        workflow=workflow,
        jobs={job.name: job for job in workflow.jobs},
        steps={(job.name, step.name): step for job in workflow.jobs for step in job.steps},
        steps_after_step={ref: tuple(refs) for ref, refs in after_step.items()},
        jobs_after_job={name: tuple(names) for name, names in after_job.items()},
    )


def plan_of_run(run: RunState) -> Plan:
    """The plan of the definition that the run has pinned."""
    return plan_of(Workflow.from_json(run.definition))
