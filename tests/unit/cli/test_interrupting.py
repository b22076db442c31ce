"""Interrupts: the first asks for an orderly end, the second leaves at once."""

import json
import os
import signal
from dataclasses import replace

import pytest
from swamp_core.app.views import RunResult
from swamp_core.cli import interrupting
from swamp_core.cli.failures import interrupted_failure
from swamp_core.cli.following import follow
from swamp_core.cli.interrupting import interrupts, leave
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.output import Output
from swamp_core.cli.stream import Stream
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.recording import Screen

from tests.unit.cli.conftest import NOW, InterruptingClock


def nothing():
    """What is neither asked nor done."""


@pytest.mark.parametrize("number", interrupting.SIGNALS)
def test_the_first_interrupt_asks_for_an_orderly_end(number, capfd):
    """The flag is set, whoever must know is told, and a sentence says what happens now."""
    asked = []
    with interrupts(
        lambda: "The run is being cancelled.", lambda: asked.append(True), nothing
    ) as interrupted:
        os.kill(os.getpid(), number)
        assert interrupted.is_set()
    assert asked == [True]
    assert "The run is being cancelled. Interrupt again to leave at once." in capfd.readouterr().err


def test_the_second_interrupt_leaves_at_once():
    """A person who does not want to wait need not."""
    left = []
    with interrupts(lambda: "Ending.", nothing, lambda: left.append(True)) as interrupted:
        os.kill(os.getpid(), signal.SIGINT)
        assert left == []
        os.kill(os.getpid(), signal.SIGTERM)
    assert (interrupted.is_set(), left) == (True, [True])


@pytest.mark.parametrize("as_json", [True, False])
def test_who_leaves_at_once_says_what_is_left(as_json, monkeypatch):
    """The process is gone as if it were killed, but for an answer with the command that goes on."""
    left = []
    monkeypatch.setattr(interrupting.os, "_exit", left.append)
    out, err = Stream(Screen("out", [], terminal=False)), Stream(Screen("err", [], terminal=False))
    leave(Output(as_json=as_json, out=out, err=err), interrupted_failure("Go on with:\nswamp on"))
    written = out.file.getvalue(), err.file.getvalue()
    assert left == [130]
    if as_json:
        assert (json.loads(written[0])["error"]["code"], written[1]) == ("interrupted", "")
    else:
        assert written == ("", "Error: Interrupted.\nGo on with:\nswamp on\n")


def test_an_answer_that_has_begun_is_not_followed_by_another():
    """With `--json` stdout holds one document, whenever the interrupt comes."""
    out, err = Stream(Screen("out", [], terminal=False)), Stream(Screen("err", [], terminal=False))
    output = Output(as_json=True, out=out, err=err)
    output.answer({"a": 1}, [])
    output.last_words(interrupted_failure().to_json(), [])
    assert json.loads(out.file.getvalue()) == {"a": 1}


def test_a_terminal_that_closes_is_one_interrupt():
    """The shell and the system each send a SIGHUP then: the orderly end is not cut short by the other one."""
    left = []
    with interrupts(lambda: "Ending.", nothing, lambda: left.append(True)) as interrupted:
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGHUP)
    assert interrupted.is_set()
    assert left == []


def test_what_nohup_asks_for_is_kept():
    """A hangup that is ignored from the beginning asks for nothing."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts(lambda: "Ending.", nothing, nothing) as interrupted:
            os.kill(os.getpid(), signal.SIGHUP)
        assert not interrupted.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)


def test_afterwards_interrupts_are_what_they_were():
    """Only what must be ended in order changes what an interrupt does."""
    before = {number: signal.getsignal(number) for number in interrupting.SIGNALS}
    with interrupts(lambda: "Ending.", nothing, nothing):
        assert signal.getsignal(signal.SIGINT) is not before[signal.SIGINT]
    assert {number: signal.getsignal(number) for number in interrupting.SIGNALS} == before


def test_an_interrupt_while_a_suspended_run_is_waited_for_leaves_it_suspended(swamp, open_wait, capfd):
    """Whoever stops waiting takes nothing from the others: the exit code is 130 and the run waits on."""
    swamp.ambient = replace(swamp.ambient, clock=InterruptingClock(NOW, waits=3))
    answer = swamp("workflow", "resume", "release", "--wait", "--json")
    assert (answer.code, answer.json["run"]["status"]) == (130, "suspended")
    assert "Interrupted; the run stays suspended." in capfd.readouterr().err
    assert [wait["waitId"] for wait in answer.json["waits"]] == [open_wait]


@pytest.mark.parametrize(
    ("status", "code"),
    [("succeeded", 0), ("failed", 1), ("cancelled", 130), ("suspended", 130), ("running", 130)],
)
def test_a_run_that_ends_by_itself_is_not_called_interrupted(swamp, open_wait, status, code):
    """An interrupt that comes as the run ends does not hide how it ended."""
    left = RunResult.model_validate(swamp("workflow", "cancel", "release", "--json").json)
    left = left.model_copy(update={"run": left.run.model_copy(update={"status": status})})

    def drive(_attention):
        os.kill(os.getpid(), signal.SIGINT)
        return left

    invocation = Invocation(given_ambient=swamp.ambient)
    assert follow(invocation, drive, stays=False) == (left, code)


@pytest.mark.usefixtures("open_wait")
def test_an_interrupt_before_the_first_step_cancels_the_run(swamp, capfd):
    """A run is never started by halves: what was interrupted at its start has ended, and nothing of it was run."""

    class Early(SeededIds):
        def run_id(self, now):
            os.kill(os.getpid(), signal.SIGINT)
            return super().run_id(now)

    swamp.ambient = replace(swamp.ambient, ids=Early(2))
    answer = swamp("workflow", "run", "release", "--json")
    assert (answer.code, answer.json["run"]["status"]) == (130, "cancelled")
    assert "Interrupted; the run is being cancelled." in capfd.readouterr().err
    steps = [step["status"] for job in answer.json["run"]["jobs"] for step in job["steps"]]
    assert set(steps) == {"skipped"}
