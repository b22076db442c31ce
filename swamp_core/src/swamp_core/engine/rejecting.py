"""What a rejection does to its run, once the outcome of the gate is stored: it ends as failed, running nothing more.

The outcome is what decides. Whoever rejects the gate then writes `gate_rejected` into the journal, as a cancel is
written, so a driver takes it within seconds and a run that nobody drives is ended at once. If that is cut off, the
next resume finds the outcome and ends the run, and so does a repeat of the rejection.
"""

from __future__ import annotations

from datetime import datetime

from swamp_core.ambient import Ambient
from swamp_core.engine.cancelling import Cancelling, NoReason, ask_for_end
from swamp_core.records.families import Rejected
from swamp_core.run.events import GateRejected
from swamp_core.run.state import RunState
from swamp_core.store.operations import Protocol


def end_rejected(outcome: Rejected, *, ambient: Ambient) -> Protocol[Cancelling | NoReason]:
    """End the run of a gate with this outcome. It can be repeated.

    `NoReason` when no step waits for the gate any more: the run was ended by it and has been retried since. A run that
    is to end for another reason is ended for that one.
    """
    decision = outcome.decision

    def request(run: RunState, now: datetime) -> GateRejected | None:
        gate = run.waiting().get(outcome.wait_id)
        if gate is None:
            return None
        return GateRejected(
            at=now,
            job=gate.job,
            step=gate.step,
            wait_id=outcome.wait_id,
            by=decision.by,
            reason=decision.reason,
        )

    return (yield from ask_for_end(outcome.run_id, request, ambient=ambient))
