"""Copying all records from one datastore to another, so that a team can move from a directory to a bucket and back.

1. A copy that was cut off is gone on with by copying again. So the target may hold what the source holds, byte for
   byte, and nothing else; a target that holds anything else is refused before a record is written.
2. What makes a run visible (marks, registrations, indexes, the format) is copied last, so nobody finds half a run.
3. A target that is the source, or lies inside it, is found out by a record that is put there for a moment.
4. Every record is read back from the target. At the end both are listed again, and a source that has changed
   meanwhile is refused: what is in use cannot be copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from swamp_core.app.datastore_views import CopyResult
from swamp_core.app.proving import new_probe, prove_store
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Setting, Workspace
from swamp_core.engine.lives import is_driven
from swamp_core.engine.reading import read_run
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.store.fan_out import FAN_OUT, fan_out, get_many
from swamp_core.store.probing import NOTE_KEY, PROBES, thrown_away
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import describe

LAST = (keys.OPEN_RUNS, keys.WAITS, keys.WORKFLOW_RUNS, keys.FORMAT_KEY)
"""What makes runs visible, in the order in which it is copied when all else is there."""


def copy_datastore(
    workspace: Workspace,
    source: Setting,
    target: Setting,
    *,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> CopyResult:
    """Copy every record; `tell` hears now and then how many of how many are there.

    Nothing may use either store meanwhile, and nothing may use the source afterwards. Raises `Refused`
    (`nothing_to_copy`, `target_not_empty`, `run_active`, `source_changed`, `invalid_input`) and `StoreError`; repeating
    the call goes on.
    """
    here, there = replace(workspace, datastore=source), replace(workspace, datastore=target)
    listed = _records(here.store)
    if not listed:
        raise Refused(
            "nothing_to_copy",
            f"There is no record in {describe(source).store}.",
            hint="Correct FROM: its bucket, directory or prefix.",
        )
    _refuse_driven(here)
    _refuse_overlap(here.store, there)
    prove_store(there)
    skipped = _equal_already(here.store, there.store, listed)
    todo = sorted(listed - skipped, key=_turn)
    copied = 0
    for first in range(0, len(todo), FAN_OUT):
        copied += _copy(here.store, there.store, todo[first : first + FAN_OUT])
        tell(len(skipped) + first, len(listed))
    if _records(here.store) != listed:
        raise _source_changed()
    for key in _records(there.store) ^ listed:
        raise _not_empty(key)
    return CopyResult(
        source=describe(source).store,
        target=describe(target).store,
        copied=copied,
        skipped=len(listed) - copied,
        verified=len(listed),
    )


def _records(store: SignalWaitStore) -> set[str]:
    """The keys of all records but those that tell of the store itself."""
    return {key for key in store.list("") if key != NOTE_KEY and not key.startswith(PROBES)}


def _turn(key: str) -> tuple[int, str]:
    """When a record is copied: by what it makes visible, then in the order of keys."""
    return next((turn for turn, prefix in enumerate(LAST) if key.startswith(prefix)), -1), key


def _equal_already(source: SignalWaitStore, target: SignalWaitStore, listed: set[str]) -> set[str]:
    """The keys that an earlier copy has brought over. Raises `Refused` (`target_not_empty`) for anything else."""
    there = _records(target)
    for key in there - listed:
        raise _not_empty(key)
    for key in _different(get_many(source, there), get_many(target, there)):
        raise _not_empty(key)
    return there


def _copy(source: SignalWaitStore, target: SignalWaitStore, chunk: list[str]) -> int:
    """Copy some records and read them back; how many were not there before."""
    records = get_many(source, chunk)
    if None in records.values():
        raise _source_changed()
    created = fan_out(lambda key: target.put_if_absent(key, records[key] or b""), chunk)
    for key in _different(records, get_many(target, chunk)):
        raise _not_empty(key)
    return created.count(True)


def _different(records: dict[str, bytes | None], others: dict[str, bytes | None]) -> Iterable[str]:
    return (key for key, data in records.items() if others[key] != data)


def _refuse_overlap(source: SignalWaitStore, there: Workspace) -> None:
    """Refuse a target whose records are seen in the source. Names do not tell: two services have equal buckets."""
    probe = new_probe(there)
    with thrown_away(there.store, probe):
        there.store.put_if_absent(f"{probe}overlap", b"")
        seen = any(each.endswith(f"{probe}overlap") for each in source.list(""))
    if seen:
        raise Refused(
            "invalid_input",
            "The target is the datastore to copy, or lies inside it.",
            hint="Name another bucket, directory or prefix.",
        )


def _refuse_driven(workspace: Workspace) -> None:
    """Refuse a store in which a process drives a run: it would go on there while its copy stands still."""
    ambient = workspace.ambient
    marked = (keys.marked(key) for key in workspace.store.list(keys.OPEN_RUNS))
    run_ids = sorted({mark[1] for mark in marked if mark})
    for journal in fan_out(lambda run_id: workspace.execute(read_run(run_id)), run_ids):
        if isinstance(journal, Journal) and is_driven(journal.run, ambient.clock.now(), ambient.host):
            raise Refused(
                "run_active",
                f"A process drives the run {journal.run.run_id} of {journal.run.workflow} in the datastore to copy.",
                hint="Wait until it ends or is suspended, then copy again.",
                details={"runId": journal.run.run_id},
            )


def _source_changed() -> Refused:
    return Refused(
        "source_changed",
        "The datastore to copy has changed while it was copied.",
        hint="Stop what uses it, then copy again. If the target is refused then, empty it first.",
    )


def _not_empty(key: str) -> Refused:
    return Refused(
        "target_not_empty",
        f"The target holds the record `{key}`, which is not that of the datastore to copy.",
        hint="Copy to an empty bucket, directory or prefix; if an earlier copy wrote there, the record was deleted "
        "from the datastore to copy since: empty the target first.",
        details={"key": key},
    )
