"""Methods of Python models, called: what they are given, what comes back, and that nothing they do goes further."""

import threading
from concurrent.futures import Future
from dataclasses import replace

import pytest
from swamp_core.models import python
from swamp_core.models.method import Invocation, StepError
from swamp_core.models.python_definition import Distribution, PythonModel
from swamp_core.models.registry import call_of

PATIENCE_S = 30

SOURCE = """
import sys
import threading
from datetime import date, datetime
from enum import Enum

from pydantic import BaseModel

from swamp_core import MethodContext

entered, may_go_on, left = threading.Event(), threading.Event(), threading.Event()
made = []

class Size(Enum):
    SMALL = "small"

class Spec(BaseModel):
    image: str
    replicas: int = 1

class Receipt(BaseModel):
    at: datetime
    spec: Spec

class Releases:
    def __init__(self):
        made.append(self)

    def nothing(self):
        pass

    def echo(self, **inputs):
        return inputs

    def plan(self, context: MethodContext, spec: Spec, day: date, size: Size = Size.SMALL):
        assert isinstance(spec, Spec) and isinstance(day, date) and isinstance(size, Size)
        context.log(f"{context.workflow} {context.run_id} {context.job} {context.step} {context.repo_dir.name}")
        return {"image": spec.image, "replicas": spec.replicas, "year": day.year, "size": size.value}

    def receipt(self) -> Receipt:
        return Receipt(at=datetime(2026, 7, 27), spec=Spec(image="x"))

    def prints(self, context: MethodContext):
        print("one", "two")
        print("careful", file=sys.stderr)
        context.log("three")

    def returns(self, what: str):
        circle = []
        circle.append(circle)
        return {
            "list": [1],
            "date": {"day": date(2026, 7, 27)},
            "tuple": {"pair": (1, 2)},
            "nan": {"number": float("nan")},
            "big": {"number": 2**63},
            "name": {5: "five"},
            "half": {"text": "\\ud83d"},
            "circle": {"circle": circle},
            "large": {"text": "x" * 262_144},
            "log": {"stdout": "mine"},
        }[what]

    def raises(self, what: str):
        errors = {"error": ValueError("no such\\n region\\x1b["), "exit": SystemExit(3)}
        raise errors.get(what) or KeyboardInterrupt

    def deep(self):
        return self.deep()

    @staticmethod
    def static(tag: str):
        return {"tag": tag}

    @classmethod
    def of_class(cls, tag: str = "v0"):
        return {"tag": tag, "of": cls.__name__}

    async def later(self): ...

    def waits(self, context: MethodContext):
        context.log("waiting")
        entered.set()
        context.stopped.wait()
        return {"stopped": context.stopped.is_set()}

    def ignores(self, context: MethodContext):
        context.log("working")
        entered.set()
        may_go_on.wait()
        context.log("late")
        print("later")
        left.set()

class Http(BaseModel):
    base_url: str
    retries: int = 3

    def get(self, path: str):
        return {"url": self.base_url + path, "retries": self.retries}

class NeedsMore:
    def __init__(self, client):
        pass

    def go(self): ...
"""


@pytest.fixture(autouse=True)
def _nothing_left():
    """A method that was left behind has returned before the next test begins."""
    yield
    for thread in threading.enumerate():
        if thread.name == "swamp-method":
            thread.join(PATIENCE_S)


@pytest.fixture
def module(install):
    """The module of the models, as it was imported by a first call."""
    import importlib

    return importlib.import_module(install(SOURCE, acme__http="Http"))


@pytest.fixture
def invocation(tmp_path):
    return lambda **inputs: Invocation("release", "run-1", "ship", "deploy", tmp_path, inputs)


@pytest.fixture
def call(module):
    def call(method, of="Releases", **fields):
        model = {"type": "python", "name": "release", "class": f"{module.__name__}:{of}", **fields}
        return call_of(PythonModel.from_json(model), method)

    return call


@pytest.fixture
def run(call, invocation):
    return lambda method, inputs=None, **of: call(method, **of).run(invocation(**inputs or {}))


def aside(action):
    """What the action gives, as a future; its thread is let go if a broken promise makes it block for ever."""
    future = Future()
    threading.Thread(target=lambda: future.set_result(action()), daemon=True).start()
    return future


def test_a_method_gives_its_outputs(run):
    """A dict becomes the outputs, with its types."""
    inputs = {"n": 1, "ok": True, "list": ["a", None], "real": 1.5, "text": "大"}
    result = run("echo", inputs)
    assert (result.outputs, result.error, result.stdout, result.stderr) == (inputs, None, "", "")


def test_a_method_may_give_nothing(run):
    """None is no outputs."""
    assert run("nothing").outputs == {}


def test_a_method_may_give_a_pydantic_model(run):
    """It is written as it says itself."""
    assert run("receipt").outputs == {"at": "2026-07-27T00:00:00", "spec": {"image": "x", "replicas": 1}}


def test_inputs_become_what_the_parameters_are_annotated_with(run, tmp_path):
    """JSON becomes models, dates and enums; defaults hold; the context tells whose step it is."""
    result = run("plan", {"spec": {"image": "x"}, "day": "2026-07-27"})
    assert result.error is None
    assert result.stdout == f"release run-1 ship deploy {tmp_path.name}\n"
    assert result.outputs == {
        "stdout": result.stdout,
        "image": "x",
        "replicas": 1,
        "year": 2026,
        "size": "small",
    }


@pytest.mark.parametrize(("method", "of"), [("static", {}), ("of_class", {"of": "Releases"})])
def test_methods_without_an_object_are_methods(run, method, of):
    """A static method and a class method are called like any other."""
    assert run(method, {"tag": "v1"}).outputs == {"tag": "v1", **of}


def test_each_call_has_an_object_of_its_own(run, module):
    """Nothing is shared between steps through the object."""
    run("nothing")
    run("nothing")
    assert len({id(each) for each in module.made}) == 2


def test_settings_are_the_fields_of_the_object(run):
    """A pydantic model is made of the settings in the model's file, defaults filled in."""
    result = run("get", {"path": "/a"}, of="Http", settings={"base_url": "https://x"})
    assert result.outputs == {"url": "https://x/a", "retries": 3}


INVALID = {
    "one is missing": ("plan", {"day": "2026-07-27"}, "spec", "The method `plan` needs the input `spec`."),
    "one is unknown": (
        "of_class",
        {"tags": "v1"},
        "tags",
        "The method `of_class` takes no input `tags`; did you mean `tag`?",
    ),
    "one for the context": (
        "waits",
        {"context": {}},
        "context",
        "The method `waits` takes no input `context`.",
    ),
    "text for a number": (
        "plan",
        {"spec": {"image": "x", "replicas": "2"}, "day": "2026-07-27"},
        "spec",
        "The method `plan` cannot take this input `spec`: Input should be a valid integer at `replicas`.",
    ),
    "a number for text": (
        "of_class",
        {"tag": 5},
        "tag",
        "The method `of_class` cannot take this input `tag`: Input should be a valid string.",
    ),
    "null for text": (
        "of_class",
        {"tag": None},
        "tag",
        "The method `of_class` cannot take this input `tag`: Input should be a valid string.",
    ),
}


@pytest.mark.parametrize("mistake", INVALID)
def test_an_input_that_does_not_fit_is_named(run, module, mistake):
    """Nothing of the model's code is run then."""
    method, inputs, name, message = INVALID[mistake]
    assert run(method, inputs).error == StepError("invalid_method_input", message, {"input": name})
    assert module.made == []


UNFIT = {
    "list": "The method returned a `list`; it may return a dict, a pydantic model or nothing.",
    "date": "The output has a value of type `date`, which is not JSON.",
    "tuple": "The output has a value of type `tuple`, which is not JSON.",
    "nan": "The output has a number that is not JSON: nan.",
    "big": "The output has an integer that does not fit into 64 bits.",
    "name": "The output has a member whose name is not a string.",
    "half": "The output has half of a surrogate pair in a string.",
    "circle": "The output is nested more than 128 deep.",
    "log": "The output `stdout` is what the method logs; choose another name.",
}


@pytest.mark.parametrize("what", UNFIT)
def test_what_is_no_json_is_refused(run, what):
    """It is neither converted nor dropped."""
    error = run("returns", {"what": what}).error
    assert (error.code, error.message.removeprefix("What the method returned cannot be kept. ")) == (
        "invalid_output",
        UNFIT[what],
    )


def test_outputs_have_a_bound(run):
    """The same as for a script."""
    assert run("returns", {"what": "large"}).error.code == "output_too_large"


@pytest.mark.parametrize(
    ("what", "told"),
    [
        ("error", "ValueError: no such region\\u001b["),
        ("exit", "SystemExit: 3"),
        ("interrupt", "KeyboardInterrupt"),
    ],
)
def test_what_a_method_raises_is_the_failure_of_its_step(run, what, told):
    """Whatever it is, it ends no process and no thread of ours, and the end of the traceback is kept."""
    error = run("raises", {"what": what}).error
    assert (error.code, error.message) == ("method_failed", f"The method `raises` raised {told}.")
    assert "in raises" in error.details["traceback"]
    assert "python_calling" not in error.details["traceback"]


def test_a_long_traceback_is_cut(run):
    """A method that recurses for ever fails, and what is kept of it is short."""
    error = run("deep").error
    assert error.message.startswith("The method `deep` raised RecursionError: ")
    assert len(error.details["traceback"]) <= 2000


def test_what_a_method_prints_is_its_log(run, capsys):
    """`print` reaches the log by its stream, and never the stdout where answers are read."""
    result = run("prints")
    assert (result.stdout, result.stderr) == ("one two\nthree\n", "careful\n")
    assert result.outputs == {"stdout": "one two\nthree\n", "stderr": "careful\n"}
    assert capsys.readouterr() == ("", "")


def test_a_log_is_heard_line_by_line(call, invocation):
    """Whoever listens hears whole lines, by stream, all of them before the result is there."""
    heard = []
    call("prints").run(replace(invocation(), heard=lambda *each: heard.append(each)))
    assert "".join(text for stream, text in heard if stream == "stdout") == "one two\nthree\n"
    assert [text for stream, text in heard if stream == "stderr"] == ["careful\n"]
    assert all(text.endswith("\n") for _, text in heard)


ABSENT = {
    "no such method": ({"method": "delpoy"}, "unknown_method", "has no method `delpoy`"),
    "an asynchronous one": ({"method": "later"}, "unsupported_method", "asynchronous"),
    "a private one": ({"method": "__init__"}, "unknown_method", "has no method `__init__`"),
    "an object that cannot be made": (
        {"method": "go", "of": "NeedsMore"},
        "model_unusable",
        "could not be made: TypeError: ",
    ),
    "settings that no longer fit": (
        {"method": "get", "of": "Http", "inputs": {"path": "/"}, "settings": {"base_url": "x", "gone": 1}},
        "model_unusable",
        "The settings of `release` do not fit. Unknown field `gone`",
    ),
}


@pytest.mark.parametrize("case", ABSENT)
def test_a_class_that_has_changed_fails_the_step(run, case):
    """On another host another version may be installed; the step says what is not there."""
    of, code, says = ABSENT[case]
    error = run(**of).error
    assert error.code == code
    assert says in error.message


def test_a_model_that_is_not_installed_fails_the_step_and_says_what_to_install(invocation):
    """The run pins the distribution, so the message can name it with its version."""
    pinned = Distribution(name="acme-http", version="1.2")
    model = PythonModel(type="acme/gone", name="m", class_name="acme/gone", distribution=pinned)
    error = call_of(model, "get").run(invocation()).error
    assert error.code == "model_not_installed"
    assert error.message.endswith(" Install it: pip install acme-http==1.2")


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
