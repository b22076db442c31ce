"""A run whose driver is lost, or is another process: what each command says and does."""

from dataclasses import replace

import pytest
from swamp_core.store.checked import CheckedStore
from swamp_core.store.errors import StoreAccessDenied
from swamp_core.store.registry import open_store
from swamp_core.testing.faults import Fault, FaultyStore

from tests.unit.cli.conftest import NOW, InterruptingClock

LOOP = """
jobs:
  - name: j
    steps:
      - { name: ask, task: { type: wait_for_signal, timeout: 1h } }
      - { name: ship, dependsOn: [ask], task: { type: model_method, modelIdOrName: release, methodName: build } }
"""


@pytest.fixture
def lost(swamp):
    """The run and wait of a workflow whose driver stopped when `ship` had started; nothing more could be written."""
    (swamp.directory / "workflows" / "loop.yaml").write_text(LOOP)
    (wait,) = swamp("workflow", "run", "loop", "--json").json["waits"]
    swamp("workflow", "signal", wait["waitId"], "--payload", "{}", "--idempotency-key", "k")

    def breaking(setting):
        opened = open_store(setting)
        fault = Fault(
            "put_if_absent", StoreAccessDenied("No"), "before", lambda key: key.startswith("runs/"), 3, None
        )
        return CheckedStore(FaultyStore(opened.unchecked, fault), opened.name)

    swamp.opener = breaking
    answer = swamp("workflow", "resume", "loop", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (4, "store_access_denied")
    swamp.opener = None
    return wait


def status(swamp, lost):
    return swamp("workflow", "history", "get", lost["runId"], "--json").json["run"]["status"]


def test_an_interrupted_run_is_recovered_and_resumed(swamp, lost):
    """Every command names the next: resume says recover, recover what must be acknowledged, then resume works."""
    assert status(swamp, lost) == "interrupted"
    recover = f"swamp workflow recover loop --run {lost['runId']}"
    assert recover in swamp("workflow", "history", "list").out
    assert recover in swamp("workflow", "history", "get", "loop").out
    refused = swamp("workflow", "resume", "loop")
    assert (refused.code, refused.err.splitlines()[-1]) == (3, recover)
    unknown = swamp("workflow", "recover", "loop", "--run", lost["runId"])
    assert (unknown.code, unknown.err.splitlines()[-1]) == (3, f"{recover} --acknowledge-unknown")
    assert "running still, on host build-1." in unknown.err
    recovered = swamp("workflow", "recover", "loop", "--acknowledge-unknown")
    assert (recovered.code, recovered.out.splitlines()[-1]) == (0, f"swamp workflow resume {lost['runId']}")
    resumed = swamp("workflow", "resume", lost["runId"])
    assert (resumed.code, resumed.out.splitlines()[0]) == (0, "The run of loop succeeded.")


def test_a_run_that_another_host_drives_is_left_to_it(swamp, lost):
    """The others are told who drives it: a resume is refused, a repeated signal keeps its receipt and exit code 0."""
    swamp.ambient = replace(swamp.ambient, host="build-2")
    assert status(swamp, lost) == "running"
    refused = swamp("workflow", "resume", "loop")
    assert refused.code == 3
    assert "is being driven by process 1001 on build-1" in refused.err
    words = ("--payload", "{}", "--idempotency-key", "k", "--resume")
    repeated = swamp("workflow", "signal", lost["waitId"], *words, "--json")
    assert (repeated.code, repeated.json["status"], repeated.json["run"]) == (0, "repeated", None)
    assert "It takes it up by itself." in repeated.err


def test_a_cancel_of_a_run_that_another_host_drives_is_recorded(swamp, lost):
    """Exit code 0 once it is recorded: the driver ends the run, and the answer says where to see that."""
    swamp.ambient = replace(swamp.ambient, host="build-2")
    recorded = swamp("workflow", "cancel", "loop")
    assert recorded.code == 0
    assert recorded.out.splitlines() == [
        "The cancel is recorded. The process that drives the run ends it within seconds.",
        lost["runId"],
        "See how far it is with:",
        f"swamp workflow history get {lost['runId']}",
    ]
    swamp.ambient = replace(swamp.ambient, host="build-1")
    assert swamp("workflow", "recover", "loop", "--run", lost["runId"]).code == 1
    assert status(swamp, lost) == "cancelled"


def test_a_store_error_after_the_receipt_is_told_beside_it(swamp):
    """`signal --resume` has exit code 0 once the receipt is stored, whatever becomes of the resume."""
    (swamp.directory / "workflows" / "loop.yaml").write_text(LOOP)
    (wait,) = swamp("workflow", "run", "loop", "--json").json["waits"]

    def breaking(setting):
        opened = open_store(setting)
        fault = Fault(
            "put_if_absent", StoreAccessDenied("No"), "before", lambda key: key.startswith("runs/"), 1, None
        )
        return CheckedStore(FaultyStore(opened.unchecked, fault), opened.name)

    swamp.opener = breaking
    answer = swamp("workflow", "signal", wait["waitId"], "--payload", "{}", "--resume", "--json")
    assert (answer.code, answer.json["awaitingResume"], answer.json["run"]) == (0, True, None)
    assert answer.err.splitlines()[-1] == answer.json["resumeCommand"]


def test_an_interrupt_of_a_cancel_that_waits_leaves_the_cancel_recorded(swamp, lost):
    """`cancel --wait` that is interrupted has exit code 130; the driver ends the run all the same."""
    clock = InterruptingClock(NOW, waits=2)
    swamp.ambient = replace(swamp.ambient, host="build-2", clock=clock)
    answer = swamp("workflow", "cancel", "loop", "--wait")
    assert answer.code == 130
    assert "The cancel is recorded." in answer.out
