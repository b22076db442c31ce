"""What is told while a run is driven."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.text import Text
from swamp_core.cli.live import LINES_MAX, Going, view_lines
from swamp_core.cli.progress import sentences
from swamp_core.records.families import Receipt
from swamp_core.run import events
from swamp_core.run.state import JobState, RunState, StepState
from swamp_core.testing.clock import FakeClock

NOON = datetime(2026, 7, 27, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=90)
STEP = {"at": LATER, "job": "build", "step": "compile"}
ERROR = events.StepError(code="command_failed", message="The command ended with exit code 2.")
RECEIPT = Receipt(
    id="019fa372-3a00-7000-8000-000000010002",
    wait_id="00050001-0000-4000-8000-000000000000",
    received_at=NOON,
    submitted_by="ada",
    idempotency_key="k",
)
RUN = RunState(
    run_id="019fa372-3a00-7000-8000-000000010002",
    workflow="release",
    mark=1,
    status="running",
    definition={},
    models={},
    inputs={},
    owner=None,
    started_by="ada",
    started_at=NOON,
    jobs={"build": JobState(steps={"compile": StepState(status="running", started_at=NOON)})},
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


def running(count):
    return [Going("job", f"step {number}", NOON + timedelta(seconds=number)) for number in range(count)]


@pytest.mark.parametrize("count", [0, 1, LINES_MAX, LINES_MAX + 1, 500])
def test_the_live_view_is_never_high(count):
    """With many steps it stays within a few lines, and says how many are not shown."""
    lines = [line.plain for line in view_lines(running(count), LATER)]
    assert len(lines) == min(count, LINES_MAX)
    shown = sum("job/step" in line for line in lines)
    assert shown == count or lines[-1] == f"  and {count - shown} more"


def test_the_live_view_says_how_long_a_step_has_run_and_until_when_one_waits():
    """Both are told by the run's own clock."""
    lines = view_lines([*running(1), Going("job", "ask", LATER, waiting=True)], NOON + timedelta(seconds=30))
    assert [line.plain for line in lines] == [
        "▸ job/step 0  30.0 s",
        "◦ job/ask  waits until 2026-07-27 12:01:30 UTC (in 60 seconds)",
    ]


def test_a_hostile_name_cannot_control_the_live_view():
    """A step's name may be any text; it is shown with escapes."""
    (line,) = view_lines([Going("a\x1b[2J", "b\nc", NOON)], NOON)
    assert isinstance(line, Text)
    assert line.plain == "▸ a\\x1b[2J/b\\nc  0.0 s"


def test_a_person_who_stays_is_told_how_to_signal_and_only_once(swamp):
    """`--wait` prints the command for each wait when the run is suspended; the rest is told as it happens."""
    (swamp.directory / "workflows" / "two.yaml").write_text(
        "jobs: [{name: ask, steps: ["
        "{name: a, task: {type: wait_for_signal, timeout: 1m}},"
        "{name: b, task: {type: wait_for_signal, timeout: 2m}}]}]"
    )
    clock = FakeClock(NOON)
    swamp.ambient = replace(swamp.ambient, clock=clock)
    answer = swamp("workflow", "run", "two", "--wait")
    assert answer.code == 1
    assert answer.err.count("Signal it with:") == 2
    assert answer.err.count("ask/a failed: ") == 1
    assert answer.err.index("Signal it with:") < answer.err.index("ask/a failed: ")
    assert clock.now() >= NOON + timedelta(minutes=2)
