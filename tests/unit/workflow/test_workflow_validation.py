"""What must hold in a workflow beyond its form: one table of mistakes, each with its code, its place and its words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.workflow.structure import depends_on, find_circle
from swamp_core.workflow.validation import validate
from workflow_building import (
    MODELS,
    STEP,
    assert_found_once,
    found,
    job,
    method,
    one_job,
    wait,
    workflow,
)

README = workflow(
    job("build", method("compile")),
    job(
        "release",
        wait(
            "review",
            schema={
                "type": "object",
                "properties": {"verdict": {"enum": ["ship", "fix"]}},
                "required": ["verdict"],
            },
            prompt="Ship to ${{ inputs.env }}?",
        ),
        method(
            "ship",
            dependsOn=["review"],
            guard='${{ steps.review.outputs.payload.verdict != "ship" }}',
            task={
                "methodName": "deploy",
                "inputs": {
                    "env": "${{ inputs.env }}",
                    "log": "${{ jobs.build.steps.compile.outputs.stdout }}",
                },
            },
        ),
        method("escalate", dependsOn=[{"step": "review", "condition": {"type": "failed"}}]),
        dependsOn=["build"],
    ),
    inputs={"type": "object", "properties": {"env": {"type": "string", "default": "dev"}}},
)


def test_a_sound_workflow_has_no_findings():
    """The workflow of the README passes, with its models known and without."""
    assert found(README, MODELS) == []
    assert found(README) == []


MISTAKES = {
    "an unknown dependency of a step": (
        one_job(wait("review"), method("b", dependsOn=["reviw"])),
        "unknown_dependency",
        (*STEP, 1, "dependsOn", 0),
        "did you mean `review`?",
    ),
    "an unknown dependency of a job": (
        workflow(job("a", wait("w")), job("b", wait("w"), dependsOn=["aa"])),
        "unknown_dependency",
        ("jobs", 1, "dependsOn", 0),
        "There is no job `aa`",
    ),
    "a dependency twice": (
        one_job(wait("a"), method("b", dependsOn=["a", {"step": "a", "condition": {"type": "failed"}}])),
        "duplicate_dependency",
        (*STEP, 1, "dependsOn", 1),
        "join the two",
    ),
    "a step that depends on itself": (
        one_job(method("a", dependsOn=["a"])),
        "dependency_cycle",
        (*STEP, 0, "dependsOn"),
        "`a` → `a`",
    ),
    "a circle of steps": (
        one_job(
            method("x"),
            method("a", dependsOn=["b"]),
            method("b", dependsOn=["c"]),
            method("c", dependsOn=["a", "x"]),
        ),
        "dependency_cycle",
        (*STEP, 1, "dependsOn"),
        "`a` → `b` → `c` → `a`",
    ),
    "a circle of jobs": (
        workflow(job("a", wait("w"), dependsOn=["b"]), job("b", wait("w"), dependsOn=["a"])),
        "dependency_cycle",
        ("jobs", 0, "dependsOn"),
        "These jobs depend on each other in a circle",
    ),
    "two steps of one name": (
        one_job(wait("a"), wait("b"), wait("a")),
        "duplicate_name",
        (*STEP, 2, "name"),
        "more than one step `a`",
    ),
    "two jobs of one name": (
        workflow(job("a", wait("w")), job("a", wait("w"))),
        "duplicate_name",
        ("jobs", 1, "name"),
        "more than one job `a`",
    ),
    "an expression in a name": (
        one_job(wait("w ${{ inputs.x }}"), inputs={"type": "object", "properties": {"x": {}}}),
        "expression_not_allowed",
        (*STEP, 0, "name"),
        "plain text",
    ),
    "an expression for a model": (
        one_job(method("a", task={"modelIdOrName": "${{ inputs.m }}"})),
        "expression_not_allowed",
        (*STEP, 0, "task", "modelIdOrName"),
        "known before the run starts",
    ),
    "an expression for a method": (
        one_job(method("a", task={"methodName": "${{ inputs.m }}"})),
        "expression_not_allowed",
        (*STEP, 0, "task", "methodName"),
        "known before the run starts",
    ),
    "an expression in the inputs' schema": (
        one_job(wait("a"), inputs={"type": "object", "properties": {"x": {"description": "${{ run.id }}"}}}),
        "expression_not_allowed",
        ("inputs",),
        "nothing to read yet",
    ),
    "a guard in bare CEL": (
        one_job(method("a", guard="1 == 1")),
        "invalid_guard",
        (*STEP, 0, "guard"),
        "written `${{ … }}`",
    ),
    "a guard with text around its expression": (
        one_job(method("a", guard="not ${{ true }}")),
        "invalid_guard",
        (*STEP, 0, "guard"),
        "nothing around it",
    ),
    "a schema with an unknown keyword": (
        one_job(wait("a", schema={"type": "object", "propertys": {}})),
        "invalid_schema",
        (*STEP, 0, "task", "schema", "propertys"),
        "properties",
    ),
    "a payload schema with a default": (
        one_job(wait("a", schema={"type": "object", "properties": {"x": {"default": 1}}})),
        "invalid_schema",
        (*STEP, 0, "task", "schema", "properties", "x", "default"),
        "",
    ),
    "a schema of the inputs with an unknown type": (
        one_job(wait("a"), inputs={"type": "object", "properties": {"x": {"type": "strng"}}}),
        "invalid_schema",
        ("inputs", "properties", "x", "type"),
        "",
    ),
    "an unknown model": (
        one_job(method("a", task={"modelIdOrName": "relaese"})),
        "unknown_model",
        (*STEP, 0, "task", "modelIdOrName"),
        "did you mean `release`?",
    ),
    "an unknown method": (
        one_job(method("a", task={"methodName": "biuld"})),
        "unknown_method",
        (*STEP, 0, "task", "methodName"),
        "did you mean `build`?",
    ),
}
KNOWN_ELSEWHERE = {"an expression for a model", "an expression for a method"}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_place(mistake):
    """Each mistake is found once, with its code, at the path that is wrong, and the words that help."""
    assert_found_once(MISTAKES[mistake], None if mistake in KNOWN_ELSEWHERE else MODELS)


def test_a_schema_value_that_is_not_known_yet_is_not_judged():
    """An expression in a wait's schema stands for any value until the inputs are known."""
    definition = one_job(
        wait("a", schema={"type": "object", "maxProperties": "${{ inputs.n }}"}),
        inputs={"type": "object", "properties": {"n": {"type": "integer"}}},
    )
    assert found(definition) == []


def test_both_places_of_a_name_are_told():
    """A name that is there twice is told at the second place, with the path of the first."""
    [finding] = validate(one_job(wait("a"), wait("b"), wait("a")))
    assert finding.first == ("jobs", 0, "steps", 0, "name")


GRAPHS = st.integers(1, 6).flatmap(
    lambda size: st.fixed_dictionaries(
        {str(node): st.lists(st.integers(0, size).map(str), max_size=3, unique=True) for node in range(size)}
    )
)


@given(GRAPHS)
def test_a_circle_is_a_circle_and_is_found(dependencies):
    """A circle is told exactly if some name depends on itself, and each of its links is a dependency."""
    circle = find_circle(dependencies)
    assert (circle is not None) == any(depends_on(name, name, dependencies) for name in dependencies)
    if circle is not None:
        assert circle[0] == circle[-1]
        assert all(after in dependencies[before] for before, after in pairwise(circle))


@given(GRAPHS, st.data())
def test_depends_on_is_the_transitive_closure(dependencies, data):
    """The dumb twin: paths found by multiplying the relation with itself."""
    pairs = {(name, other) for name, others in dependencies.items() for other in others}
    for _ in dependencies:
        pairs |= {(a, d) for a, b in pairs for c, d in pairs if b == c}
    name, other = (data.draw(st.sampled_from(sorted(dependencies))) for _ in range(2))
    assert depends_on(name, other, dependencies) == ((name, other) in pairs)
