"""Identities for tests: the same ones each time, in the order in which they are asked for."""

from __future__ import annotations

import threading
import uuid
from datetime import datetime

from swamp_core.ambient import uuid7

SEED_MAX = 0xFFFF


class SeededIds:
    """IDs made of a seed (0 to 65,535) and a counter; no two of them begin with the same six characters.

    IDs are never reused, so processes that share a store need a seed each. Random IDs look like
    `00010007-0000-4000-8000-000000000000`: the first of seed 7. At most 65,535 of either sort.
    """

    def __init__(self, seed: int) -> None:
        if not 0 <= seed <= SEED_MAX:
            raise ValueError(f"A seed is from 0 to {SEED_MAX}, not {seed}.")
        self._seed = seed
        self._count = 0
        self._lock = threading.Lock()

    def random_id(self) -> str:
        """See `Ids.random_id`."""
        return str(uuid.UUID(int=self._next() << 112 | self._seed << 96 | 0x4 << 76 | 0b10 << 62))

    def run_id(self, now: datetime) -> str:
        """See `Ids.run_id`. In one instant, a later one, or one of a higher seed, comes after."""
        return uuid7(now, self._seed << 16 | self._next())

    def jitter(self) -> float:
        """See `Ids.jitter`: always the middle."""
        return 0.5

    def _next(self) -> int:
        with self._lock:
            self._count += 1
            return self._count
