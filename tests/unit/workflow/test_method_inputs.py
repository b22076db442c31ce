"""What a step gives a method, against what the method takes: told in the file, as far as it can be read there."""

import pytest
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.validation import MethodInputs, ModelInfo, validate


def problem(name, value):
    return None if isinstance(value, int) else f"`{name}` is no number."


TAKES = MethodInputs(("replicas", "tag"), ("replicas",), takes_others=False, problem=problem)
TAKES_ALL = MethodInputs(("tag",), (), takes_others=True, problem=problem)
MODELS = {
    "release": ModelInfo(
        ("deploy", "label", "script", "later"),
        inputs={"deploy": TAKES, "label": TAKES_ALL},
        unusable={"later": "The method `later` is asynchronous."},
    ),
    "broken": ModelInfo(methods=None),
}
AT = ("jobs", 0, "steps", 0, "task")


def found(method, inputs=None, model="release"):
    task = {"type": "model_method", "modelIdOrName": model, "methodName": method, "inputs": inputs or {}}
    jobs = [{"name": "j", "steps": [{"name": "s", "task": task}]}]
    workflow = Workflow.from_json({"name": "w", "inputs": {"properties": {"n": {}}}, "jobs": jobs})
    return [(each.code, each.path, each.message) for each in validate(workflow, MODELS)]


def test_inputs_that_fit_are_no_mistake():
    """All that are needed, none that is unknown, each a value that it can have."""
    assert found("deploy", {"replicas": 1, "tag": 2}) == []


def test_an_input_that_is_needed_is_missed():
    """At the method, since the input has no place."""
    message = "The method `deploy` needs the input `replicas`."
    assert found("deploy") == [("missing_input", (*AT, "methodName"), message)]


def test_an_unknown_input_is_told_with_the_one_that_was_meant():
    """At its name."""
    message = "The method `deploy` takes no input `tags`; did you mean `tag`?"
    assert found("deploy", {"replicas": 1, "tags": 1}) == [
        ("unknown_input", (*AT, "inputs", "tags"), message)
    ]


def test_a_literal_is_read_as_the_method_would():
    """What cannot change until the run can be judged before it."""
    mistakes = found("deploy", {"replicas": "one"})
    assert mistakes == [("invalid_method_input", (*AT, "inputs", "replicas"), "`replicas` is no number.")]


@pytest.mark.parametrize(
    "value", ["${{ inputs.n }}", "a ${{ inputs.n }}", ["${{ inputs.n }}"], {"a": "${{ inputs.n }}"}]
)
def test_a_value_with_an_expression_is_not_judged(value):
    """Nobody knows yet what it will be."""
    assert found("deploy", {"replicas": value}) == []


def test_a_method_may_take_others():
    """Each is judged all the same."""
    assert found("label", {"any": 1}) == []
    assert [code for code, *_ in found("label", {"any": "x"})] == ["invalid_method_input"]


def test_a_method_of_which_nothing_is_known_takes_anything():
    """A script reads what it likes."""
    assert found("script", {"any": "x"}) == []


def test_a_method_that_no_step_can_call_says_why():
    """In its own words."""
    message = "The method `later` is asynchronous."
    assert found("later", {"x": 1}) == [("unsupported_method", (*AT, "methodName"), message)]


def test_of_a_model_that_nobody_can_look_into_nothing_is_missed():
    """Its own file has the mistake, or its class is not to be imported now."""
    assert found("anything", {"any": "x"}, model="broken") == []
