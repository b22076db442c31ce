"""The signals that are held for the next wait under a key: listing them, which settles nothing, and discarding one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from swamp_core.app.key_views import (
    DiscardResult,
    EarlySignalsResult,
    EarlySignalView,
    SignalState,
    UnreadableSignalView,
)
from swamp_core.app.refusals import Refused
from swamp_core.app.signal import Payload
from swamp_core.app.signal_by_key import find_open_holder
from swamp_core.app.signal_refusals import receipt_view
from swamp_core.app.workflows import declared_workflow
from swamp_core.app.workspace import Workspace
from swamp_core.payload.schema import schema_problems
from swamp_core.payload.strict_json import check_value, parse_payload
from swamp_core.payload.violations import violations
from swamp_core.records import keys
from swamp_core.records.base import Unreadable
from swamp_core.records.early import EarlySignal, accepted
from swamp_core.store.operations import List, Protocol, side_by_side
from swamp_core.waits.delivering import deliver_to_holder
from swamp_core.waits.early import (
    Ended,
    HeldSignal,
    Reserved,
    Used,
    Void,
    discard_signal,
    look_at,
    read_signals,
)
from swamp_core.workflow.fields import name_problem
from swamp_core.workflow.problems import quoted


def list_early_signals(
    workspace: Workspace, *, workflow: str | None = None, key: str | None = None
) -> EarlySignalsResult:
    """The signals that are held, of one workflow or key or of all; oldest first under each key."""
    is_name = not (workflow is not None and name_problem(workflow))
    held, unreadable = workspace.execute(_read(workflow, key)) if is_name else ([], [])
    reasons = _Reasons(workspace)
    return EarlySignalsResult(
        signals=[_view(workspace, each, reasons) for each in held],
        unreadable=[
            UnreadableSignalView(id=parts[2], workflow=parts[0], key=parts[1], reason=each.reason)
            for each in unreadable
            if (parts := keys.early_parts(each.key))
        ],
    )


def discard_early_signal(workspace: Workspace, signal_id: str) -> DiscardResult:
    """Let no wait have a held signal, named by its receipt's ID or a unique beginning of that.

    Raises `Refused` (`unknown_signal`, `ambiguous_signal`, `already_settled`) and `StoreError`.
    """
    found = _find(workspace, signal_id)
    parts = keys.early_parts(found)
    assert parts
    workflow, key, whole_id = parts
    signals, unreadable = workspace.execute(read_signals([found]))
    if unreadable:
        workspace.store.delete(found)
        return DiscardResult(id=whole_id, workflow=workflow, key=key, signal=None)
    if not signals:
        raise _unknown(workspace, signal_id)
    became = workspace.execute(_discarded(workspace, signals[0]))
    if became is None:
        raise _unknown(workspace, signal_id)
    if not (isinstance(became.state, Ended) and became.state.end.reason != "used"):
        raise _taken(workspace, became)
    view = _view(workspace, became, _Reasons(workspace))
    return DiscardResult(id=whole_id, workflow=workflow, key=key, signal=view)


def why_not_accepted(workspace: Workspace, workflow: str, key: str, payload: Payload) -> str | None:
    """Why the step of a key, as its file is now, does not accept a payload; None where it does, or nobody can tell.

    The payload is one that a signal may have. It reads no store: a signal is held also where this says something, for
    the file may change before the next run.
    """
    value = parse_payload(payload) if isinstance(payload, str | bytes) else check_value(payload)
    problems = violations(_declared_schema(workspace, workflow, key), value)
    return _does_not_fit(problems)


class _Reasons:
    """Why a held signal is not accepted as it is: by the wait that holds its key, or else by the step's schema."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._schemas: dict[tuple[str, str], dict[str, Any]] = {}

    def of(self, signal: EarlySignal) -> str | None:
        """What is wrong with the payload, as far as that can be told."""
        family = signal.workflow, signal.key_name
        if family not in self._schemas:
            self._schemas[family] = self._schema(*family)
        return _does_not_fit(violations(self._schemas[family], signal.payload))

    def _schema(self, workflow: str, key: str) -> dict[str, Any]:
        holder = find_open_holder(self._workspace, workflow, key)
        if holder:
            return holder.payload_schema or {}
        return _declared_schema(self._workspace, workflow, key)


def _does_not_fit(problems: Sequence[str]) -> str | None:
    return f"It does not fit the schema: {' '.join(problems)}" if problems else None


def _declared_schema(workspace: Workspace, workflow: str, key: str) -> dict[str, Any]:
    file = declared_workflow(workspace, workflow)
    _, task = file.keyed_waits().get(key, ("", None)) if file else ("", None)
    schema = task.payload_schema if task else None
    return schema if schema and not schema_problems(schema) else {}


def _read(workflow: str | None, key: str | None) -> Protocol[tuple[list[HeldSignal], list[Unreadable]]]:
    prefix = keys.EARLY_SIGNALS + (f"{workflow}/" if workflow else "")
    listed: list[str] = yield List(prefix)
    wanted = [each for each in listed if (parts := keys.early_parts(each)) and key in (None, parts[1])]
    signals, unreadable = yield from read_signals(wanted)
    held: list[HeldSignal] = yield from side_by_side([look_at(each) for each in signals])
    held.sort(key=lambda each: (each.signal.workflow, each.signal.key_name))
    return held, unreadable


def _find(workspace: Workspace, text: str) -> str:
    """The key of the held signal whose ID the text is, or is the only beginning of."""
    given = text.strip().lower()
    listed = workspace.store.list(keys.EARLY_SIGNALS) if keys.may_start_id(given) else ()
    found = [key for key in listed if (parts := keys.early_parts(key)) and parts[2].startswith(given)]
    if len(found) > 1:
        raise Refused(
            "ambiguous_signal",
            f"Several held signals begin with `{given}`: {', '.join(key.rsplit('/', 1)[1] for key in found)}.",
            hint="Give more of the ID.",
        )
    if not found:
        raise _unknown(workspace, text)
    return found[0]


def _discarded(workspace: Workspace, signal: EarlySignal) -> Protocol[HeldSignal | None]:
    """What a signal is once it was to be discarded; one that somebody began to give to a wait is given to it."""
    became = yield from discard_signal(signal)
    if became and isinstance(became.state, Reserved):
        yield from deliver_to_holder(signal.workflow, signal.key_name, workspace.ambient.clock.now)
        became = yield from discard_signal(signal)
    return became


def _view(workspace: Workspace, held: HeldSignal, reasons: _Reasons) -> EarlySignalView:
    signal = held.signal
    state = _state(held, is_over=signal.has_expired(workspace.ambient.clock.now()))
    return EarlySignalView(
        id=signal.signal_id,
        workflow=signal.workflow,
        key=signal.key_name,
        payload=signal.payload,
        received_at=signal.received_at,
        submitted_by=signal.submitted_by,
        expires_at=signal.expires_at,
        state=state,
        reason=reasons.of(signal) if state == "held" else None,
    )


def _state(held: HeldSignal, *, is_over: bool) -> SignalState:
    match held.state:
        case Ended(end=end):
            return end.reason
        case Used():
            return "used"
        case Void():
            return "discarded"
        case Reserved():
            return "taken"
        case _:
            return "expired" if is_over else "held"


def _unknown(workspace: Workspace, text: str) -> Refused:
    return Refused(
        "unknown_signal",
        f"No held signal has the ID {quoted(text)}.",
        hint=f"The signals that are held are listed by:\n{workspace.command('workflow', 'early-signals')}",
    )


def _taken(workspace: Workspace, held: HeldSignal) -> Refused:
    use = held.state.end.use if isinstance(held.state, Ended) else getattr(held.state, "use", None)
    wait = f"the wait {use.wait_id} of the run {use.run_id}" if use else "a wait"
    receipt = receipt_view(accepted(held.signal, use).receipt).to_json() if use else None
    return Refused(
        "already_settled",
        f"The signal {held.signal.signal_id} was not discarded: {wait} has it.",
        hint="A signal that a wait has is applied when its run is resumed.",
        details={"id": held.signal.signal_id, "receipt": receipt},
    )
