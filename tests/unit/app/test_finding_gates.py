"""Finding a gate by what a person types: the name of its step, `JOB/STEP`, or its wait ID."""

from __future__ import annotations

import pytest
from swamp_core.app.gates import waits_named
from swamp_core.run.state import RunState, StepState, WaitState

from tests.explored.runs import NOW, RUN

A, B, C = (f"{letter}bcdef00-0000-4000-8000-00000000000{letter}" for letter in "abc")
GATE, SIGNAL = "approval", "signal"


def run_with(*waits: tuple[str, str, str, str], reset: tuple[str, ...] = ()) -> RunState:
    """A run whose steps have waits, each a (wait ID, kind, job, step); those in `reset` are not their steps' now."""
    jobs: dict = {}
    for wait_id, _, job, step in waits:
        if wait_id not in reset:
            state = StepState(status="succeeded", wait_id=wait_id)
            jobs.setdefault(job, {"steps": {}, "ended": 0})["steps"][step] = state
            jobs[job]["ended"] += 1
    return RunState(
        run_id=RUN,
        workflow="w",
        mark=1,
        status="running",
        definition={},
        models={},
        inputs={},
        started_by="ann",
        started_at=NOW,
        jobs=jobs,
        waits={
            wait_id: WaitState(job=job, step=step, kind=kind, planned_at=NOW, status="applied")
            for wait_id, kind, job, step in waits
        },
    )


TWO_JOBS = run_with((A, GATE, "eu", "sign-off"), (B, GATE, "us", "sign-off"), (C, SIGNAL, "us", "review"))
SLASHES = run_with((A, GATE, "a", "b/c"), (B, GATE, "a/b", "c"), (C, GATE, "x", "a/b/c"))


@pytest.mark.parametrize(
    ("run", "text", "found"),
    [
        (TWO_JOBS, "sign-off", [A, B]),
        (TWO_JOBS, "eu/sign-off", [A]),
        (TWO_JOBS, "us/sign-off", [B]),
        (TWO_JOBS, "review", []),
        (TWO_JOBS, "sign", []),
        (TWO_JOBS, "Sign-Off", []),
        (TWO_JOBS, "", []),
        (TWO_JOBS, B, [B]),
        (TWO_JOBS, B[:6].upper(), [B]),
        (TWO_JOBS, B[:5], []),
        (TWO_JOBS, C, []),
        (SLASHES, "b/c", [A]),
        (SLASHES, "c", [B]),
        (SLASHES, "x/a/b/c", [C]),
        (SLASHES, "a/b/c", [A, B, C]),
        (run_with((A, GATE, "j", "each[eu/1]")), "j/each[eu/1]", [A]),
        (run_with((A, GATE, "j", B), (B, GATE, "j", "s")), B, [A]),
    ],
)
def test_a_gate_is_meant_by_its_step_or_by_its_id(run, text, found):
    """A name is taken whole, with or without its job, and beats an ID; an ID may be shortened to six characters."""
    assert waits_named(run, text, GATE) == found


def test_a_gate_from_before_its_step_was_reset_is_found_by_its_id_alone():
    """A name means the gate that the step has now, so a retried run is not decided by what was decided before."""
    waits = ((A, GATE, "j", "sign-off"), (B, GATE, "j", "sign-off"))
    assert waits_named(run_with(*waits, reset=(A,)), "sign-off", GATE) == [B]
    again = run_with(*waits, reset=(A, B))
    assert [waits_named(again, text, GATE) for text in ("sign-off", A)] == [[], [A]]


def test_the_waits_for_a_signal_are_told_apart():
    """The same words find a wait of the other kind only when that is asked for."""
    assert waits_named(TWO_JOBS, "us/review", SIGNAL) == [C]
    assert waits_named(TWO_JOBS, "sign-off", SIGNAL) == []
