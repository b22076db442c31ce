"""The order in which jobs, and the steps of a job, come to run: each after all that it depends on. Pure.

There are no levels when a workflow runs: a step starts as soon as it may. A *wave* is only how people read it: the
things of one wave can run side by side once those of the waves before it are over.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush
from typing import TypeVar

from swamp_core.workflow.definition import Job, Step

J = TypeVar("J", Job, Step)


def in_order(group: Sequence[J]) -> list[J]:
    """The jobs or steps so that each follows what it depends on; apart from that, as they are declared."""
    numbers = {each.name: number for number, each in enumerate(group)}
    missing = {each.name: len({dependency.name for dependency in each.depends_on}) for each in group}
    after: dict[str, list[str]] = {each.name: [] for each in group}
    for each in group:
        for name in {dependency.name for dependency in each.depends_on}:
            after[name].append(each.name)
    ready = [number for number, each in enumerate(group) if not missing[each.name]]
    ordered: list[J] = []
    while ready:
        ordered.append(group[heappop(ready)])
        for name in after[ordered[-1].name]:
            missing[name] -= 1
            if not missing[name]:
                heappush(ready, numbers[name])
    return ordered


def waves(group: Sequence[J]) -> dict[str, int]:
    """The wave of each of the jobs or steps by name, from 0."""
    found: dict[str, int] = {}
    for each in in_order(group):
        before = [found[dependency.name] for dependency in each.depends_on]
        found[each.name] = 1 + max(before, default=-1)
    return found
