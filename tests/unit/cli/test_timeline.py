"""`history get`: the timeline of a run says who did what, and how long it took, in a bounded number of lines."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.views import OutcomeView, RunHistory
from swamp_core.cli.rendering.phrases import ANSWERED, event_text
from swamp_core.cli.rendering.timeline import FAILURES_TOLD_MAX, ITEMS_TOLD_MAX, rows, with_answers
from swamp_core.records.families import Decision, Receipt
from swamp_core.run import events
from swamp_core.run.events import Item

from tests.unit.cli.stored import NOW, OWNER, StoredRun, calling, workflow

WAIT = "00050001-0000-4000-8000-000000000000"
CHILD = "019fa372-3a00-7000-8000-000000010002"
STEP = {"at": NOW, "job": "a", "step": "b"}
ERROR = events.StepError(code="command_failed", message="It failed.")
RECEIPT = Receipt(id=CHILD, wait_id=WAIT, received_at=NOW, submitted_by="bob", idempotency_key="k")


def approved(reason):
    decision = Decision(id=CHILD, by="bob", at=NOW, reason=reason)
    return events.WaitApplied(**STEP, wait_id=WAIT, application=events.ApprovalApplied(decision=decision))


@pytest.mark.parametrize(
    ("event", "phrase"),
    [
        (events.StepExpanded(**STEP, items=[]), "a/b has no items"),
        (
            events.StepExpanded(**STEP, items=[Item(name=f"b[{n}]", value=n) for n in (1, 2)]),
            "a/b became 2 steps, one for each item",
        ),
        (events.WaitPlanned(**STEP, wait_id=WAIT, wait_kind="approval"), f"a/b planned the gate {WAIT}"),
        (approved(None), "a/b was approved by bob at 2026-07-27 12:00:00 UTC"),
        (approved("It is fine."), "a/b was approved by bob at 2026-07-27 12:00:00 UTC: It is fine."),
        (
            events.WaitApplied(
                **STEP, wait_id=WAIT, application=events.SignalApplied(receipt=RECEIPT, payload={"n": 1})
            ),
            'a/b took the signal of bob, received at 2026-07-27 12:00:00 UTC: {"n": 1}',
        ),
        (events.GateRejected(**STEP, wait_id=WAIT, by="bob", reason="No."), "bob rejected a/b: No."),
        (
            events.ChildPlanned(**STEP, child_run_id=CHILD, workflow="inner", inputs={}),
            f"a/b runs inner as the run {CHILD}",
        ),
        (
            events.ChildApplied(**STEP, child_run_id=CHILD, outputs={"n": 1}),
            f'a/b has the outputs of the run {CHILD}: {{"n": 1}}',
        ),
        (
            events.ChildApplied(**STEP, child_run_id=CHILD, error=ERROR, allowed=True),
            "a/b failed, which is allowed (command_failed): It failed.",
        ),
        (events.RunResumed(at=NOW, owner=OWNER), "process 1 on build-1 resumed the run"),
        (events.RunResumed(at=NOW, owner=OWNER, by="ada"), "ada resumed the run as process 1 on build-1"),
        (
            events.RunRetried(at=NOW, owner=OWNER, by="ada", mark=9),
            "ada retried the run as process 1 on build-1",
        ),
        (events.RetryAbandoned(at=NOW), "a retry of the run was given up before it began"),
    ],
    ids=lambda value: value.event if not isinstance(value, str) else "",
)
def test_each_event_is_a_phrase(event, phrase):
    """A reader learns who did what, for every kind of event."""
    assert event_text(event.model_dump(mode="json")) == phrase


def test_inputs_given_at_a_resume_are_told_by_name_only(swamp):
    """What was given to a run that had begun is in neither the text nor the JSON of its history; its names are."""
    run = StoredRun(swamp, workflow("w", {"name": "a", "steps": [calling("b")]}), inputs={"token": "old"})
    run.happened(events.RunSuspended(at=NOW))
    run.happened(events.RunResumed(at=NOW, owner=OWNER, by="ada", inputs={"token": "new-value"}))
    text = swamp("workflow", "history", "get", run.run_id).out
    assert "ada resumed the run as process 1 on build-1, with other inputs: token" in text
    shown = swamp("workflow", "history", "get", run.run_id, "--json").json["events"]
    assert "new-value" not in text + str(shown)
    assert shown[-1]["inputs"] == ["token"]


def expanded(count):
    items = [Item(name=f"b[{number}]", value=number) for number in range(count)]
    return events.StepExpanded(**STEP, items=items)


def item(kind, number, *, after_s=0, **fields):
    return kind(at=NOW + timedelta(seconds=after_s), job="a", step=f"b[{number}]", **fields)


def test_a_thousand_items_are_a_few_lines(swamp):
    """Items are summed up, the first that failed are told, and `--json` has every event."""
    definition = workflow(
        "w", {"name": "a", "steps": [calling("b", forEach={"item": "n", "in": list(range(1000))})]}
    )
    run = StoredRun(swamp, definition).happened(expanded(1000))
    run.happened(*(item(events.StepStarted, number) for number in range(1000)))
    run.happened(
        *(item(events.StepFailed, number, error=ERROR, after_s=1) for number in range(0, 1000, 20)),
        *(
            item(events.StepSucceeded, number, outputs={}, after_s=90)
            for number in range(1000)
            if number % 20
        ),
    )
    lines = swamp("workflow", "history", "get", run.run_id).out.splitlines()
    assert len(lines) < 20
    summary = "a/b, items: 1000 started, 50 failed, 950 succeeded; 1000 of 1000 are over"
    assert any(line.endswith(f"1 min 30 s  {summary}") for line in lines)
    assert sum(" failed (command_failed): It failed." in line for line in lines) == FAILURES_TOLD_MAX
    assert len(swamp("workflow", "history", "get", run.run_id, "--json").json["events"]) == 2002


def test_a_few_items_are_told_one_by_one():
    """A forEach over a handful is as readable as the steps that it stands for."""
    happened = [
        expanded(2),
        item(events.StepStarted, 0),
        item(events.StepSucceeded, 0, outputs={}, after_s=5),
    ]
    assert [(row.took, row.text) for row in rows(each.model_dump(mode="json") for each in happened)] == [
        ("", "a/b became 2 steps, one for each item"),
        ("", "a/b[0] started"),
        ("5.0 s", "a/b[0] succeeded: {}"),
    ]


def answered(number, use):
    at = NOW + timedelta(seconds=number)
    place = {"wait_id": WAIT, "job": "a", "step": f"b[{number}]"}
    return OutcomeView(**place, result="approved", at=at, by="bob", use=use)


def history(happened, outcomes):
    """A history of which only what happened is known."""
    told = [each.model_dump(mode="json") for each in happened]
    return RunHistory.model_construct(run=None, events=told, outcomes=outcomes)


@pytest.mark.parametrize(("use", "text"), [("pending", "not yet"), ("unused", "never")])
def test_answers_of_many_items_are_summed_up(use, text):
    """A thousand gates that were approved and not taken up are one line."""
    told = history([expanded(1000)], [answered(number, use) for number in range(1000)])
    assert [row.text for row in rows(with_answers(told))][1:] == [
        f"a/b, items: 1000 approved and {text} taken up; 0 of 1000 are over"
    ]


def test_answers_stand_where_they_were_given():
    """They are told among the events by their times, and never before the run's start, whatever a host's clock says."""
    happened = [expanded(2), item(events.StepStarted, 0, after_s=5), item(events.StepStarted, 1, after_s=9)]
    early = answered(0, "pending").model_copy(update={"at": NOW - timedelta(days=1)})
    told = history(happened, [early, answered(7, "unused"), answered(8, "applied")])
    kinds = [event["event"] for event in with_answers(told)]
    assert kinds == ["step_expanded", ANSWERED, "step_started", ANSWERED, "step_started"]


OUTSIDE = events.StepStarted(at=NOW, job="a", step="other")


@given(st.lists(st.integers(0, 199), unique=True), st.integers(0, 5))
def test_no_end_of_an_item_is_lost(ended, between):
    """However the items end, and whatever happens between, the last summary counts all that are over."""
    happened = [expanded(200)]
    for place, number in enumerate(ended):
        happened.append(item(events.StepSkipped, number, reason="r"))
        happened += [OUTSIDE] if between and place % (between * 10) == 0 else []
    told = [row.text for row in rows(each.model_dump(mode="json") for each in happened)]
    summaries = [text for text in told if "items:" in text]
    assert (f"; {len(ended)} of 200 are over" in summaries[-1]) if ended else not summaries
    assert len(told) <= 2 * (1 + happened.count(OUTSIDE)) + 1
    assert ITEMS_TOLD_MAX < 200


@pytest.mark.parametrize(
    ("kind", "command"), [("signal", "waits --workflow w"), ("approval", "watch {run_id} --until suspended")]
)
def test_a_suspended_run_is_shown_with_the_command_that_says_what_it_waits_for(swamp, kind, command):
    """A listing of waits has no gates, so a run that waits for one is watched instead, which ends at once."""
    run = StoredRun(swamp, workflow("w", {"name": "a", "steps": [calling("b")]}))
    run.happened(
        events.WaitPlanned(**STEP, wait_id=WAIT, wait_kind=kind),
        events.WaitOpened(**STEP, wait_id=WAIT),
        events.RunSuspended(at=NOW),
    )
    told = swamp("workflow", "history", "get", run.run_id).out.splitlines()[-1]
    assert told == f"swamp workflow {command.format(run_id=run.run_id)}"
    assert swamp(*told.split()[1:]).out.count(WAIT) >= (kind == "approval")
