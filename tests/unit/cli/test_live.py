"""The live view of a run on a terminal."""

from datetime import timedelta

import pytest
from rich.text import Text
from swamp_core.cli.live import LINES_MAX, NestedTally, view_lines
from swamp_core.cli.tally import Going, Tally
from swamp_core.run import events
from swamp_core.run.transitions import fold

from tests.unit.cli.happening import ERROR, LATER, NOON, many


def tallied(run, happened):
    tally = Tally()
    tally.observe(fold(run, happened), happened)
    return tally


@pytest.mark.parametrize("count", [0, 1, LINES_MAX, LINES_MAX + 1, 500])
def test_the_live_view_is_never_high(count):
    """With many steps it stays within a few lines, and counts those that are not shown."""
    lines = [line.plain for line in view_lines(tallied(*many(count)), LATER)]
    assert len(lines) == min(count, LINES_MAX)
    shown = sum("job/step" in line for line in lines)
    assert shown == count or lines[-1] == f"  {count} running"


def test_the_live_view_counts_a_run_with_many_steps():
    """One line says how many steps run, are over, failed, and are still to come."""
    run, started = many(20)
    ended = [
        events.StepSucceeded(at=LATER, job="job", step="step 0", outputs={}),
        events.StepFailed(at=LATER, job="job", step="step 1", error=ERROR),
    ]
    lines = view_lines(tallied(run, [*started[:5], *ended]), LATER)
    assert lines[-1].plain == "  3 running · 1 done · 1 failed · 15 to go"


def test_the_live_view_says_how_long_a_step_has_run_and_until_when_one_waits():
    """Both are told by the run's own clock."""
    run, started = many(2)
    wait = events.WaitPlanned(
        at=NOON,
        job="job",
        step="step 1",
        wait_id="00050001-0000-4000-8000-000000000000",
        wait_kind="signal",
        deadline=LATER,
    )
    lines = view_lines(tallied(run, [*started[:1], wait]), NOON + timedelta(seconds=30))
    assert [line.plain for line in lines] == [
        "▸ job/step 0  30.0 s",
        "◦ job/step 1  waits until 2026-07-27 12:01:30 UTC (in 60 seconds)",
    ]


def test_a_hostile_name_cannot_control_the_live_view():
    """A step's name may be any text; it is shown with escapes."""
    tally = Tally()
    tally.running["a", "b"] = Going("a\x1b[2J", "b\nc", NOON)
    (line,) = view_lines(tally, NOON)
    assert isinstance(line, Text)
    assert line.plain == "▸ a\\x1b[2J/b\\nc  0.0 s"


def test_the_live_view_shows_what_runs_in_nested_runs():
    """A step that is a run of its own waits for it; what goes on there is seen as well, and of which run it is."""
    run, started = many(1)
    nested = [NestedTally(f"j/each[{number}] > ", tallied(run, started)) for number in range(2)]
    lines = view_lines(Tally(), NOON, nested)
    assert [line.plain for line in lines] == [
        "▸ j/each[0] > job/step 0  0.0 s",
        "▸ j/each[1] > job/step 0  0.0 s",
    ]
