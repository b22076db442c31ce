"""Whether somebody drives a run, as far as can be told: for people, and for `recover` and `cancel`.

Nothing depends on it for correctness: two processes that both believe that they drive a run are kept apart by the
journal, where only one can write the next entry.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from swamp_core.ambient import Ambient, process_is_alive
from swamp_core.run.events import Owner
from swamp_core.run.state import RunState
from swamp_core.run.statuses import ShownStatus

LEASE_S = 90
LEASE_RENEWAL_S = 30


def new_owner(ambient: Ambient) -> Owner:
    """This process as the driver of a run, under a fresh token."""
    return Owner(
        host=ambient.host,
        pid=ambient.pid,
        token=ambient.ids.random_id(),
        lease_until=lease_from(ambient.clock.now()),
    )


def lease_from(now: datetime) -> datetime:
    """Until when a driver that shows itself now is taken for alive."""
    return now + timedelta(seconds=LEASE_S)


def is_driven(
    run: RunState, now: datetime, host: str, is_alive: Callable[[int], bool] = process_is_alive
) -> bool:
    """Whether a living process drives the run: its lease holds, and on this host its process exists."""
    if run.status != "running" or run.owner is None:
        return False
    return now < run.owner.lease_until and (run.owner.host != host or is_alive(run.owner.pid))


def shown_status(run: RunState, now: datetime, host: str) -> ShownStatus:
    """The run's status for people: a running one that nobody drives is interrupted."""
    return "interrupted" if run.status == "running" and not is_driven(run, now, host) else run.status
