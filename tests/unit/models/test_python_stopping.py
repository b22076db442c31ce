"""Methods of Python models that are to end early: they are told to, and left behind when they do not."""

import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest
from swamp_core.models import python
from swamp_core.models.method import StepError

from tests.unit.models.releasing import PATIENCE_S


def aside(action):
    """What the action gives, as a future; its thread is let go if a broken promise makes it block for ever."""
    future = Future()
    threading.Thread(target=lambda: future.set_result(action()), daemon=True).start()
    return future


class Waiting:
    """A call in a thread of its own, whose method has come to where it waits."""

    def __init__(self, call, invocation, module):
        self.call = call
        self._result = aside(lambda: call.run(invocation))
        assert module.entered.wait(PATIENCE_S)

    def result(self):
        return self._result.result(PATIENCE_S)


def test_a_method_that_looks_is_stopped_at_once(call, invocation, module):
    """It is told, returns, and its step has been stopped, whatever it returned."""
    waiting = Waiting(call("waits"), invocation(), module)
    waiting.call.stop(PATIENCE_S)
    waiting.call.stop(PATIENCE_S)
    result = waiting.result()
    assert result.error == StepError("stopped", "The step was stopped before it had ended.")
    assert result.stdout == "waiting\n"


def test_a_method_that_does_not_look_is_left_behind(call, invocation, module, capsys):
    """After the grace the step has ended, and what its thread does later is not recorded or printed."""
    heard = []
    waiting = Waiting(call("ignores"), replace(invocation(), heard=lambda *each: heard.append(each)), module)
    waiting.call.stop(0.01)
    result = waiting.result()
    assert result.error.code == "stopped"
    assert result.error.message.endswith("It did not return when it was asked to, and was left behind.")
    module.may_go_on.set()
    assert module.left.wait(PATIENCE_S)
    assert (result.stdout, heard) == ("working\n", [("stdout", "working\n")])
    assert capsys.readouterr() == ("", "")


def test_without_a_grace_a_method_is_left_behind_at_once(call, invocation, module):
    """As a driver does that has to leave."""
    waiting = Waiting(call("ignores"), invocation(), module)
    waiting.call.stop(0)
    assert waiting.result().error.code == "stopped"
    module.may_go_on.set()
    assert module.left.wait(PATIENCE_S)


def test_a_stop_before_the_start_keeps_the_method_from_running(call, invocation, module):
    """Nothing of it is run."""
    stopped = call("nothing")
    stopped.stop(PATIENCE_S)
    assert stopped.run(invocation()).error.code == "stopped"
    assert module.made == []


def test_a_stop_after_the_end_changes_nothing(call, invocation):
    """The result stays, and another stop is harmless."""
    ended = call("nothing")
    assert ended.run(invocation()).outputs == {}
    ended.stop(0)


@pytest.fixture
def soon(monkeypatch):
    """A timeout that ends within the test, though a file cannot declare it."""
    monkeypatch.setattr(python, "TIMEOUT_GRACE_S", PATIENCE_S)
    return lambda call: setattr(call, "_model", call._model.model_copy(update={"timeout_s": 0.01}))


def test_a_method_that_takes_too_long_is_stopped(call, invocation, soon):
    """The code is that of a script, and the method is told to stop."""
    slow = call("waits")
    soon(slow)
    result = slow.run(invocation())
    assert result.error == StepError("timeout", "The method took longer than its timeout, 0.01 s.")
    assert result.stdout == "waiting\n"


def test_a_method_that_takes_too_long_and_does_not_look_is_left_behind(
    call, invocation, module, soon, monkeypatch
):
    """The grace after a timeout is bounded as well."""
    slow = call("ignores")
    soon(slow)
    monkeypatch.setattr(python, "TIMEOUT_GRACE_S", 0.01)
    error = slow.run(invocation()).error
    assert (error.code, error.message[-16:]) == ("timeout", "was left behind.")
    module.may_go_on.set()
    assert module.left.wait(PATIENCE_S)
