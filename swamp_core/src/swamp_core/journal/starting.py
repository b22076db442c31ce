"""Starting a run: the store's format, the index, the mark, and entry 1, in this order.

A start that is cut off leaves an index, and perhaps a mark, without a journal: nothing has been done for it, so
nothing is lost, and a removal finishes it. A start that was only slow finds at last that its index is gone, and
withdraws.

A nested run may be started twice, by its parent's driver and by the successor of that one. As an interleaving: (1) A
creates the index and its mark, and stalls. (2) B starts the run and drives it. (3) A wakes and loses entry 1. It must
not take the run for one that was cleaned up, nor delete B's mark: each start has a mark of its own (`own_mark`), and
A deletes A's.
"""

from __future__ import annotations

from dataclasses import dataclass

from swamp_core.journal.appending import Appended, Blocked, Lost, Void, append
from swamp_core.journal.entry import Journal
from swamp_core.journal.marks import mark_in
from swamp_core.journal.reading import deletion_in
from swamp_core.records import keys
from swamp_core.records.base import Absent, Found, Unreadable, read_record
from swamp_core.records.families import FormatRecord, Mark, RunIndex
from swamp_core.run.events import RunStarted
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent


@dataclass(frozen=True, slots=True)
class UnknownFormat:
    """The store was written by a build that this one does not understand: it must not run or resume there."""

    reason: str


Start = Appended | Lost | Void | Blocked | UnknownFormat


def check_format(build: str, *, create: bool = False) -> Protocol[UnknownFormat | None]:
    """Whether this build may drive runs on the store. `create` writes the format on a store that has none."""
    reading = read_record(FormatRecord, keys.FORMAT_KEY, (yield Get(keys.FORMAT_KEY)))
    match reading:
        case Found():
            return None
        case Unreadable(reason=reason):
            return UnknownFormat(reason)
        case Absent():
            if not create:
                return None
            yield PutIfAbsent(keys.FORMAT_KEY, FormatRecord(build=build).encode())
            return (yield from check_format(build))


def start_run(event: RunStarted, *, entry_id: str, build: str) -> Protocol[Start]:
    """Make a run exist: after `Appended`, its driver may begin; after `Void`, the start was cleaned up as cut off.

    `Lost` is possible only where several may start the run: another one has. To repeat a start whose answer is not
    known, call this again with the same arguments.
    """
    unknown = yield from check_format(build, create=True)
    if unknown:
        return unknown
    index = RunIndex(workflow=event.workflow, run_id=event.run_id)
    yield PutIfAbsent(index.key(), index.encode())
    mark = Mark(workflow=event.workflow, run_id=event.run_id, number=event.mark)
    yield PutIfAbsent(mark.key(), mark.encode())
    started = yield from append(Journal(event.run_id), [event], entry_id=entry_id, owner=event.owner.token)
    if isinstance(started, Lost) and not deletion_in(started.theirs):
        if mark_in(started.theirs.events) != mark.number:
            yield Delete(mark.key())
        return started
    if isinstance(started, Appended):
        if (yield Get(index.key())) is not None:
            return started
        yield Delete(keys.entry(event.run_id, 1))
    yield Delete(mark.key())
    if isinstance(started, Lost):
        yield Delete(index.key())  # Made, perhaps, after the removal had deleted it.
    return started if isinstance(started, Blocked) else Void()
