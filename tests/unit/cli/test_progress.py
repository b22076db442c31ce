"""What is told while a run is driven."""

from dataclasses import replace
from datetime import timedelta

from swamp_core.app.run_views import run_view, run_wait_views
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import open_workspace
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.parts import Copy, Say
from swamp_core.cli.progress import FAILURES_TOLD_MAX, NestedTeller, Summary, Teller
from swamp_core.cli.rendering.runs import SHOWN_MAX, run_parts
from swamp_core.cli.tally import Tally
from swamp_core.run import events
from swamp_core.run.transitions import fold
from swamp_core.testing.clock import FakeClock

from tests.unit.cli.happening import ERROR, LATER, NOON, expanding, items, many, nested_in
from tests.unit.cli.stored import StoredRun, workflow


def test_a_thousand_items_are_told_in_a_few_lines():
    """Of many items a line tells of each tenth that is over, however many commits that takes."""
    expanded, started = items(1000, events.StepStarted)
    _, ended = items(1000, events.StepSucceeded, outputs={})
    run, summary, told = fold(expanding(), [expanded]), Summary(), []
    for each in zip(started, ended, strict=True):
        run = fold(run, each)
        told += [said.text for said in summary.told(run, each)]
    assert len(told) == 10
    assert told[-1] == "job/each: 1000 of 1000 items are over."


def test_the_first_items_that_fail_are_told_one_by_one():
    """A failure is not summed up, until there are so many that they would hide the rest."""
    expanded, started = items(100, events.StepStarted)
    _, failed = items(100, events.StepFailed, error=ERROR)
    happened = [*started, *failed]
    told = [said.text for said in Summary().told(fold(expanding(), [expanded, *happened]), happened)]
    assert len([text for text in told if "failed after" in text]) == FAILURES_TOLD_MAX
    assert told[-1] == "job/each: 100 of 100 items are over, 100 failed."


def test_a_few_items_are_told_as_steps_are():
    """A forEach over a handful is told item by item."""
    expanded, started = items(2, events.StepStarted)
    run = fold(expanding(), [expanded, *started])
    assert [said.text for said in Summary().told(run, [expanded, *started])] == [
        "job/each has 2 items.",
        "job/each[0] started.",
        "job/each[1] started.",
    ]


def test_a_nested_run_is_told_after_the_step_that_it_is():
    """Of several runs that one process drives it is plain which one a sentence is about."""
    teller, parent = NestedTeller(), expanding()
    teller.knows(parent)
    started = events.StepStarted(at=NOON, job="in", step="look")
    child = nested_in(parent, "other")
    assert [said.text for said in teller.told(fold(child, [started]), [started])] == [
        "job/other > in/look started."
    ]
    deeper = nested_in(child, "look", job="in", run_id="c" * 36)
    assert [said.text for said in teller.told(fold(deeper, [started]), [started])] == [
        "job/other > in/look > in/look started."
    ]


def test_a_run_that_is_taken_up_is_known_before_its_nested_runs(swamp):
    """A resume starts nested runs that were planned long ago: what is told of them says whose they are all the same."""
    teller, parent = Teller(Invocation(given_ambient=swamp.ambient), stays=False), expanding()
    child = nested_in(parent, "other")
    assert [part.text for part in teller.parts(parent, [])] == ["This is a run of release:", parent.run_id]
    assert list(teller.nested_parts(child, [])) == []
    assert teller.place(nested_in(child, "look", job="in", run_id="c" * 36)) == "job/other > in/look > "
    assert (teller.place(child), teller.place(parent)) == ("job/other > ", "")


def test_each_of_several_runs_is_told_under_its_id(swamp):
    """A command that drives several runs, one after another, says whose steps it tells of."""
    run, started = many(1)
    teller, told = Teller(Invocation(given_ambient=swamp.ambient), stays=False), []
    for run_id in ("a" * 36, "b" * 36):
        told += teller.parts(fold(run.model_copy(update={"run_id": run_id}), started), started)
    assert [part.text for part in told if isinstance(part, Copy)] == ["a" * 36, "b" * 36]
    tally = Tally()
    tally.observe(fold(run, started), started)
    tally.observe(
        run.model_copy(update={"run_id": "b" * 36}), [events.LeaseRenewed(at=NOON, lease_until=LATER)]
    )
    assert (tally.to_go, tally.running) == (1, {})


def test_a_thousand_nested_runs_are_not_told_one_by_one():
    """Runs that are the items of a forEach with many are summed up by it; only the first failures are told."""
    expanded, _ = items(1000)
    parent, teller, told = fold(expanding(), [expanded]), NestedTeller(), []
    teller.knows(parent)
    for number in range(1000):
        child = nested_in(parent, f"each[{number}]", run_id=f"{number:036}")
        happened = [
            events.StepStarted(at=NOON, job="in", step="look"),
            events.StepFailed(at=NOON, job="in", step="look", error=ERROR),
        ]
        told += teller.told(fold(child, happened), happened)
    assert len(told) == FAILURES_TOLD_MAX
    assert told[0].text.startswith("job/each[0] > in/look failed after")


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


def test_of_many_steps_that_wait_or_failed_the_first_are_told(swamp):
    """What a command answers about a run with a thousand steps that wait is a screen or two, and says where all are."""
    wait = {"type": "wait_for_signal", "timeout": 60}
    definition = workflow("w", {"name": "a", "steps": [{"name": f"s{n}", "task": wait} for n in range(40)]})
    run = StoredRun(swamp, definition)
    run.happened(
        *(
            each
            for n in range(20)
            for each in (
                events.WaitPlanned(at=NOON, job="a", step=f"s{n}", wait_id=f"{n:036}", wait_kind="signal"),
                events.WaitOpened(at=NOON, job="a", step=f"s{n}", wait_id=f"{n:036}"),
            )
        ),
        *(events.StepFailed(at=NOON, job="a", step=f"s{n}", error=ERROR) for n in range(20, 40)),
        events.RunSuspended(at=NOON),
    )
    state = run.journal.run
    workspace = open_workspace(swamp.directory, environ={}, ambient=swamp.ambient)
    result = RunResult(run=run_view(state, workspace.ambient), waits=run_wait_views(state, workspace))
    told = [part.text for part in run_parts(result, workspace) if isinstance(part, Say | Copy)]
    assert sum(text == "Signal it with:" for text in told) == SHOWN_MAX
    assert sum(" failed (command_failed): " in text for text in told) == SHOWN_MAX
    assert "10 more steps wait. All waits are listed by:" in told
    assert "10 more steps failed." in told
