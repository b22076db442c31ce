"""What is told of the keys of a workflow's waits."""

from __future__ import annotations

from typing import Literal

from pydantic import JsonValue

from swamp_core.app.views import View, WaitView
from swamp_core.records.base import Instant


class KeyView(View):
    """A key of a workflow, the step (`job/step`) that declares it, who holds it, and how many signals are held for it.

    `claimed_by` is the run whose wait holds it, also while that is not open yet. `unreadable` says what stands under
    the key and keeps everybody from it.
    """

    key: str
    step: str | None
    holder: WaitView | None = None
    held: int = 0
    claimed_by: str | None = None
    unreadable: str | None = None


class KeysResult(View):
    """The answer of `workflow keys`."""

    workflow: str
    keys: list[KeyView]


class ReleaseResult(View):
    """The answer of `workflow keys --release`. `released`: something that could not be read was cleared."""

    workflow: str
    key: str
    released: bool
    records: int


SignalState = Literal["held", "taken", "used", "expired", "discarded"]


class EarlySignalView(View):
    """A signal that is held for the next wait under a key.

    `reason` says why the step's schema, or the wait that holds the key, does not accept it. One that is `taken` is
    just being given to a wait.
    """

    id: str
    workflow: str
    key: str
    payload: dict[str, JsonValue]
    received_at: Instant
    submitted_by: str
    expires_at: Instant
    state: SignalState
    reason: str | None = None


class UnreadableSignalView(View):
    """A record in the place of a held signal that cannot be read, and why."""

    id: str
    workflow: str
    key: str
    reason: str


class EarlySignalsResult(View):
    """The answer of `workflow early-signals`, oldest first under each key."""

    signals: list[EarlySignalView]
    unreadable: list[UnreadableSignalView]


class DiscardResult(View):
    """The answer of `workflow early-signals --discard`: the signal that no wait will have now, if it could be read."""

    id: str
    workflow: str
    key: str
    signal: EarlySignalView | None
