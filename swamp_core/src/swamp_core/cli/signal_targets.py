"""What a signal is addressed to: a wait by its ID, or a key of a workflow."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol

from swamp_core.app import early_signals, signal, signal_by_key
from swamp_core.app.finding import find_wait_id
from swamp_core.app.signal import Payload
from swamp_core.app.views import SignalCheckResult, SignalResult
from swamp_core.app.workspace import Workspace
from swamp_core.cli.usage import Misuse
from swamp_core.records.families import Registration


class SignalTarget(Protocol):
    """Where a signal goes."""

    def send(self, payload: Payload, idempotency_key: str | None) -> SignalResult:
        """Send it. Raises what the use case raises."""

    def check(self, payload: Payload, idempotency_key: str | None) -> SignalCheckResult:
        """What sending it would come to."""

    def why_not_accepted(self, payload: Payload) -> str | None:
        """Why a payload that is held for the next wait would not be accepted by it, as far as that can be told."""

    def registration(self) -> Registration | None:
        """The wait that it would go to now, for whoever has to say what the payload is; None where there is none."""


@dataclass(frozen=True, slots=True)
class ByWait:
    """The wait of this ID, which may be shortened."""

    workspace: Workspace
    wait_id: str

    def send(self, payload: Payload, idempotency_key: str | None) -> SignalResult:
        """See `SignalTarget.send`."""
        return signal.signal(self.workspace, self.wait_id, payload, idempotency_key=idempotency_key)

    def check(self, payload: Payload, idempotency_key: str | None) -> SignalCheckResult:
        """See `SignalTarget.check`."""
        return signal.check_signal(self.workspace, self.wait_id, payload, idempotency_key=idempotency_key)

    def why_not_accepted(self, payload: Payload) -> str | None:
        """See `SignalTarget.why_not_accepted`. For a wait nothing is held."""
        return None

    def registration(self) -> Registration | None:
        """See `SignalTarget.registration`. Raises `Refused` for a wait that is unknown."""
        return signal.read_registration(self.workspace, find_wait_id(self.workspace, self.wait_id))


@dataclass(frozen=True, slots=True)
class ByKey:
    """The wait of the workflow that holds the key, or else the next one."""

    workspace: Workspace
    workflow: str
    key: str
    ttl: timedelta | None

    def send(self, payload: Payload, idempotency_key: str | None) -> SignalResult:
        """See `SignalTarget.send`."""
        return signal_by_key.signal_by_key(
            self.workspace, self.workflow, self.key, payload, idempotency_key=idempotency_key, ttl=self.ttl
        )

    def check(self, payload: Payload, idempotency_key: str | None) -> SignalCheckResult:
        """See `SignalTarget.check`."""
        return signal_by_key.check_signal_by_key(
            self.workspace, self.workflow, self.key, payload, idempotency_key=idempotency_key, ttl=self.ttl
        )

    def why_not_accepted(self, payload: Payload) -> str | None:
        """See `SignalTarget.why_not_accepted`."""
        return early_signals.why_not_accepted(self.workspace, self.workflow, self.key, payload)

    def registration(self) -> Registration | None:
        """See `SignalTarget.registration`."""
        return signal_by_key.find_open_holder(self.workspace, self.workflow, self.key)


def target_of(
    workspace: Workspace, wait_id: str | None, workflow: str | None, key: str | None, ttl: timedelta | None
) -> ByWait | ByKey:
    """What the words of the command mean. Raises `Misuse` where they name both, half of one, or neither."""
    if wait_id is not None:
        if workflow is not None or key is not None or ttl is not None:
            raise Misuse(
                "A signal names a wait, or a workflow and a key.",
                hint="Leave out the wait ID, or --workflow, --key and --ttl.",
            )
        return ByWait(workspace, wait_id)
    if workflow is None or key is None:
        missing = "--key" if workflow is not None else "--workflow" if key is not None else None
        raise Misuse(
            f"{missing} is missing: a signal by key names both."
            if missing
            else "A signal needs a wait ID, or --workflow and --key.",
            hint=f"The open waits are listed by:\n{workspace.command('workflow', 'waits')}",
        )
    return ByKey(workspace, workflow, key, ttl)
