"""Measuring a thing against its floor: the bare work that it cannot do without, measured in the same run.

Seconds say little about a program and much about a machine, so a figure is a ratio. The two sides take turns, so that
whatever else the machine does weighs on both, and the median of each is compared.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from swamp_core.ambient import monotonic_s


@dataclass(frozen=True, slots=True)
class Figure:
    """What was measured, in seconds for one unit of it, and its floor likewise."""

    name: str
    measured_s: float
    floor_name: str
    floor_s: float

    @property
    def ratio(self) -> float:
        """How many times the floor it takes."""
        return self.measured_s / self.floor_s


def against(
    name: str,
    measured: Callable[[], object],
    floor_name: str,
    floor: Callable[[], object],
    *,
    rounds: int,
    units: int = 1,
    floor_units: int | None = None,
) -> Figure:
    """The figure of `measured` over `floor`: how many units of work each does a call, the floor as many if not said."""
    sides = ((measured, units), (floor, units if floor_units is None else floor_units))
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        for (work, done), spent in zip(sides, times, strict=True):
            spent.append(seconds(work) / done)
    return Figure(name, statistics.median(times[0]), floor_name, statistics.median(times[1]))


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    started = monotonic_s()
    work()
    return monotonic_s() - started
