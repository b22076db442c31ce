"""Workflows that run others: what must hold across the files of a repo, so that each nested run can start and end.

A nested workflow exists and is valid, none runs itself through others, and a run has at most `LEVELS_MAX` levels, of
which it is the first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from swamp_core.expressions import has_expression
from swamp_core.workflow.definition import NestedWorkflow, Workflow
from swamp_core.workflow.nested_inputs import nested_input_findings
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.structure import find_circle

LEVELS_MAX = 16

KnownWorkflows = Mapping[str, Workflow | None]
"""The workflows of a repo by name, whatever is wrong with them; None stands for a file that holds no workflow."""

_ABOUT_NAMES = frozenset({"unknown_nested_workflow", "nested_cycle", "nested_too_deep"})

Nesting = dict[str, list[str]]
"""For each workflow, by name, those that its steps run."""


def nesting_findings(workflow: Workflow, known: KnownWorkflows) -> Iterator[Finding]:
    """What is wrong with the workflows that the steps of this one run, and with what these are given."""
    nesting = nesting_below(workflow, known)
    is_in_circle = any(workflow.name in names for names in nesting.values())
    is_too_deep = too_deep([workflow.name], nesting) is not None and find_circle(nesting) is None
    for path, task in nested_tasks(workflow):
        name, at = task.workflow_id_or_name, (*path, "workflowIdOrName")
        if has_expression(name):
            continue
        if name not in known and name != workflow.name:
            suggestion = did_you_mean(name, set(known) - {workflow.name})
            message = f"There is no workflow {quoted(name)}{suggestion}"
            yield Finding(at, "unknown_nested_workflow", message)
        elif is_in_circle and (circle := way(name, workflow.name, nesting)):
            message = f"Such a run would start itself again without end: {_chain([workflow.name, *circle])}."
            yield Finding(at, "nested_cycle", message)
        elif is_too_deep and (deep := too_deep([workflow.name, name], nesting)):
            message = f"Runs would be nested more than {LEVELS_MAX} deep: {_chain(deep)}."
            yield Finding(at, "nested_too_deep", message)
        nested = known.get(name)
        if nested is not None:
            yield from nested_input_findings(task, nested, path)


def broken_nesting_findings(
    workflow: Workflow, broken: Collection[str], already: Iterable[Finding]
) -> Iterator[Finding]:
    """The steps that run a workflow of those names, unless something was found about its name already."""
    judged = {finding.path for finding in already if finding.code in _ABOUT_NAMES}
    for path, task in nested_tasks(workflow):
        at = (*path, "workflowIdOrName")
        if task.workflow_id_or_name in broken and at not in judged:
            message = f"The workflow {quoted(task.workflow_id_or_name)} cannot run; correct it first."
            yield Finding(at, "invalid_nested_workflow", message)


def nested_tasks(workflow: Workflow) -> Iterator[tuple[KeyPath, NestedWorkflow]]:
    """The tasks of the workflow that run another one, each with its path."""
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            if isinstance(step.task, NestedWorkflow):
                yield ("jobs", job_index, "steps", step_index, "task"), step.task


def nesting_below(workflow: Workflow, known: KnownWorkflows) -> Nesting:
    """What the workflow runs, and what each of these runs, and so on."""
    nesting = {workflow.name: workflow.nested_names()}
    ahead = [*nesting[workflow.name]]
    while ahead:
        name = ahead.pop()
        if name not in nesting:
            nested = known.get(name)
            nesting[name] = nested.nested_names() if nested is not None else []
            ahead.extend(nesting[name])
    return nesting


def way(start: str, end: str, nesting: Nesting) -> list[str] | None:
    """The names on a shortest way from one to the other, both included; None if there is no way."""
    came_from: dict[str, str | None] = {start: None}
    ahead = [start]
    for name in ahead:
        if name == end:
            return _way_back(name, came_from)[::-1]
        for nested in nesting.get(name, ()):
            if nested not in came_from:
                came_from[nested] = name
                ahead.append(nested)
    return None


def too_deep(chain: list[str], nesting: Nesting) -> list[str] | None:
    """The chain, gone on with down to one level too many; None if no way down is that long."""
    *above, name = chain
    levels: list[dict[str, str | None]] = [{name: None}]
    while levels[-1] and len(above) + len(levels) <= LEVELS_MAX:
        levels.append({nested: name for name in levels[-1] for nested in nesting.get(name, ())})
    if not levels[-1]:
        return None
    deepest: str | None = next(iter(levels[-1]))
    found = []
    for level in reversed(levels):
        if deepest is not None:
            found.append(deepest)
            deepest = level[deepest]
    return [*above, *reversed(found)]


def _way_back(name: str | None, came_from: Mapping[str, str | None]) -> list[str]:
    names = []
    while name is not None:
        names.append(name)
        name = came_from[name]
    return names


def _chain(names: Iterable[str]) -> str:
    return " → ".join(map(quoted, names))
