"""The steps that a driver still has to look at, and those that are ready and stand in line for room to run.

Looking at a step costs something, for each step that it depends on, so it is put down once however many of those
have ended, and none that stands in line is looked at again until there is room for it: a run of thousands of steps
must not cost more for each of them than one of a few.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator

from swamp_core.engine.ceiling import Room
from swamp_core.engine.plan import StepRef


class Line:
    """Used by the driver's thread alone. Of a job, and of a forEach, the first in line goes first."""

    def __init__(self, refs: Iterable[StepRef] = ()) -> None:
        self._unseen: OrderedDict[StepRef, None] = OrderedDict.fromkeys(refs)
        self._ready: dict[str, dict[StepRef, deque[StepRef]]] = {}
        self._standing: set[StepRef] = set()

    def __bool__(self) -> bool:
        return bool(self._unseen or self._ready)

    @property
    def has_unseen(self) -> bool:
        """Whether a step has not been looked at since something changed for it."""
        return bool(self._unseen)

    def look_at(self, refs: Iterable[StepRef]) -> None:
        """Put steps down to be looked at, again or for the first time; one that is down already stays in its place."""
        self._unseen.update(OrderedDict.fromkeys(refs))

    def unseen(self) -> Iterator[StepRef]:
        """Take the steps that are to be looked at, one after another, with those that are put down meanwhile."""
        while self._unseen:
            yield self._unseen.popitem(last=False)[0]

    def stand(self, declared: StepRef, ref: StepRef) -> None:
        """Let a step that is ready stand in line, once, with the other items of the step that was declared."""
        if ref in self._standing:
            return
        self._standing.add(ref)
        self._ready.setdefault(declared[0], {}).setdefault(declared, deque()).append(ref)

    def let_in(self, room: Room) -> tuple[StepRef, StepRef] | None:
        """Take the first step in line that there is room for, and its room: the step as declared, and itself."""
        for job, steps in self._ready.items():
            if room.is_full:
                return None
            if room.job_is_full(job):
                continue
            for declared, refs in steps.items():
                if room.take(declared):
                    ref = refs.popleft()
                    self._standing.discard(ref)
                    self._forget_empty(declared)
                    return declared, ref
        return None

    def _forget_empty(self, declared: StepRef) -> None:
        steps = self._ready[declared[0]]
        if not steps[declared]:
            del steps[declared]
        if not steps:
            del self._ready[declared[0]]
