"""What must hold between the jobs of a workflow, and between the steps of a job: names and dependencies.

Nothing here looks at a file, a model or another workflow, so whoever reads a pinned definition can ask it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter

from swamp_core.workflow.definition import Job, Step, WaitForSignal, Workflow
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted

Dependencies = Mapping[str, Sequence[str]]
"""For each name, the names that it depends on."""


def structure_findings(workflow: Workflow) -> Iterator[Finding]:
    """What is wrong with the names and dependencies of a workflow's jobs and of their steps."""
    yield from _group_findings(workflow.jobs, ("jobs",), "job")
    for index, job in enumerate(workflow.jobs):
        yield from _group_findings(job.steps, ("jobs", index, "steps"), "step")
        yield from _expanded_name_findings(job.steps, ("jobs", index, "steps"))
    yield from _key_findings(workflow)


def dependencies_of(group: Sequence[Job | Step]) -> dict[str, list[str]]:
    """What each of the jobs or steps depends on, by name."""
    return {each.name: [dependency.name for dependency in each.depends_on] for each in group}


def find_circle(dependencies: Dependencies) -> list[str] | None:
    """A chain of names, each depending on the next, that ends where it starts; None if there is none."""
    try:
        TopologicalSorter(dependencies).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1][:0:-1]
        first = min(circle, key=list(dependencies).index)
        start = circle.index(first)
        return [*circle[start:], *circle[:start], first]
    return None


def depends_on(name: str, other: str, dependencies: Dependencies) -> bool:
    """Whether the one goes on only after the other has ended, directly or through others."""
    seen: set[str] = set()
    ahead = list(dependencies.get(name, ()))
    while ahead:
        each = ahead.pop()
        if each == other:
            return True
        if each not in seen:
            seen.add(each)
            ahead.extend(dependencies.get(each, ()))
    return False


def _group_findings(group: Sequence[Job | Step], path: KeyPath, kind: str) -> Iterator[Finding]:
    yield from _name_findings(group, path, kind)
    dependencies = dependencies_of(group)
    for index, each in enumerate(group):
        yield from _dependency_findings(each, (*path, index, "dependsOn"), kind, dependencies)
    if circle := find_circle(dependencies):
        index = [each.name for each in group].index(circle[0])
        chain = " → ".join(map(quoted, circle))
        message = f"These {kind}s depend on each other in a circle, so none of them can start: {chain}."
        yield Finding((*path, index, "dependsOn"), "dependency_cycle", message)


def _name_findings(group: Sequence[Job | Step], path: KeyPath, kind: str) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, each in enumerate(group):
        at = (*path, index, "name")
        if "${{" in each.name:
            message = f"The name of a {kind} is plain text, without expressions."
            yield Finding(at, "expression_not_allowed", message)
        if each.name in first:
            message = f"There is more than one {kind} {quoted(each.name)} here."
            yield Finding(at, "duplicate_name", message, first=(*path, first[each.name], "name"))
        else:
            first[each.name] = index


def _expanded_name_findings(steps: Sequence[Step], path: KeyPath) -> Iterator[Finding]:
    """Names that begin as those of another step's items do, `NAME[`, and so might be one of these."""
    expanded = {step.name: index for index, step in enumerate(steps) if step.for_each is not None}
    for index, step in enumerate(steps):
        beginnings = (step.name[:end] for end, character in enumerate(step.name) if character == "[")
        for name in filter(expanded.__contains__, beginnings):
            message = (
                f"{quoted(step.name)} could be an item of the forEach step {quoted(name)}, whose items are called "
                f"{quoted(f'{name}[…]')}; rename one of the two."
            )
            yield Finding(
                (*path, index, "name"), "ambiguous_name", message, first=(*path, expanded[name], "name")
            )


def _key_findings(workflow: Workflow) -> Iterator[Finding]:
    """Keys that two steps declare, of any jobs, and keys of a step that is many."""
    first: dict[str, tuple[KeyPath, str]] = {}
    for path, job, step in _steps(workflow):
        if not isinstance(step.task, WaitForSignal):
            continue
        if step.task.key is None:
            if step.task.early_signals is not None:
                message = (
                    "Only a signal under a key can come early: give the step a `key`, or leave this out."
                )
                yield Finding((*path, "task", "earlySignals"), "early_signals_without_key", message)
            continue
        key, at, name = step.task.key, (*path, "task", "key"), quoted(f"{job.name}/{step.name}")
        if step.for_each is not None:
            message = f"The step {name} is one for each item, and one wait holds a key at a time; leave the key out."
            yield Finding(at, "wait_key_under_for_each", message)
        if key in first:
            other, its_name = first[key]
            message = (
                f"The steps {its_name} and {name} have the same key {quoted(key)}; give one of them another."
            )
            yield Finding(at, "duplicate_wait_key", message, first=other)
        else:
            first[key] = at, name


def _steps(workflow: Workflow) -> Iterator[tuple[KeyPath, Job, Step]]:
    for job_index, job in enumerate(workflow.jobs):
        for step_index, step in enumerate(job.steps):
            yield ("jobs", job_index, "steps", step_index), job, step


def _dependency_findings(
    each: Job | Step, path: KeyPath, kind: str, known: Dependencies
) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for index, dependency in enumerate(each.depends_on):
        name = dependency.name
        if name not in known:
            suggestion = did_you_mean(name, set(known) - {each.name})
            message = f"There is no {kind} {quoted(name)} to depend on{suggestion}"
            yield Finding((*path, index), "unknown_dependency", message)
        elif name in seen:
            message = f"{quoted(each.name)} depends on {quoted(name)} twice; join the two with `and` or `or`."
            yield Finding((*path, index), "duplicate_dependency", message, first=(*path, seen[name]))
        else:
            seen[name] = index
