"""Retrying a run that failed: a mark of its own, then the entry, then a look at what makes the entry count.

The retry is the one append that a deleted mark cannot fence off, since it makes its own. Four ways to be too late,
as interleavings, and what keeps each from doing harm:

1. *Stalled between mark and entry.* (1) A creates its mark and stalls. (2) A sweep finds the mark of a run that is
   over. Deleting it would leave A to write an entry without a mark; leaving it would leave it for ever. So the sweep
   first takes the place of A's entry with `retry_abandoned`, and A, having lost it, deletes its own mark.
2. *Stalled before the mark.* (1) A reads that the run failed and stalls. (2) B retries it, and it goes on or ends.
   (3) A creates its mark, and loses the entry. Its mark has a number of its own (`own_mark`), so it makes nothing
   count that B's life of the run has left; A deletes it, and if A crashed, a sweep does.
3. *Stalled, and the run is removed.* (1) A reads that the run failed and stalls, before or after its mark. (2) The
   run is removed: marks, index, then its entries. (3) A creates its entry where one stood or none did: it wins. So a
   retry looks for the index last. Removal deletes the index before any entry, so whenever A could win because of a
   removal, the index is gone, and A withdraws its entry and its mark.
4. *Repeated, its answer unknown.* (1) A's entry landed, and A does not know. (2) The run ends, and A's mark is
   deleted. (3) A repeats all of it: the mark is there again, and the entry is A's. So A looks whether the run is over.
5. *Tried again, after it was lost.* (1) A creates its mark. (2) A sweep lists it, and takes the place of A's entry.
   (3) A deletes the mark, reads on, and retries for the next entry. (4) The sweep deletes the mark that it listed. So
   A's mark for another entry has another number.

Tested, in every order, by `tests/explored/test_retries.py`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from swamp_core.journal.appending import Append, Appended, Void, create_entry
from swamp_core.journal.entry import Entry, Journal, next_entry
from swamp_core.journal.marks import own_mark
from swamp_core.journal.reading import read_journal
from swamp_core.records import keys
from swamp_core.records.base import Absent
from swamp_core.records.families import Mark
from swamp_core.run.events import Event, Json, Owner, RunRetried
from swamp_core.store.operations import Delete, Get, Protocol, PutIfAbsent


def retry_run(
    journal: Journal,
    events: Sequence[Event],
    *,
    owner: Owner,
    by: str,
    inputs: Json,
    now: datetime,
    entry_id: str,
) -> Protocol[Append]:
    """Take over a run that failed, under a new mark; `events` say which steps are to run again.

    After `Appended` the run is `owner`'s to drive. After `Lost` or `Void`, read the run and decide again. To repeat a
    retry whose answer is not known, call this again with the same arguments.
    """
    run = journal.run
    number = own_mark(f"{entry_id} {journal.number + 1}", after=run.mark)
    retried = RunRetried(at=now, mark=number, owner=owner, by=by, inputs=inputs)
    entry, after = next_entry(journal, [retried, *events], entry_id=entry_id, owner=owner.token)
    mark = Mark(workflow=run.workflow, run_id=run.run_id, number=number)
    yield PutIfAbsent(mark.key(), mark.encode())
    written = yield from create_entry(entry)
    if not isinstance(written, Entry):
        yield Delete(mark.key())
        return written
    if (yield from _counts(mark, entry)):
        return Appended(after)
    yield Delete(mark.key())
    return Void()


def _counts(mark: Mark, entry: Entry) -> Protocol[bool]:
    """Whether a retry that won its entry stands; the entry is withdrawn if the run was removed."""
    is_marked: bytes | None = yield Get(mark.key())
    latest = yield from read_journal(mark.run_id)
    if (yield Get(keys.run_index(mark.workflow, mark.run_id))) is None:
        yield Delete(entry.key())
        return False
    is_over = isinstance(latest, Absent) or (isinstance(latest, Journal) and latest.run.ended)
    return is_marked is not None and not is_over
