"""How a caller waits for another process that drives a run: knowingly, and for no longer than they like.

A process that hangs or is stopped keeps a run until its lease is over. Whoever waits for it is told whom they wait for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from swamp_core.flag import Flag
from swamp_core.run.state import RunState
from swamp_core.store.errors import StoreError

Awaited = Callable[[RunState], None]
"""Told of a run, each time that it is looked at and another process drives it."""


def _nothing(_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class Patience:
    """`trouble` is told of every failure of the store that is waited out; `interrupted` ends the waiting."""

    awaited: Awaited = _nothing
    trouble: Callable[[StoreError], None] = _nothing
    interrupted: Flag = field(default_factory=Flag)
