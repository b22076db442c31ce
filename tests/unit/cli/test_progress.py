"""What is told while a run is driven."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text
from swamp_core.app.run_views import run_view, run_wait_views
from swamp_core.app.views import RunResult
from swamp_core.app.workspace import open_workspace
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.live import LINES_MAX, view_lines
from swamp_core.cli.parts import Copy, Say
from swamp_core.cli.progress import FAILURES_TOLD_MAX, NestedTeller, Summary, Teller
from swamp_core.cli.rendering.runs import SHOWN_MAX, run_parts
from swamp_core.cli.sentences import sentences
from swamp_core.cli.tally import Going, Tally
from swamp_core.records.families import Decision, Receipt
from swamp_core.run import events
from swamp_core.run.state import JobState, RunState, StepState
from swamp_core.run.transitions import fold
from swamp_core.testing.clock import FakeClock

from tests.unit.cli.stored import StoredRun, workflow

NOON = datetime(2026, 7, 27, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=90)
OWNER = events.Owner(host="build-1", pid=1, token="t", lease_until=LATER)
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


def many(count):
    """A run of so many steps, and the events that start them all."""
    steps = [{"name": f"step {number}"} for number in range(count)]
    run = RUN.model_copy(update={"jobs": {}, "definition": {"jobs": [{"name": "job", "steps": steps}]}})
    return run, [
        events.StepStarted(at=NOON + timedelta(seconds=number), job="job", step=f"step {number}")
        for number in range(count)
    ]


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
        at=NOON, job="job", step="step 1", wait_id=RECEIPT.wait_id, wait_kind="signal", deadline=LATER
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


def items(count, kind=None, **fields):
    """The expansion of the step `each` into so many items, and an event of a kind for each of them."""
    names = [f"each[{number}]" for number in range(count)]
    expanded = events.StepExpanded(
        at=NOON, job="job", step="each", items=[events.Item(name=name, value=1) for name in names]
    )
    return expanded, [kind(at=LATER, job="job", step=name, **fields) for name in names] if kind else []


def expanding():
    definition = {"jobs": [{"name": "job", "steps": [{"name": "each"}, {"name": "other"}]}]}
    return RUN.model_copy(update={"jobs": {}, "definition": definition})


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


@given(st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=60), st.integers(1, 4))
def test_a_tally_that_is_kept_up_is_one_that_is_made_anew(moves, in_one_commit):
    """Whatever happens in whichever commits, the counts are those of the run's state."""
    expanded, _ = items(10)
    names = ["other", *(item.name for item in expanded.items), "each"]
    run, kept_up = expanding(), Tally()
    kept_up.observe(run, [])
    commit = []
    for number, does_end in moves:
        commit += _possible(_with_resets(run, commit), names[number], expanded, does_end)
        if len(commit) >= in_one_commit:
            run = _with_resets(run, commit)
            kept_up.observe(run, commit)
            commit = []
            anew = Tally()
            anew.observe(run, [])
            for tally in (kept_up, anew):
                tally.counts += type(tally.counts)()  # Leaves out what counts nothing.
            assert (kept_up.counts, kept_up.total, kept_up.to_go) == (anew.counts, anew.total, anew.to_go)
            assert kept_up.running == anew.running


def _with_resets(run, happened):
    """The run after the events. A step may be reset while the run is being retried, which here is at any time."""
    for event in happened:
        run = fold(run.model_copy(update={"is_resetting": isinstance(event, events.StepReset)}), [event])
    return run


def _possible(run, name, expanded, does_end):
    where = {"at": LATER, "job": "job", "step": name}
    step = run.step("job", name)
    if name == "each":
        if step.status == "pending":
            return [expanded]
        return [events.StepReset(**where, reason="r")] if step.ended else []
    if name != "other" and run.step("job", "each").status == "pending":
        return []
    if step.status == "pending":
        return [events.StepStarted(**where)]
    if step.status == "running" and does_end:
        return [events.StepSucceeded(**where, outputs={})]
    return [events.StepReset(**where, reason="r")]


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


def nested_in(parent, step, *, job="job", run_id="b" * 36):
    above = events.Parent(run_id=parent.run_id, workflow="w", mark=1, job=job, step=step)
    return RUN.model_copy(update={"jobs": {}, "run_id": run_id, "parent": above})


def test_the_live_view_shows_what_runs_in_nested_runs():
    """A step that is a run of its own waits for it; what goes on there is seen as well."""
    run, started = many(1)
    lines = view_lines(Tally(), NOON, [tallied(run, started)])
    assert [line.plain for line in lines] == ["▸ job/step 0  0.0 s"]


def test_a_commit_costs_what_its_events_cost(monkeypatch):
    """Looking on does not walk all steps for each commit: a run of 2,000 would take its time squared."""
    run, started = many(2000)
    tally, summary, looks = Tally(), Summary(), []
    tally.observe(run, [])
    step = RunState.step
    monkeypatch.setattr(RunState, "step", lambda *args: looks.append(1) or step(*args))
    for event in started[:20]:
        run = fold(run, [event])
        looks.clear()
        tally.observe(run, [event])
        list(summary.told(run, [event]))
        view_lines(tally, LATER)
        assert len(looks) <= 4


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
