"""What a script finds in its environment."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.models.definition import ShellMethod
from swamp_core.models.environment import InputNotPassed, environment, variable_of
from swamp_core.models.method import Invocation

OUTPUT = Path("/tmp/output")


def variables(inputs, *, env=None, inherited=None):
    method = ShellMethod(run="x", env=env or {})
    invocation = Invocation("release", "run-1", "ship it", "deploy", Path("/repo"), inputs)
    return environment(method, invocation, OUTPUT, inherited or {})


def test_a_script_knows_for_whom_it_runs():
    """The names of run and step, the repo, the inputs and the place for outputs are all there."""
    assert variables({"env": "prod", "dry run": True, "n": 1.5, "list": [1, None]}) == {
        "SWAMP_REPO_DIR": "/repo",
        "SWAMP_WORKFLOW": "release",
        "SWAMP_RUN_ID": "run-1",
        "SWAMP_JOB": "ship it",
        "SWAMP_STEP": "deploy",
        "SWAMP_OUTPUT": "/tmp/output",
        "SWAMP_INPUTS": '{"env":"prod","dry run":true,"n":1.5,"list":[1,null]}',
        "SWAMP_INPUT_ENV": "prod",
        "SWAMP_INPUT_DRY_RUN": "true",
        "SWAMP_INPUT_N": "1.5",
        "SWAMP_INPUT_LIST": "[1,null]",
    }


def test_the_author_adds_to_what_is_inherited_and_swamp_has_the_last_word():
    """A method's `env` beats the inherited environment; Swamp's own variables beat both."""
    inherited = {"PATH": "/bin", "MODE": "slow", "SWAMP_STEP": "outer", "SWAMP_DATASTORE": "s3://b"}
    found = variables({}, env={"MODE": "fast"}, inherited=inherited)
    assert (found["PATH"], found["MODE"], found["SWAMP_STEP"], found["SWAMP_DATASTORE"]) == (
        "/bin",
        "fast",
        "deploy",
        "s3://b",
    )


def test_the_inputs_of_an_outer_step_are_not_inherited():
    """A script that calls swamp does not leak its own inputs into the steps that this starts."""
    assert "SWAMP_INPUT_TOKEN" not in variables({}, inherited={"SWAMP_INPUT_TOKEN": "outer"})


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("env", "SWAMP_INPUT_ENV"),
        ("release-note", "SWAMP_INPUT_RELEASE_NOTE"),
        ("größe", "SWAMP_INPUT_GR__E"),
    ],
)
def test_a_name_becomes_a_variable(name, variable):
    """Names are upper-cased, and what is no ASCII letter or digit is `_`."""
    assert variable_of(name) == variable


@pytest.mark.parametrize(
    ("inputs", "says"),
    [
        ({"a-b": 1, "a_b": 2}, "`a-b` and `a_b` would both be in $SWAMP_INPUT_A_B"),
        ({"a": "x\0y"}, "NUL"),
        ({"a": "\ud800"}, "JSON cannot carry"),
        ({"a": [float("nan")]}, "JSON cannot carry"),
    ],
)
def test_an_input_that_cannot_arrive_unchanged_is_refused(inputs, says):
    """Nothing is cut, replaced or overwritten on the way to the script."""
    with pytest.raises(InputNotPassed) as caught:
        variables(inputs)
    assert says in str(caught.value)


@given(st.text(max_size=20))
def test_any_name_gives_a_variable_that_a_shell_can_read(name):
    """Whatever an input is called, its variable is made of A to Z, digits and `_`."""
    assert variable_of(name).replace("_", "").isascii()
    assert variable_of(name).replace("_", "").isalnum()
