"""From what a person types to a run or a wait: whole IDs, unique beginnings of IDs, and workflow names."""

from __future__ import annotations

from swamp_core.app.inputs_text import inputs_text
from swamp_core.app.refusals import Refused
from swamp_core.app.workspace import Workspace
from swamp_core.engine.lives import shown_status
from swamp_core.engine.reading import read_run as read_usable_run
from swamp_core.journal.ending import clear_ended
from swamp_core.journal.entry import Journal
from swamp_core.records import keys
from swamp_core.records.base import Absent, Unreadable, instant_text
from swamp_core.run.state import RunState
from swamp_core.store.fan_out import fan_out
from swamp_core.store.keys import is_segment
from swamp_core.store.protocol import SignalWaitStore

_LISTED_MAX = 20


def find_wait_id(workspace: Workspace, text: str) -> str:
    """The wait ID that the text is, or is the only beginning of. Raises `Refused`."""
    given = text.strip().lower()
    if keys.is_id(given):
        return given
    if keys.may_start_id(given):
        for prefix in (keys.WAITS, keys.OUTCOMES):
            found = [
                key.removeprefix(prefix) for key in workspace.store.list(prefix + given, limit=_LISTED_MAX)
            ]
            if len(found) == 1:
                return found[0]
            if found:
                raise Refused(
                    "ambiguous_wait",
                    f"Several waits begin with `{given}`: {_listed(found)}.",
                    hint="Give more of the ID.",
                    details={"waitIds": found},
                )
    raise Refused(
        "unknown_wait",
        f"There is no wait {_quoted(text)}.",
        hint=f"The open waits are listed by:\n{workspace.command('workflow', 'waits')}",
    )


def find_run(workspace: Workspace, text: str, *, run: str | None = None) -> RunState:
    """The run that a `NAME|RUN_ID` means, with `run` from `--run` if given. Raises `Refused`.

    By a workflow's name it is the only unfinished run; of several the only suspended one; of none the newest run.
    """
    if run is not None:
        state = read_run(workspace, find_run_id(workspace, run))
        if text not in (state.workflow, state.run_id) and not _begins(state.run_id, text):
            raise Refused(
                "unknown_run",
                f"The run {state.run_id} is one of workflow `{state.workflow}`, not of {_quoted(text)}.",
            )
        return state
    if keys.is_id(text.strip().lower()):
        return _by_id(workspace, text)
    by_name = _by_workflow(workspace, text) if is_segment(text) else None
    return by_name or _by_id(workspace, text)


def read_run(workspace: Workspace, run_id: str) -> RunState:
    """The state of a run by its whole ID. Raises `Refused`."""
    return read_run_journal(workspace, run_id).run


def read_run_journal(workspace: Workspace, run_id: str) -> Journal:
    """The journal of a run by its whole ID. Raises `Refused`."""
    journal = workspace.execute(read_usable_run(run_id))
    if isinstance(journal, Unreadable):
        raise unreadable_run(workspace, run_id, journal)
    if isinstance(journal, Absent):
        raise unknown_run(workspace, run_id)
    return journal


def unknown_run(workspace: Workspace, text: str) -> Refused:
    """The refusal of a run that there is not."""
    return Refused(
        "unknown_run",
        f"There is no run or workflow with a run {_quoted(text)}.",
        hint=f"The runs are listed by:\n{workspace.command('workflow', 'history', 'list')}",
    )


def _id_needed(workspace: Workspace, text: str, delete_all: bool) -> Refused:
    """The refusal of what is no run's ID where only such an ID will do."""
    runs = f"{keys.WORKFLOW_RUNS}{text}/"
    if not is_segment(text) or next(workspace.store.list(runs, limit=1), None) is None:
        return Refused(
            "unknown_run",
            f"There is no run whose ID is {_quoted(text)} or begins so.",
            hint=f"The runs are listed by:\n{workspace.command('workflow', 'history', 'list')}",
        )
    hint = f"The IDs of its runs are shown by:\n{workspace.command('workflow', 'history', 'list', '--workflow', text)}"
    if delete_all:
        hint += f"\nAll of its runs are deleted by:\n{workspace.command('workflow', 'delete', text)}"
    return Refused(
        "unknown_run", f"{_quoted(text)} is a workflow, and the ID of one of its runs is needed.", hint=hint
    )


def unreadable_run(
    workspace: Workspace, run_id: str, unreadable: Unreadable, *, command: str | None = None
) -> Refused:
    """The refusal of a run whose journal cannot be read; `command` deletes what the run belongs to by force."""
    command = command or workspace.command("run", "delete", run_id, "--force")
    return Refused(
        "unreadable",
        f"The run {run_id} cannot be read: the record `{unreadable.key}` is not as Swamp writes it "
        f"({unreadable.reason}).",
        hint=f"Restore the record from a backup of the store, or delete all that is known of the run with:\n{command}",
        details={"runId": run_id, "key": unreadable.key, "reason": unreadable.reason},
    )


def ambiguous_run(workspace: Workspace, name: str, candidates: list[RunState]) -> Refused:
    """The refusal of a workflow's name that may mean any of these runs."""
    now, host = workspace.ambient.clock.now(), workspace.ambient.host
    lines = [
        f"{run.run_id}  {shown_status(run, now, host)}, started {instant_text(run.started_at)}{_told_apart(run)}"
        for run in candidates[:_LISTED_MAX]
    ]
    return Refused(
        "ambiguous_run",
        f"Workflow `{name}` has {len(candidates)} unfinished runs:\n" + "\n".join(lines),
        hint="Give the ID of one of them, or the beginning of it, in the place of the name.",
        details={"runIds": [run.run_id for run in candidates]},
    )


def _told_apart(run: RunState) -> str:
    """What tells the run from others of its workflow: its inputs, and the run that it is nested in."""
    inputs = f", with {inputs_text(run.inputs)}" if run.inputs else ""
    parent = run.parent
    return inputs + (f", for {parent.job}/{parent.step} of the run {parent.run_id}" if parent else "")


def open_run_ids(workspace: Workspace, workflow: str) -> list[str]:
    """The IDs of the unfinished runs of a workflow, oldest first."""
    prefix = f"{keys.OPEN_RUNS}{workflow}/"
    listed = workspace.store.list(prefix)
    return list(dict.fromkeys(key.removeprefix(prefix).split("/")[0] for key in listed))


def unfinished_runs(workspace: Workspace, workflow: str) -> list[RunState]:
    """The unfinished runs of a workflow, oldest first; those that cannot be read are left out."""
    return _unfinished(workspace, workflow)[0]


def _unfinished(workspace: Workspace, workflow: str) -> tuple[list[RunState], list[Refused]]:
    """The unfinished runs of a workflow, oldest first, and the refusals of those that cannot be read."""
    runs: list[RunState] = []
    unreadable: list[Refused] = []
    run_ids = open_run_ids(workspace, workflow)
    journals = fan_out(lambda run_id: workspace.execute(read_usable_run(run_id)), run_ids)
    for run_id, journal in zip(run_ids, journals, strict=True):
        if isinstance(journal, Unreadable):
            unreadable.append(unreadable_run(workspace, run_id, journal))
        elif isinstance(journal, Journal) and journal.run.ended:
            workspace.execute(clear_ended(journal.run))  # Its end was cut off after the last entry.
        elif isinstance(journal, Journal):
            runs.append(journal.run)
    return runs, unreadable


def _begins(run_id: str, text: str) -> bool:
    given = text.strip().lower()
    return keys.may_start_id(given) and run_id.startswith(given)


def _by_workflow(workspace: Workspace, name: str) -> RunState | None:
    runs, unreadable = _unfinished(workspace, name)
    if not runs and unreadable:
        raise unreadable[0]
    if not runs:
        prefix = f"{keys.WORKFLOW_RUNS}{name}/"
        return _newest(workspace, [key.removeprefix(prefix) for key in workspace.store.list(prefix)])
    suspended = [run for run in runs if run.status == "suspended"]
    candidates = suspended or runs
    if len(candidates) == 1:
        return candidates[0]
    raise ambiguous_run(workspace, name, candidates)


def _newest(workspace: Workspace, run_ids: list[str]) -> RunState | None:
    """The newest run that there is; an index without a journal is a start or a removal that was cut off."""
    for run_id in reversed(run_ids):
        journal = workspace.execute(read_usable_run(run_id))
        if isinstance(journal, Unreadable):
            raise unreadable_run(workspace, run_id, journal)
        if isinstance(journal, Journal):
            return journal.run
    return None


def find_run_id(workspace: Workspace, text: str, *, delete_all: bool = False) -> str:
    """The run ID that the text is, or is the only beginning of; of a whole one nothing is read. Raises `Refused`.

    Somebody who gives a workflow's name is told how to find its runs; with `delete_all`, also how to delete them.
    """
    run_id = _id_beginning(workspace, text)
    if run_id is None:
        raise _id_needed(workspace, text, delete_all)
    return run_id


def _id_beginning(workspace: Workspace, text: str) -> str | None:
    given = text.strip().lower()
    if keys.is_id(given):
        return given
    found = _runs_starting_with(workspace.store, given) if keys.may_start_id(given) else []
    if len(found) > 1:
        raise Refused(
            "ambiguous_run",
            f"Several runs begin with `{given}`:\n" + "\n".join(found),
            hint="Give more of the ID.",
            details={"runIds": found},
        )
    return found[0] if found else None


def _by_id(workspace: Workspace, text: str) -> RunState:
    run_id = _id_beginning(workspace, text)
    if run_id is None:
        raise unknown_run(workspace, text)
    return read_run(workspace, run_id)


def _runs_starting_with(store: SignalWaitStore, start: str) -> list[str]:
    """The IDs of runs that begin so: one listing for each, skipping over the rest of its journal."""
    found: list[str] = []
    after: str | None = None
    while len(found) < _LISTED_MAX:
        listed = next(store.list(keys.RUNS + start, start_after=after, limit=1), None)
        if listed is None:
            break
        found.append(listed.removeprefix(keys.RUNS).split("/")[0])
        after = keys.entries(found[-1]) + "z"
    return found


def _listed(found: list[str]) -> str:
    return ", ".join(found)


def _quoted(text: str) -> str:
    shown = text if text.isprintable() else repr(text)[1:-1]
    return f"`{shown if len(shown) <= 60 else shown[:60] + '…'}`"
