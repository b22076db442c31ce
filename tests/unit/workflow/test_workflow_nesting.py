"""Workflows that run others: what is found across the files of a repo, and where."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.workflow.nesting import LEVELS_MAX
from workflow_building import (
    STEP,
    assert_found_once,
    check,
    each,
    found,
    gate,
    job,
    method,
    nested,
    one_job,
    workflow,
)

AT = (*STEP, 0, "task")
INPUTS = {
    "type": "object",
    "properties": {
        "env": {"enum": ["dev", "prod"]},
        "replicas": {"type": "integer", "default": 1},
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}},
    },
    "required": ["env", "replicas"],
    "$defs": {"tag": {"type": "string"}},
}
DEPLOY = workflow(
    job("roll out", method("push"), method("check")), job("report", gate("seen")), inputs=INPUTS
).model_copy(update={"name": "deploy"})
PLAIN = one_job(gate("a")).model_copy(update={"name": "plain"})


def named(name, *runs):
    """A workflow that runs those."""
    steps = [nested(f"run {run}", run) for run in runs] or [gate("a")]
    return one_job(*steps).model_copy(update={"name": name})


def known(*workflows):
    return {each.name: each for each in workflows}


OTHERS = known(DEPLOY, PLAIN)


def reading(expression, inputs=None, **step):
    """A workflow whose second step reads the outputs of the deployment that the first one runs."""
    return one_job(
        nested("run", "deploy", inputs or {"env": "dev"}, **step),
        gate("seen", f"${{{{ steps.run.{expression} }}}}", dependsOn=["run"]),
    )


SOUND = {
    "a workflow without inputs": one_job(nested("a", "plain")),
    "no inputs at all": one_job(nested("a", "plain", {})),
    "inputs that fit": one_job(nested("a", "deploy", {"env": "dev", "replicas": 2, "tags": ["x"]})),
    "inputs that are not known yet": one_job(
        nested("a", "deploy", {"env": "${{ run.id }}", "tags": ["${{ run.id }}"], "replicas": "${{ 1 + 1 }}"})
    ),
    "the ID of the run": reading("outputs.runId"),
    "all outputs": reading("outputs"),
    "the status": reading("status"),
    "a step's outputs": reading('outputs.jobs["roll out"].steps.push.outputs.stdout'),
    "a step's status": reading("outputs.jobs.report.steps.seen.status"),
    "all of a job": reading("outputs.jobs.report"),
    "a run for each item": reading("outputs[0].jobs.nope", forEach=each([1])),
}


@pytest.mark.parametrize("sound", SOUND)
def test_a_sound_workflow_has_no_findings(sound):
    """What fits the other workflow is not complained of, whether that one is known or not."""
    assert found(SOUND[sound], None, OTHERS) == []
    assert found(SOUND[sound]) == []


MISTAKES = {
    "an unknown workflow": (
        one_job(nested("a", "deplyo")),
        "unknown_nested_workflow",
        (*AT, "workflowIdOrName"),
        "did you mean `deploy`?",
    ),
    "a workflow that runs itself": (
        named("w", "w"),
        "nested_cycle",
        (*AT, "workflowIdOrName"),
        "`w` → `w`",
    ),
    "a missing input": (
        one_job(nested("a", "deploy", {"replicas": 1})),
        "missing_input",
        (*AT, "workflowIdOrName"),
        "`deploy` needs the input `env`.",
    ),
    "no inputs where one is needed": (
        one_job(nested("a", "deploy")),
        "missing_input",
        (*AT, "workflowIdOrName"),
        "`env`",
    ),
    "an input that is not declared": (
        one_job(nested("a", "deploy", {"env": "dev", "replica": 5})),
        "unknown_input",
        (*AT, "inputs", "replica"),
        "did you mean `replicas`?",
    ),
    "an input of a workflow that has none": (
        one_job(nested("a", "plain", {"env": "dev"})),
        "unknown_input",
        (*AT, "inputs", "env"),
        "`plain` declares no input `env`.",
    ),
    "an input of another type": (
        one_job(nested("a", "deploy", {"env": "${{ run.id }}", "replicas": "2"})),
        "invalid_nested_input",
        (*AT, "inputs", "replicas"),
        "The value at /replicas must be of type integer",
    ),
    "an input that breaks a reference in the schema": (
        one_job(nested("a", "deploy", {"env": "dev", "tags": [5]})),
        "invalid_nested_input",
        (*AT, "inputs", "tags"),
        "/tags/0",
    ),
    "an unknown output": (
        reading("outputs.runID"),
        "unknown_field",
        (*STEP, 1, "task", "prompt"),
        "did you mean `runId`?",
    ),
    "an unknown job": (
        reading("outputs.jobs.reprot.steps.seen.status"),
        "unknown_job",
        (*STEP, 1, "task", "prompt"),
        "did you mean `report`?",
    ),
    "a job without its steps": (
        reading("outputs.jobs.report.seen"),
        "unknown_field",
        (*STEP, 1, "task", "prompt"),
        "known here: `steps`.",
    ),
    "an unknown step": (
        reading("outputs.jobs.report.steps.push.status"),
        "unknown_step",
        (*STEP, 1, "task", "prompt"),
        "no step `push` in job `report` in the workflow `deploy`",
    ),
    "an unknown field of a step": (
        reading("outputs.jobs.report.steps.seen.output"),
        "unknown_field",
        (*STEP, 1, "task", "prompt"),
        "did you mean `outputs`?",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_place(mistake):
    """Each mistake is found once, with its code, at the path that is wrong, and the words that help."""
    assert_found_once(MISTAKES[mistake], workflows=OTHERS)


def test_inputs_are_held_against_the_whole_schema_when_all_are_known():
    """What only the inputs together can break is found as soon as nothing of them is left to an expression."""
    schema = {"type": "object", "properties": {"a": {"default": 1}, "b": {}, "c": {}}, "maxProperties": 2}
    others = known(one_job(gate("a"), inputs=schema).model_copy(update={"name": "both"}))
    for value, expected in ((2, ["invalid_nested_input"]), ("${{ run.id }}", [])):
        definition = one_job(nested("n", "both", {"b": 1, "c": value}))
        assert [code for code, _, _ in found(definition, None, others)] == expected


def test_inputs_that_are_not_named_may_be_taken():
    """Where the other workflow's schema speaks of more names, they are held against what it says of them."""
    schema = {"type": "object", "additionalProperties": {"type": "integer"}}
    others = known(one_job(gate("a"), inputs=schema).model_copy(update={"name": "open"}))
    for value, expected in ((2, []), ("2", ["invalid_nested_input"])):
        definition = one_job(nested("n", "open", {"any": value, "more": "${{ run.id }}"}))
        assert [code for code, _, _ in found(definition, None, others)] == expected


@pytest.mark.parametrize(
    "inputs", [{}, {"type": "object", "required": 5}, {"properties": {"env": 5}}, {"type": "obj"}]
)
def test_a_broken_schema_of_inputs_is_left_to_its_own_file(inputs):
    """Nothing is held against a schema that cannot be used, and nothing crashes."""
    others = known(one_job(gate("a"), inputs=inputs).model_copy(update={"name": "b"}))
    assert found(one_job(nested("n", "b", {"env": "dev"})), None, others) == []


def test_a_circle_is_told_on_each_workflow_in_it():
    """Each one names the chain as it is seen from there; who only leads into it is no part of it."""
    workflows = known(named("a", "b"), named("b", "c", "plain"), named("c", "a"), named("d", "a"), PLAIN)
    messages = {
        name: [message for code, _, message in found(each, None, workflows) if code == "nested_cycle"]
        for name, each in workflows.items()
    }
    assert {name: len(told) for name, told in messages.items()} == {
        "a": 1,
        "b": 1,
        "c": 1,
        "d": 0,
        "plain": 0,
    }
    assert "`b` → `c` → `a` → `b`" in messages["b"][0]


def row(levels):
    """Workflows in a row, each of which runs the next; the first one's run has so many levels."""
    names = [f"w{level}" for level in range(1, levels + 1)]
    return known(*(named(name, *names[index : index + 1]) for index, name in enumerate(names, 1)))


@pytest.mark.parametrize(("levels", "expected"), [(1, 0), (15, 0), (16, 0), (17, 1), (18, 1), (3000, 1)])
def test_runs_are_nested_sixteen_deep_at_most(levels, expected):
    """A run is its own first level; one level too many is told where it begins, however many there are."""
    workflows = row(levels)
    findings = found(workflows["w1"], None, workflows)
    assert [code for code, _, _ in findings] == ["nested_too_deep"] * expected
    if expected:
        assert findings[0][1] == (*AT, "workflowIdOrName")
        assert findings[0][2].count("→") == LEVELS_MAX
        assert findings[0][2].endswith("`w16` → `w17`.")


def test_the_longest_way_down_counts():
    """A workflow that is reached by a short way and a long one is as deep as by the long one."""
    workflows = row(16) | known(named("top", "w2", "w1"))
    findings = found(workflows["top"], None, workflows)
    assert [(code, path) for code, path, _ in findings] == [
        ("nested_too_deep", (*STEP, 1, "task", "workflowIdOrName"))
    ]


def test_many_ways_down_are_no_burden():
    """Each level runs all workflows of the next: two to the power of fourteen ways, looked at in no time."""
    workflows = known(
        *(
            named(f"w{level}{side}", f"w{level + 1}a", f"w{level + 1}b")
            for level in range(15)
            for side in "ab"
        ),
        named("w15a"),
        named("w15b"),
    )
    assert found(workflows["w0a"], None, workflows) == []


NAMES = [f"w{number}" for number in range(6)]
GRAPHS = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from(NAMES), max_size=2, unique=True) for name in NAMES}
)


@given(GRAPHS)
def test_a_workflow_is_in_a_circle_exactly_if_it_runs_itself(graph):
    """The dumb twin: what each one runs, found by multiplying the relation with itself."""
    pairs = {(name, other) for name, others in graph.items() for other in others}
    for _ in graph:
        pairs |= {(a, d) for a, b in pairs for c, d in pairs if b == c}
    workflows = known(*(named(name, *runs) for name, runs in graph.items()))
    for name, definition in workflows.items():
        circles = [code for code, _, _ in found(definition, None, workflows)]
        assert len(circles) == sum(other == name or (other, name) in pairs for other in graph[name])
        assert set(circles) <= {"nested_cycle"}


def test_other_workflows_are_not_asked_for_where_none_are_known():
    """The library checks one workflow without a repo: then what its steps run is not judged."""
    assert found(one_job(nested("a", "nope", {"x": 1}), check("b"))) == []
