"""Starting a nested run, which counts only while the step that it is the work of is waited for: its parent's mark.

As an interleaving: (1) A driver writes that it will start a child, and stalls. (2) Its run is cancelled, ended, and
perhaps removed; there is no child yet that could be cancelled or removed with it. (3) The driver wakes and starts the
child. Nobody would ever end it. So whoever has started a child reads its parent's mark (rule 5): without it the child
is ended at once, and removed if its parent was.
"""

from __future__ import annotations

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import end_unattended
from swamp_core.journal.appending import Appended, Void, is_removed
from swamp_core.journal.marks import own_mark
from swamp_core.journal.removal import remove_run
from swamp_core.journal.starting import Start, start_run
from swamp_core.records import keys
from swamp_core.run.events import CancelRequested, RunStarted
from swamp_core.store.operations import Get, Protocol


def start_child(event: RunStarted, *, entry_id: str, build: str, ambient: Ambient) -> Protocol[Start]:
    """Start a nested run under a mark of this attempt's own, whatever mark the event has.

    After `Appended` the child is `event.owner`'s to drive. After `Lost` another process has started it. After `Void`
    the child or its parent is over, and the child is ended. To repeat one whose answer is not known, call this again
    with the same arguments.
    """
    parent = event.parent
    assert parent is not None
    event = event.model_copy(update={"mark": own_mark(entry_id)})
    started = yield from start_run(event, entry_id=entry_id, build=build)
    if not isinstance(started, Appended):
        return started
    if (yield Get(keys.mark(parent.workflow, parent.run_id, parent.mark))) is not None:
        return started
    now, token = ambient.clock.now(), event.owner.token
    request = CancelRequested(at=now, by=event.started_by, reason="The run that it is nested in is over.")
    yield from end_unattended(started.journal, [request], token=token, ambient=ambient)
    if (yield from is_removed(parent.run_id)):
        entry_id = ambient.ids.random_id()
        yield from remove_run(event.workflow, event.run_id, now=now, entry_id=entry_id, owner=token)
    return Void()
