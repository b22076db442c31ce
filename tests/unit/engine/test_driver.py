"""The driver, on a store in memory that fails where a test says: what it starts, what it waits for, when it stops."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.cancel import cancel
from swamp_core.app.driving import Attention
from swamp_core.app.refusals import Refused
from swamp_core.app.run import run_workflow
from swamp_core.app.swamp import Swamp
from swamp_core.app.taking_up import TRIES_MAX, stay, take_up
from swamp_core.app.workflows import Runnable
from swamp_core.app.workspace import Workspace
from swamp_core.engine.cancelling import cancel_run
from swamp_core.engine.ceiling import CONCURRENT_STEPS_MAX
from swamp_core.journal.reading import read_entries, read_journal
from swamp_core.journal.starting import start_run
from swamp_core.models.definition import ShellModel
from swamp_core.records import keys
from swamp_core.run.events import Owner, StepStarted, WaitOpened
from swamp_core.store.errors import OutcomeUnknown, StoreAccessDenied, StoreUnavailable
from swamp_core.store.memory import MemoryStore
from swamp_core.store.operations import execute
from swamp_core.testing.clock import FakeClock
from swamp_core.testing.faults import Fault, FaultyStore
from swamp_core.workflow.definition import Workflow

from tests.histories import NOW, started

UNKNOWN = OutcomeUnknown("The reply was lost", put_id="p")
UNAVAILABLE = StoreUnavailable("The store is away")


class Eager:
    """A clock that lets nobody wait, but for tasks: they take the time that they take."""

    def __init__(self) -> None:
        self.waits = 0

    def now(self):
        from swamp_core.ambient import SystemClock

        return SystemClock().now()

    def wait(self, event: Flag, seconds: float) -> bool:
        self.waits += 1
        return event.is_set()


def workspace(store: Any, tmp_path: Path, **ambient: Any) -> Workspace:
    return Workspace(tmp_path, Ambient(clock=Eager(), **ambient), opener=lambda _setting: store)


def runnable(*steps: dict[str, Any], **methods: str) -> Runnable:
    workflow = Workflow.from_json({"name": "w", "jobs": [{"name": "j", "steps": list(steps)}]})
    model = ShellModel.from_json(
        {
            "name": "m",
            "type": "command/shell",
            "methods": {name: {"run": run} for name, run in methods.items()},
        }
    )
    return Runnable(workflow, {"m": model})


def call(name: str, method: str = "go", **more: Any) -> dict[str, Any]:
    return {
        "name": name,
        "task": {"type": "model_method", "modelIdOrName": "m", "methodName": method},
        **more,
    }


WAIT = {"name": "wait", "task": {"type": "wait_for_signal", "timeout": 60}}


def entry_sizes(store: MemoryStore, run_id: str) -> list[int]:
    return [len(entry.events) for entry in execute(read_entries(run_id), store)]


@pytest.mark.parametrize("error", [UNAVAILABLE, UNKNOWN])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_store_that_is_away_delays_the_run_and_changes_nothing(tmp_path, error, when):
    """While an append fails the driver tries again, starts nothing new, and goes on where it was."""
    steps = [call("a"), call("b", dependsOn=["a"])]
    fault = Fault("put_if_absent", error, when, on=lambda key: key.startswith("runs/"), first=2, times=3)
    store = FaultyStore(MemoryStore(), fault)
    space = workspace(store, tmp_path)
    result = run_workflow(space, runnable(*steps, go=f"echo x >> {tmp_path}/count"), {})
    assert result.run.status == "succeeded"
    assert (tmp_path / "count").read_text() == "x\nx\n"
    assert space.ambient.clock.waits == 3


def test_a_store_that_refuses_us_stops_the_driver_and_its_steps(tmp_path):
    """Denied access is not waited out: the driver stops as a killed one would, and says what the store said."""
    fault = Fault(
        "put_if_absent",
        StoreAccessDenied("No"),
        "before",
        on=lambda key: key.startswith("runs/"),
        first=2,
        times=9,
    )
    with pytest.raises(StoreAccessDenied):
        run_workflow(
            workspace(FaultyStore(MemoryStore(), fault), tmp_path), runnable(call("a"), go="true"), {}
        )


def test_what_ends_together_is_written_together(tmp_path):
    """While one append is in flight, what ends meanwhile goes into the next one: a group commit."""
    store, attention = MemoryStore(), Attention()

    class Held(FaultyStore):
        """Holds the first append of a result until every other result is there to be written."""

        held = False

        def put_if_absent(self, key: str, data: bytes) -> bool:
            written = data.count(b'"step_succeeded"')
            if key.startswith(keys.RUNS) and written and not self.held:
                self.held = True
                ended = attention._driver._tasks._done  # what has ended and is not taken up yet
                while ended.qsize() < 8 - written:
                    Flag().wait(0.001)
            return store.put_if_absent(key, data)

    go = runnable(*[call(f"s{n}") for n in range(8)], go="true")
    result = run_workflow(workspace(Held(store), tmp_path), go, {}, attention=attention)
    assert result.run.status == "succeeded"
    assert len(entry_sizes(store, result.run.id)) <= 5


def test_a_cancel_from_elsewhere_stops_a_step_in_the_middle(tmp_path):
    """A driver finds the request in the journal, ends the step that runs, and ends the run as cancelled."""
    store = MemoryStore()
    space = workspace(store, tmp_path)

    def observe(run: Any, events: Any) -> None:
        if any(isinstance(event, StepStarted) for event in events):
            execute(cancel_run(run.run_id, by="ann", reason="no", ambient=space.ambient), store)

    result = run_workflow(
        space,
        runnable(call("a"), call("b", dependsOn=["a"]), go="sleep 600"),
        {},
        attention=Attention(observe),
    )
    assert result.run.status == "cancelled"
    assert [step.status for step in result.run.jobs[0].steps] == ["failed", "skipped"]
    assert result.run.jobs[0].steps[0].error.code == "cancelled"


def test_an_interrupt_cancels_the_run(tmp_path):
    """Ctrl-C at the driver's terminal ends the steps in flight and the run."""
    attention = Attention()
    attention.observe = lambda _run, events: (
        attention.interrupt() if any(isinstance(event, StepStarted) for event in events) else None
    )
    result = run_workflow(
        workspace(MemoryStore(), tmp_path), runnable(call("a"), go="sleep 600"), {}, attention=attention
    )
    assert result.run.status == "cancelled"


def test_a_driver_that_another_has_replaced_stops(tmp_path):
    """A driver whose run another host has recovered and resumed loses its next append and says so."""
    store = MemoryStore()
    space = workspace(store, tmp_path, host="here")
    elsewhere = workspace(store, tmp_path, host="there", pid=1)

    def replace(run: Any, events: Any) -> None:
        if any(isinstance(event, StepStarted) for event in events):
            execute(cancel_run(run.run_id, by="x", reason=None, ambient=Late(elsewhere.ambient)), store)

    with pytest.raises(Refused) as refused:
        run_workflow(space, runnable(call("a"), go="sleep 600"), {}, attention=Attention(replace))
    assert refused.value.code == "driver_replaced"


def Late(ambient: Ambient) -> Ambient:  # noqa: N802 - it makes an ambient whose clock is past every lease
    from dataclasses import replace
    from datetime import timedelta

    from swamp_core.testing.clock import OffsetClock

    return replace(ambient, clock=OffsetClock(timedelta(hours=1)))


def test_steps_beside_a_wait_are_done_before_the_run_is_suspended(tmp_path):
    """A driver that reaches a wait does everything else that it can, and only then suspends."""
    store = MemoryStore()
    steps = [WAIT, call("a"), call("b", dependsOn=["a"]), call("after", dependsOn=["wait"])]
    result = run_workflow(workspace(store, tmp_path), runnable(*steps, go="true"), {})
    assert result.run.status == "suspended"
    statuses = {step.name: step.status for step in result.run.jobs[0].steps}
    assert statuses == {"wait": "waiting", "a": "succeeded", "b": "succeeded", "after": "pending"}


def test_outputs_that_are_too_large_fail_the_step(tmp_path):
    """Outputs are kept whole or not at all."""
    big = 'head -c 250000 /dev/zero | tr "\\0" x > text; { printf "big="; cat text; } > "$SWAMP_OUTPUT"; cat text'
    result = run_workflow(workspace(MemoryStore(), tmp_path), runnable(call("a"), go=big), {})
    assert result.run.jobs[0].steps[0].error.code == "output_too_large"


def test_a_run_is_taken_up_once(tmp_path):
    """A second resume of a run that nothing can be done for changes nothing in it."""
    store = MemoryStore()
    space = workspace(store, tmp_path)
    result = run_workflow(space, runnable(WAIT, go="true"), {})
    before = dict(store.records)
    take_up(space, result.run.id, Attention())
    assert store.records == before


def test_a_run_is_shown_as_it_is_taken_up(tmp_path):
    """Whoever looks on sees the run before anything happens to it or its nested runs, at its start and at a resume."""
    space = workspace(MemoryStore(), tmp_path)
    seen: list[Any] = []
    attention = Attention(lambda run, events: seen.append((run.run_id, run.status, len(events))))
    suspended = run_workflow(space, runnable(WAIT, go="true"), {}, attention=attention)
    assert seen[0] == (suspended.run.id, "running", 0)
    seen.clear()
    Swamp(space).signal(suspended.waits[0].wait_id, {})
    Swamp(space).resume(suspended.run.id, attention=attention)
    assert seen[0] == (suspended.run.id, "running", 0)


def big_schema() -> dict[str, Any]:
    return {"type": "object", "description": "x" * 300_000}


def test_a_registration_that_is_too_large_fails_the_step_before_anything_is_opened(tmp_path):
    """A wait that could not be registered is refused while nothing of it is there."""
    store = MemoryStore()
    wait = {"name": "wait", "task": {**WAIT["task"], "schema": big_schema()}}
    result = run_workflow(workspace(store, tmp_path), runnable(wait, go="true"), {})
    assert result.run.status == "failed"
    assert result.run.jobs[0].steps[0].error.code == "registration_too_large"
    assert not [key for key in store.records if key.startswith((keys.WAITS, keys.OUTCOMES))]


def asking(schema: dict[str, Any], inputs: dict[str, Any]) -> Runnable:
    wait = {"name": "wait", "task": {**WAIT["task"], "schema": schema}}
    document = {"name": "w", "inputs": inputs, "jobs": [{"name": "j", "steps": [wait]}]}
    return Runnable(Workflow.from_json(document), {})


CHOICES = {"type": "object", "properties": {"choices": {"type": "array"}}}


def test_a_schema_reads_the_inputs_before_it_is_captured(tmp_path):
    """The captured schema holds the run's own values, so a signaller needs nothing else."""
    schema = {"type": "object", "properties": {"verdict": {"enum": "${{ inputs.choices }}"}}}
    result = run_workflow(
        workspace(MemoryStore(), tmp_path), asking(schema, CHOICES), {"choices": ["ship", "fix"]}
    )
    assert result.waits[0].payload_schema == {
        "type": "object",
        "properties": {"verdict": {"enum": ["ship", "fix"]}},
    }


def test_a_schema_that_the_inputs_make_unusable_fails_the_step(tmp_path):
    """A schema that would promise a check that is not made is never captured."""
    schema = {"type": "object", "properties": {"verdict": {"enum": "${{ inputs.choices }}"}}}
    store = MemoryStore()
    result = run_workflow(workspace(store, tmp_path), asking(schema, CHOICES), {"choices": []})
    assert result.run.jobs[0].steps[0].error.code == "invalid_schema"
    assert not [key for key in store.records if key.startswith(keys.WAITS)]


@pytest.mark.parametrize("error", [UNAVAILABLE, UNKNOWN])
@pytest.mark.parametrize("verb", ["put_if_absent", "get"])
def test_a_lost_reply_to_a_resume_is_not_taken_for_another_process(tmp_path, error, verb):
    """A resume that was stored while its answer was lost is this process's own, and it drives the run."""
    records = MemoryStore()
    suspended = run_workflow(
        workspace(records, tmp_path), runnable(WAIT, call("b", dependsOn=["wait"]), go="true"), {}
    )
    Swamp(workspace(records, tmp_path)).signal(suspended.waits[0].wait_id, {})
    resumed = keys.entry(suspended.run.id, len(entry_sizes(records, suspended.run.id)) + 1)
    on = resumed if verb == "put_if_absent" else keys.mark("w", suspended.run.id, 1)
    store = FaultyStore(records, Fault(verb, error, "after", on=lambda key: key == on))
    assert Swamp(workspace(store, tmp_path)).resume(suspended.run.id).run.status == "succeeded"
    assert store.struck


def test_a_resume_gives_up_after_some_tries_and_says_how_to_go_on(tmp_path):
    """A store that stays away ends the command with the command to repeat."""
    records = MemoryStore()
    suspended = run_workflow(workspace(records, tmp_path), runnable(WAIT, go="true"), {})
    store = FaultyStore(records, Fault("list", UNAVAILABLE, "before", times=None))
    with pytest.raises(StoreUnavailable) as gave_up:
        take_up(workspace(store, tmp_path), suspended.run.id, Attention())
    assert len(store.struck) == TRIES_MAX
    assert f"swamp workflow resume {suspended.run.id}" in gave_up.value.hint


def test_staying_with_a_run_goes_on_when_another_process_drives_it(tmp_path):
    """Whoever stays with a run is told of its end, also when somebody else has resumed it."""
    records = MemoryStore()
    space = workspace(records, tmp_path)
    suspended = run_workflow(space, runnable(WAIT, go="true"), {})
    run = execute(read_journal(suspended.run.id), records).run
    other = Swamp(workspace(records, tmp_path))

    class Passing(Eager):
        """While this clock waits, somebody signals and resumes."""

        def wait(self, event: Flag, seconds: float) -> bool:
            if self.waits == 1:
                other.signal(suspended.waits[0].wait_id, {})
                other.resume(suspended.run.id)
            return super().wait(event, seconds)

    passing = Workspace(tmp_path, Ambient(clock=Passing()), opener=lambda _setting: records)
    assert stay(passing, run, Attention()).status == "succeeded"


def test_a_wait_is_opened_while_every_slot_runs_a_script(tmp_path):
    """Scripts never keep a wait from being registered: it can be signalled while they run."""
    store = MemoryStore()
    busy = [call(f"s{n}", method="hold") for n in range(CONCURRENT_STEPS_MAX)]
    opened = Flag()

    def observe(run: Any, events: Any) -> None:
        if any(isinstance(event, WaitOpened) for event in events):
            opened.set()
            (tmp_path / "go").touch()

    hold = f"until test -e {tmp_path}/go; do :; done"
    go = runnable(
        *busy, {**WAIT, "task": {**WAIT["task"], "timeout": 600}}, hold=f"timeout 60 sh -c '{hold}'"
    )
    result = run_workflow(workspace(store, tmp_path), go, {}, attention=Attention(observe))
    assert opened.is_set()
    assert result.run.status == "suspended"
    assert {step.status for step in result.run.jobs[0].steps} == {"succeeded", "waiting"}


def test_many_waits_with_large_schemas_go_into_several_entries(tmp_path):
    """However much is planned at once, each entry fits in a record, and every wait is opened."""
    store = MemoryStore()
    schema = {"type": "object", "description": "x" * 200_000}
    waits = [{"name": f"w{n}", "task": {**WAIT["task"], "schema": schema}} for n in range(90)]
    result = run_workflow(workspace(store, tmp_path), runnable(*waits, go="true"), {})
    assert len(result.waits) == 90
    payload = {"text": "y" * 16_000}
    for wait in result.waits:
        Swamp(workspace(store, tmp_path)).signal(wait.wait_id, payload)
    assert Swamp(workspace(store, tmp_path)).resume(result.run.id).run.status == "succeeded"


@pytest.mark.parametrize(("value", "shown"), [(3, "3"), (None, "null"), ([1], "[1]"), ("text", "text")])
def test_a_prompt_shows_any_input_as_text(tmp_path, value, shown):
    """An expression in a prompt may give any value; people are shown it."""
    wait = {"name": "wait", "task": {**WAIT["task"], "prompt": "${{ inputs.n }}"}}
    document = {"name": "w", "inputs": {"properties": {"n": {}}}, "jobs": [{"name": "j", "steps": [wait]}]}
    asked = Runnable(Workflow.from_json(document), {})
    result = run_workflow(workspace(MemoryStore(), tmp_path), asked, {"n": value})
    assert result.waits[0].prompt == (None if value is None else shown)


def test_a_cancel_that_waits_ends_a_run_whose_driver_dies_meanwhile(tmp_path):
    """Whoever waits for the driver to end the run ends it when the driver is gone."""
    store = MemoryStore()
    event = started(owner=Owner(host="there", pid=1, token="t", lease_until=NOW + timedelta(seconds=60)))
    event = event.model_copy(update={"definition": runnable(call("a"), go="true").workflow.to_json()})
    model = ShellModel.from_json({"name": "m", "type": "command/shell", "methods": {"go": {"run": "true"}}})
    event = event.model_copy(update={"models": {"m": model.to_json()}, "workflow": "w"})
    execute(start_run(event, entry_id="e", build="test"), store)
    space = Workspace(tmp_path, Ambient(clock=FakeClock(NOW)), opener=lambda _setting: store)
    assert cancel(space, event.run_id, wait=True).run.status == "cancelled"
