"""How a request that may be repeated is asked again: a read, a page of a listing, a delete.

A network loses requests, and a service is busy now and then; whoever asks once more gets the answer. The SDKs retry
too, each in its own way, and none within a bound of time: so their retries are off, and this is what all stores over a
network do. A create is another matter (`creating`): a second attempt may find the record of the first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TypeVar

from swamp_core.store.creating import Pace, Patience
from swamp_core.store.errors import StoreUnavailable

T = TypeVar("T")

ATTEMPTS_MAX = 8


def repeated(request: Callable[[], T], *, patience: Patience, pace: Pace) -> T:
    """What the request gives. It is made again after `StoreUnavailable`, and what else it raises is raised at once.

    Eight times at most, and never again once the patience has ended, so that the last one begins within it.
    """
    started_at = pace.clock()
    for attempt in count():
        try:
            return request()
        except StoreUnavailable:
            wait_s = patience.wait_s(attempt, pace.chance())
            if attempt + 1 == ATTEMPTS_MAX or pace.clock() - started_at + wait_s > patience.total_s:
                raise
        pace.sleep(wait_s)
    raise AssertionError("the attempts are counted without end")
