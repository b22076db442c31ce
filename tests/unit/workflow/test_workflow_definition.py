"""A definition that is pinned in a journal comes back as it was."""

import json
import string

import pytest
from definition_strategies import WORKFLOWS
from hypothesis import given
from pydantic import ValidationError
from swamp_core.workflow.conditions import End
from swamp_core.workflow.definition import (
    ForEach,
    Job,
    JobDependency,
    ManualApproval,
    NestedWorkflow,
    Step,
    WaitForSignal,
    Workflow,
)
from swamp_core.workflow.fields import name_problem, title_problem


def stored(value):
    return json.dumps(value, ensure_ascii=False)


@given(WORKFLOWS)
def test_a_pinned_definition_is_the_definition(workflow):
    """What goes into the journal as JSON loads as the same definition, which goes in as the same JSON again."""
    text = stored(workflow.to_json())
    loaded = Workflow.from_json(json.loads(text))
    assert loaded == workflow
    assert stored(loaded.to_json()) == text


SHORT = {
    "name": "release",
    "jobs": [
        {"name": "build", "steps": [{"name": "a", "task": {"type": "wait_for_signal", "timeout": 60}}]},
        {
            "name": "ship",
            "dependsOn": [{"job": "build"}],
            "steps": [
                {"name": "b", "task": {"type": "model_method", "modelIdOrName": "m", "methodName": "go"}},
                {
                    "name": "c",
                    "task": {"type": "model_method", "modelIdOrName": "m", "methodName": "go"},
                    "dependsOn": [{"step": "b", "condition": {"type": "failed"}}],
                },
            ],
        },
    ],
}


def test_what_is_default_is_not_stored():
    """The JSON form holds what was declared and nothing else."""
    assert Workflow.from_json(SHORT).to_json() == SHORT


def test_a_bare_name_means_that_it_succeeded():
    """The short form of a dependency is the long one with `succeeded`."""
    job = {**SHORT["jobs"][1], "dependsOn": ["build"]}
    loaded = Workflow.from_json({**SHORT, "jobs": [SHORT["jobs"][0], job]})
    assert loaded.jobs[1].depends_on == (JobDependency(name="build", condition=End(type="succeeded")),)
    assert loaded == Workflow.from_json(SHORT)


@pytest.mark.parametrize(
    ("written", "seconds"),
    [("90s", 90), ("30m", 1800), ("24h", 86_400), ("7d", 604_800), (1, 1), (1.5, 1.5), ("365d", 31_536_000)],
)
def test_a_timeout_is_a_number_of_seconds(written, seconds):
    """Text with a unit and plain numbers mean seconds; one second and one year are allowed."""
    assert WaitForSignal.from_json({"type": "wait_for_signal", "timeout": written}).timeout_s == seconds


@pytest.mark.parametrize(
    "written",
    [
        "0s",
        0,
        0.5,
        -1,
        "366d",
        31_536_001,
        "1y",
        "90",
        "1h30m",
        " 5s",
        "5 s",
        "5S",
        "\u0665s",
        True,
        None,
        [],
        "1_0s",
        "1e2s",
    ],
)
def test_other_timeouts_are_refused(written):
    """A timeout outside one second to one year, or in another form, is refused rather than guessed."""
    with pytest.raises(ValidationError):
        WaitForSignal.from_json({"type": "wait_for_signal", "timeout": written})


@pytest.mark.parametrize("name", ["a", "0", "release", "a-b_c", "x" * 64, "com", "console"])
def test_names_that_are_allowed(name):
    """A workflow's name may go into keys and file names."""
    assert name_problem(name) is None


@pytest.mark.parametrize(
    "name",
    ["", "A", "-a", "_a", "a.b", "a/b", "..", "x" * 65, "a ", "a\n", "ä", "con", "nul", "com1", "lpt9"],
)
def test_names_that_are_refused(name):
    """Nothing that could leave a directory, clash on a disk that ignores case, or be a device is a name."""
    assert name_problem(name) is not None


@pytest.mark.parametrize(
    "key", ["", "A", "-a", "_a", "a.b", "a/b", "x" * 65, "con", "lpt9", "${{ inputs.env }}", 7, None]
)
def test_keys_that_are_refused(key):
    """A key is literal, and goes into keys of the store: what a name cannot be, nor can a key."""
    with pytest.raises(ValidationError):
        WaitForSignal.from_json({"type": "wait_for_signal", "timeout": 1, "key": key})


@pytest.mark.parametrize("title", ["a", "Ship it!", "größe/大", "x" * 128, "a.b"])
def test_titles_that_are_allowed(title):
    """Jobs and steps may be named in any printable text."""
    assert title_problem(title) is None


@pytest.mark.parametrize(
    "title", ["", "  ", "x" * 129, "a\nb", "a\tb", "\x1b[31m", "a\u202eb", "\ud800", "\u2028"]
)
def test_titles_that_are_refused(title):
    """A name that is blank, long, or would disturb a terminal is refused."""
    assert title_problem(title) is not None


def test_python_names_are_not_read_from_files():
    """`depends_on` in a file is an unknown field, not a second spelling."""
    job = {**SHORT["jobs"][0], "depends_on": []}
    with pytest.raises(ValidationError):
        Workflow.from_json({**SHORT, "jobs": [job]})


GATE = {"name": "s", "task": {"type": "manual_approval", "prompt": "Ship?"}}


def test_a_gate_may_wait_for_ever():
    """People are waited for as long as it takes, unless a timeout is given; its forms are those of a wait's."""
    assert ManualApproval.from_json(GATE["task"]).timeout_s is None
    assert ManualApproval.from_json({**GATE["task"], "timeout": "7d"}).timeout_s == 604_800


@pytest.mark.parametrize(
    "source", [[], ["eu", 5, None, {"a": []}], {}, {"eu": {"n": 1}}, "${{ inputs.regions }}"]
)
def test_what_a_step_may_be_done_for(source):
    """A list, a mapping or a text, which has to be an expression, is kept as it is written."""
    written = {"item": "region", "in": source}
    assert ForEach.from_json(written).source == source
    assert ForEach.from_json(written).to_json() == written


@pytest.mark.parametrize("source", [None, True, 5, 1.5])
def test_what_a_step_cannot_be_done_for(source):
    """Anything else is refused in one sentence, not in one for each thing that it might have been."""
    with pytest.raises(ValidationError) as refused:
        ForEach.from_json({"item": "region", "in": source})
    assert [error["type"] for error in refused.value.errors()] == ["wrong_type"]


@pytest.mark.parametrize("item", ["region", "Region_2", "_", "self", "inputs", "for", "x" * 64])
def test_items_that_are_allowed(item):
    """An item is read below `self`, so it may have the name of anything else that an expression reads."""
    assert ForEach.from_json({"item": item, "in": []}).item == item


@pytest.mark.parametrize(
    "item", ["", "a-b", "2nd", "a b", "größe", "in", "true", "null", "x" * 65, "a\n", 5, None]
)
def test_items_that_are_refused(item):
    """A name that no expression could read after a dot is none."""
    with pytest.raises(ValidationError):
        ForEach.from_json({"item": item, "in": []})


def concurrent(kind, value):
    fields = {
        Step: GATE,
        Job: {"name": "j", "steps": [GATE]},
        Workflow: {"name": "w", "jobs": [{"name": "j", "steps": [GATE]}]},
    }
    return kind.from_json({**fields[kind], "concurrency": value})


@pytest.mark.parametrize("kind", [Step, Job, Workflow])
@pytest.mark.parametrize("value", [1, 2, 10_000])
def test_a_concurrency_is_a_number_of_steps(kind, value):
    """Steps, jobs and workflows may bound how many run at a time, to one at least."""
    assert concurrent(kind, value).concurrency == value


@pytest.mark.parametrize("kind", [Step, Job, Workflow])
@pytest.mark.parametrize("value", [0, -1, 10_001, 1.0, 1.5, True, "1", "${{ inputs.n }}", None, []])
def test_other_concurrencies_are_refused(kind, value):
    """No bound below one, no fraction, and no expression: it is known before the run starts."""
    with pytest.raises(ValidationError):
        concurrent(kind, value)


def test_the_workflows_that_steps_run_are_named_once():
    """Each workflow that a step runs is named, in the order of the steps."""
    runs = [NestedWorkflow(workflow_id_or_name=name).to_json() for name in ("b", "a", "b")]
    steps = [{"name": str(index), "task": task} for index, task in enumerate(runs)]
    assert Workflow.from_json(
        {"name": "w", "jobs": [{"name": "j", "steps": [*steps, GATE]}]}
    ).nested_names() == [
        "b",
        "a",
    ]


LATER = {"reply", "forEach", "concurrency", *string.ascii_lowercase[:3]}


@pytest.mark.parametrize("field", sorted(LATER))
def test_a_field_of_another_build_is_refused(field):
    """What this build does not know it refuses, so that it never runs half of a definition."""
    with pytest.raises(ValidationError):
        WaitForSignal.from_json({"type": "wait_for_signal", "timeout": 5, field: 1})
