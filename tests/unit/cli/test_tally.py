"""How many steps stand where, kept up from one commit to the next."""

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.cli.live import view_lines
from swamp_core.cli.progress import Summary
from swamp_core.cli.tally import Tally
from swamp_core.run import events
from swamp_core.run.state import RunState
from swamp_core.run.transitions import fold

from tests.unit.cli.happening import LATER, expanding, items, many


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
