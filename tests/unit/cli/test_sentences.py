"""What happens to a run, as sentences."""

import pytest
from swamp_core.cli.sentences import sentences
from swamp_core.records.families import Decision, Receipt
from swamp_core.run import events

from tests.unit.cli.happening import ERROR, LATER, NOON, RUN

OWNER = events.Owner(host="build-1", pid=1, token="t", lease_until=LATER)
STEP = {"at": LATER, "job": "build", "step": "compile"}
RECEIPT = Receipt(
    id="019fa372-3a00-7000-8000-000000010002",
    wait_id="00050001-0000-4000-8000-000000000000",
    received_at=NOON,
    submitted_by="ada",
    idempotency_key="k",
)


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        (events.StepStarted(**STEP), "build/compile started."),
        (events.StepSucceeded(**STEP, outputs={}), "build/compile succeeded after 1 min 30 s."),
        (
            events.StepFailed(**STEP, error=ERROR),
            "build/compile failed after 1 min 30 s: The command ended with exit code 2.",
        ),
        (
            events.StepFailed(**STEP, error=ERROR, allowed=True),
            "build/compile failed after 1 min 30 s, which is allowed: The command ended with exit code 2.",
        ),
        (
            events.StepSkipped(**STEP, reason="Its guard holds."),
            "build/compile was skipped: Its guard holds.",
        ),
        (
            events.WaitOpened(**STEP, wait_id="00050001-0000-4000-8000-000000000000"),
            "build/compile waits for a signal.",
        ),
        (
            events.WaitApplied(
                **STEP,
                wait_id=RECEIPT.wait_id,
                application=events.SignalApplied(receipt=RECEIPT, payload={}),
            ),
            "build/compile has its signal, submitted by ada.",
        ),
        (
            events.WaitApplied(
                **STEP,
                wait_id=RECEIPT.wait_id,
                application=events.FailureApplied(error=ERROR, allowed=True),
            ),
            "build/compile failed, which is allowed: The command ended with exit code 2.",
        ),
        (events.CancelRequested(at=LATER, by="bob"), "bob asked for the end of the run."),
        (
            events.WaitApplied(
                **STEP,
                wait_id=RECEIPT.wait_id,
                application=events.ApprovalApplied(
                    decision=Decision(id="d", by="bob", at=NOON, reason="Fine.")
                ),
            ),
            "build/compile was approved by bob: Fine.",
        ),
        (
            events.GateRejected(**STEP, wait_id=RECEIPT.wait_id, by="bob"),
            "bob rejected build/compile.",
        ),
        (events.StepExpanded(**STEP, items=[]), "build/compile has no items."),
        (
            events.ChildPlanned(**STEP, child_run_id=RECEIPT.id, workflow="inner", inputs={}),
            "build/compile runs the workflow inner.",
        ),
        (
            events.ChildApplied(**STEP, child_run_id=RECEIPT.id, outputs={}),
            "build/compile succeeded after 1 min 30 s.",
        ),
        (
            events.ChildApplied(**STEP, child_run_id=RECEIPT.id, error=ERROR),
            "build/compile failed after 1 min 30 s: The command ended with exit code 2.",
        ),
        (events.StepReset(**STEP, reason="It failed."), "build/compile is to run again: It failed."),
        (events.RunResumed(at=LATER, owner=OWNER, by="ada"), "ada resumed the run."),
        (events.RunRetried(at=LATER, owner=OWNER, by="ada", mark=9), "ada retried the run."),
    ],
    ids=lambda value: value.event if not isinstance(value, str) else "",
)
def test_what_happens_is_told_in_a_sentence(event, sentence):
    """A person who looks on reads what a step did, how long it took, and why it failed."""
    assert [said.text for said in sentences(RUN, [event])] == [sentence]


@pytest.mark.parametrize(
    "event",
    [events.RunSuspended(at=LATER), events.LeaseRenewed(at=LATER, lease_until=LATER)],
    ids=lambda event: event.event,
)
def test_housekeeping_is_not_told(event):
    """A person who looks on is not told what only the driver needs."""
    assert sentences(RUN, [event]) == []
