"""The mark of one start or retry: a number that no other attempt has, and which marks of a run are stale.

A mark that two attempts share would return after it was deleted (rule 6). As an interleaving: (1) A and B read that
a run failed; A stalls. (2) B creates the mark, retries the run, and opens a wait under it. (3) The run ends and is
removed, and the mark with it. (4) A wakes and creates the mark. A signaller that was stalled since (2) stores its
signal, finds the mark, and tells its sender that it was accepted, for a run that is gone. So each attempt draws its
number from its own entry ID, and whoever loses the entry deletes their own mark and no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from swamp_core.run.events import Event, RunRetried, RunStarted
from swamp_core.run.state import RunState

_SPREAD = 2**28
"""How far apart the marks of a run may be; thousands of retries fit below `NUMBER_MAX`."""


def own_mark(entry_id: str, *, after: int = 0) -> int:
    """The number of the mark for the entry of this ID: always the same, higher than `after`, and nobody else's."""
    return after + 1 + int.from_bytes(sha256(entry_id.encode()).digest()[:8], "big") % _SPREAD


def is_stale(mark: int, run: RunState) -> bool:
    """Whether a mark that was listed before the run was read can count no more, or not for long.

    A retry goes by the entry that says how the run failed. If the run goes on after that entry, its mark is the one
    of the retry that won. If it is over, the mark may be that of a retry that has not won *yet*: then
    `may_be_retried`, and whoever deletes it has to take the place of its entry first.
    """
    return run.ended or mark != run.mark


def may_be_retried(run: RunState) -> bool:
    """Whether an entry that retries the run can follow: then a mark without an entry may be a retry under way."""
    return run.status == "failed"


def mark_in(events: Iterable[Event]) -> int | None:
    """The number of the mark that a start or a retry among the events was made under."""
    return next((event.mark for event in events if isinstance(event, RunStarted | RunRetried)), None)
