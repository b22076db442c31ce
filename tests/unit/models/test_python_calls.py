"""Methods of Python models, called: what they are given, what comes back, and that nothing they do goes further."""

from dataclasses import replace

import pytest
from swamp_core.models.method import StepError
from swamp_core.models.python_definition import Distribution, PythonModel
from swamp_core.models.registry import call_of


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
