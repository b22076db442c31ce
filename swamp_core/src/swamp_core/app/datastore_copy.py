"""Copying all records from one datastore to another, so that a team can move from a directory to a bucket and back.

1. A copy that was cut off is gone on with by copying again. So the target may hold what the source holds, byte for
   byte, and nothing else; a target that holds anything else is refused before a record is written.
2. What makes a run visible (marks, registrations, indexes, the format) is copied last, so nobody finds half a run.
3. A target that is the source, or lies inside it, is found out by a record that is put there for a moment.
4. Every record is read back from the target. At the end both are listed again, and a source that has changed
   meanwhile is refused: what is in use cannot be copied.
5. Whatever goes wrong is told as FROM's or as TO's, the words of the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Literal

from swamp_core.app.datastore_views import CopyResult
from swamp_core.app.proving import new_trial, prove_store
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Setting, Workspace
from swamp_core.engine.lives import is_driven
from swamp_core.engine.reading import read_run
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.store.errors import RecordTooLarge, StoreError, StoreNotFound
from swamp_core.store.fan_out import FAN_OUT, fan_out
from swamp_core.store.probing import NOTES, PROBES, Trial, thrown_away
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import describe

End = Literal["FROM", "TO"]
CORRECT_FROM = "Correct FROM: its bucket, directory or prefix."
LAST = (keys.OPEN_RUNS, keys.WAITS, keys.WORKFLOW_RUNS, keys.FORMAT_KEY)
"""What makes runs visible, in the order in which it is copied when all else is there."""


def copy_datastore(
    workspace: Workspace,
    source: Setting,
    target: Setting,
    *,
    tell: Callable[[int, int], None] = lambda done, of: None,
    trying: Callable[[Trial], None] = lambda _: None,
) -> CopyResult:
    """Copy every record.

    `tell` hears now and then how many of how many are there, and `trying` of what is tried in the target before it is.

    Nothing may use either store meanwhile, and nothing may use the source afterwards. Raises `Refused`
    (`nothing_to_copy`, `target_not_empty`, `run_active`, `source_changed`, `invalid_input`) and `StoreError`; repeating
    the call goes on.
    """
    here, there = _over(workspace, source), _over(workspace, target)
    source_name, target_name = _opened(here, "FROM"), _opened(there, "TO")
    with _told_of(lambda error: "FROM" if error.store == source_name else "TO"):
        copied, verified = _copy_all(here, there, tell, trying)
    return CopyResult(
        source=source_name, target=target_name, copied=copied, skipped=verified - copied, verified=verified
    )


def _over(workspace: Workspace, setting: Setting) -> Workspace:
    """The same workspace over another store; the commands that it prints name that one."""
    url = setting if isinstance(setting, str) else describe(setting).store
    return replace(workspace, datastore=setting, flags=("--datastore", url))


def _opened(workspace: Workspace, end: End) -> str:
    """Open the store, while its errors name no store yet, and give its name."""
    with _told_of(lambda _: end):
        _ = workspace.store
        return describe(workspace.chosen.setting).store


@contextmanager
def _told_of(end_of: Callable[[StoreError], End]) -> Iterator[None]:
    """Let the error of a store say of which of the two it is, and to do nothing but what can be done with that."""
    try:
        yield
    except StoreError as error:
        end = end_of(error)
        error.detail = f"{end}: {error.detail}"
        if end == "FROM" and isinstance(error, StoreNotFound):
            error.hint = CORRECT_FROM  # What is to be copied is not made.
        if isinstance(error, RecordTooLarge):
            error.hint = f"Something else than Swamp stored it: move it out of {end}, then copy again."
        if error.key is not None and error.key.startswith(PROBES):
            error.key = None  # Nobody but this copy knows the record.
        raise


def _copy_all(
    here: Workspace, there: Workspace, tell: Callable[[int, int], None], trying: Callable[[Trial], None]
) -> tuple[int, int]:
    """Copy every record; how many were copied, and how many are in both stores then."""
    listed = _records(here.store)
    if not listed:
        name = describe(here.chosen.setting).store
        raise Refused("nothing_to_copy", f"FROM holds no record: {name}", hint=CORRECT_FROM)
    _refuse_driven(here)
    _refuse_overlap(here.store, there, trying)
    prove_store(there, trying)
    skipped = _equal_already(here, there, listed)
    todo = sorted(listed - skipped, key=_turn)
    copied = 0
    for first in range(0, len(todo), FAN_OUT):
        copied += _copy(here, there, todo[first : first + FAN_OUT])
        tell(len(skipped) + first, len(listed))
    if _records(here.store) != listed:
        raise _source_changed()
    _refuse_strange(_records(there.store) ^ listed, there)
    return copied, len(listed)


def _records(store: SignalWaitStore) -> set[str]:
    """The keys of all records but those that tell of the store itself."""
    return {key for key in store.list("") if not key.startswith((NOTES, PROBES))}


def _turn(key: str) -> tuple[int, str]:
    """When a record is copied: by what it makes visible, then in the order of keys."""
    return next((turn for turn, prefix in enumerate(LAST) if key.startswith(prefix)), -1), key


def _equal_already(here: Workspace, there: Workspace, listed: set[str]) -> set[str]:
    """The keys that an earlier copy has brought over. Raises `Refused` (`target_not_empty`) for anything else."""
    brought = _records(there.store)
    _refuse_strange(brought - listed, there)
    _refuse_strange(_different(_read_all(here.store, brought), _read_all(there.store, brought)), there)
    return brought


def _copy(here: Workspace, there: Workspace, chunk: list[str]) -> int:
    """Copy some records and read them back; how many were not there before."""
    records = _read_all(here.store, chunk)
    if None in records.values():
        raise _source_changed()
    created = fan_out(lambda key: there.store.put_if_absent(key, records[key] or b""), chunk)
    _refuse_strange(_different(records, _read_all(there.store, chunk)), there)
    return created.count(True)


def _read_all(store: SignalWaitStore, listed: Collection[str]) -> dict[str, bytes | None]:
    """The records, of which none may be too large: it could not be copied."""
    in_order = list(listed)
    return dict(zip(in_order, fan_out(store.get, in_order), strict=True))


def _different(records: dict[str, bytes | None], others: dict[str, bytes | None]) -> set[str]:
    return {key for key, data in records.items() if others[key] != data}


def _refuse_overlap(source: SignalWaitStore, there: Workspace, trying: Callable[[Trial], None]) -> None:
    """Refuse a target whose records are seen in the source. Names do not tell: two services have equal buckets."""
    trial = new_trial(there)
    trying(trial)
    with thrown_away(trial):
        trial.put_if_absent(f"{trial.prefix}overlap", b"")
        seen = any(each.endswith(f"{trial.prefix}overlap") for each in source.list(""))
    if seen:
        raise Refused(
            "invalid_input",
            "TO is FROM, or lies inside it.",
            hint="Name another bucket, directory or prefix as TO.",
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
                f"A process drives the run {journal.run.run_id} of {journal.run.workflow} in FROM.",
                hint="Wait until it ends or is suspended, then copy again.",
                details={"runId": journal.run.run_id},
            )


def _source_changed() -> Refused:
    return Refused(
        "source_changed",
        "FROM has changed while it was copied.",
        hint="Stop what uses FROM, then copy again. If TO is refused then, empty it first.",
    )


def _refuse_strange(strange: set[str], there: Workspace) -> None:
    """Refuse a target that holds these records, which are no copies of the source's."""
    if not strange:
        return
    name, key = describe(there.chosen.setting).store, min(strange)
    what = f"a record that is no copy of one in FROM, `{key}`"
    if len(strange) > 1:
        what = f"{len(strange)} records that are no copies of those in FROM, such as `{key}`"
    runs = sum(each.startswith(keys.WORKFLOW_RUNS) for each in strange)
    raise Refused(
        "target_not_empty",
        f"TO is not empty: {name} holds {what}." + (f" {_counted_runs(runs)} kept there." if runs else ""),
        hint="Copy to an empty bucket, directory or prefix; in a bucket, any prefix that nothing uses. If an earlier "
        "copy of FROM wrote there, runs were removed from FROM since: empty TO, then copy again.",
        details={"key": key, "records": len(strange)},
    )


def _counted_runs(count: int) -> str:
    return "A run is" if count == 1 else f"{count} runs are"
