"""The waits of a kind that are open: registered, without an outcome, and marked.

Listing settles nothing, whatever the clock says, and reads no finished run: it costs two listings, and two requests
for each registration. A record that cannot be read is shown as such; it never hides the others.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.families import OUTCOME, Registration, WaitKind
from swamp_core.store.operations import Get, List, Protocol, Together


@dataclass(frozen=True, slots=True)
class OpenWaits:
    """Open waits, oldest first, and the records that cannot be read; among them those of waits of any kind.

    `others` are the open waits of the other kind, which are read in any case; `unfinished` are the workflows that have
    unfinished runs.
    """

    waits: tuple[Registration, ...]
    unreadable: tuple[Unreadable, ...]
    others: tuple[Registration, ...] = ()
    unfinished: frozenset[str] = frozenset()


def list_open_waits(kind: WaitKind, *, of: str = "", limit: int | None = None) -> Protocol[OpenWaits]:
    """All open waits of the kind in the store. 2 W + 2 requests for W registrations.

    Only those whose IDs begin with `of`, and of the first `limit` that are registered, for whoever is in a hurry.
    """
    registered: list[str] = yield List(keys.WAITS + of, limit=limit)
    marks: set[str] = set((yield List(keys.OPEN_RUNS)))
    wait_ids = [key.removeprefix(keys.WAITS) for key in registered]
    gets = [Get(key) for key in registered] + [Get(keys.outcome(wait_id)) for wait_id in wait_ids]
    found: list[bytes | None] = yield Together(tuple(gets))
    waits: list[Registration] = []
    unreadable: list[Unreadable] = []
    for key, data, outcome in zip(
        registered, found[: len(registered)], found[len(registered) :], strict=True
    ):
        wait = read_record(Registration, key, data)
        settled = read_record(OUTCOME, keys.outcome(key.removeprefix(keys.WAITS)), outcome)
        if not isinstance(wait, Found) or wait.record.wait_kind == kind:
            unreadable += [reading for reading in (wait, settled) if isinstance(reading, Unreadable)]
        if isinstance(wait, Found) and isinstance(settled, Absent) and wait.record.mark_key() in marks:
            waits.append(wait.record)
    waits.sort(key=lambda wait: (wait.opened_at, wait.wait_id))
    of_kind = tuple(wait for wait in waits if wait.wait_kind == kind)
    others = tuple(wait for wait in waits if wait.wait_kind != kind)
    unfinished = frozenset(named[0] for key in marks if (named := keys.marked(key)))
    return OpenWaits(of_kind, tuple(unreadable), others, unfinished)
