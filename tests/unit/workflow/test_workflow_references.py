"""What expressions may read: one table of mistakes, each with its code, its place and its words."""

import pytest
from workflow_building import STEP, assert_found_once, found, job, method, one_job, wait, workflow

MISTAKES = {
    "an expression that does not compile": (
        one_job(method("a", task={"inputs": {"x": ["${{ 1 + }}"]}})),
        "invalid_expression",
        (*STEP, 0, "task", "inputs", "x", 0),
        "",
    ),
    "an expression that is not closed": (
        one_job(method("a", guard="${{ 1 == 1")),
        "invalid_expression",
        (*STEP, 0, "guard"),
        "not closed",
    ),
    "an unknown root": (
        one_job(method("a", guard="${{ env.HOME == 1 }}")),
        "invalid_expression",
        (*STEP, 0, "guard"),
        "env",
    ),
    "self outside a forEach": (
        one_job(method("a", guard="${{ self.item }}")),
        "unknown_self",
        (*STEP, 0, "guard"),
        "this step has none",
    ),
    "an expression as the name of an input": (
        one_job(method("a", task={"inputs": {"${{ run.id }}": 1}})),
        "invalid_expression",
        (*STEP, 0, "task", "inputs", "${{ run.id }}"),
        "",
    ),
    "an unknown step": (
        one_job(wait("review"), method("b", dependsOn=["review"], guard="${{ steps.reviw.status == 'x' }}")),
        "unknown_step",
        (*STEP, 1, "guard"),
        "did you mean `review`?",
    ),
    "a step of another job": (
        workflow(
            job("a", method("x")), job("b", method("y", guard="${{ steps.x.status == '' }}"), dependsOn=["a"])
        ),
        "unknown_step",
        ("jobs", 1, "steps", 0, "guard"),
        "use `jobs.a.steps.x`",
    ),
    "a step of another job whose name has a hyphen": (
        workflow(
            job("a b", method("x-y")),
            job("b", method("y", guard="${{ steps['x-y'].status == '' }}"), dependsOn=["a b"]),
        ),
        "unknown_step",
        ("jobs", 1, "steps", 0, "guard"),
        'use `jobs["a b"].steps["x-y"]`',
    ),
    "an unknown job": (
        workflow(
            job("build", method("x")), job("b", method("y", guard="${{ jobs.biuld.steps.x.status == '' }}"))
        ),
        "unknown_job",
        ("jobs", 1, "steps", 0, "guard"),
        "did you mean `build`?",
    ),
    "an unknown input": (
        one_job(
            method("a", task={"inputs": {"x": "${{ inputs.evn }}"}}),
            inputs={"type": "object", "properties": {"env": {"type": "string"}}},
        ),
        "unknown_input",
        (*STEP, 0, "task", "inputs", "x"),
        "did you mean `env`?",
    ),
    "an input of a workflow without inputs": (
        one_job(method("a", guard="${{ inputs.x }}")),
        "unknown_input",
        (*STEP, 0, "guard"),
        "declares no input `x`.",
    ),
    "a field that steps do not have": (
        one_job(wait("a"), method("b", dependsOn=["a"], guard="${{ steps.a.output.x }}")),
        "unknown_field",
        (*STEP, 1, "guard"),
        "did you mean `outputs`?",
    ),
    "a race with a step": (
        one_job(wait("a"), method("b", guard="${{ steps.a.status == 'failed' }}")),
        "reference_without_dependency",
        (*STEP, 1, "guard"),
        "add `a` to the dependsOn of `b`.",
    ),
    "a race with oneself": (
        one_job(method("a", guard="${{ steps.a.status == 'failed' }}")),
        "reference_without_dependency",
        (*STEP, 0, "guard"),
        "",
    ),
    "a race with a job": (
        workflow(job("a", method("x")), job("b", method("y", guard="${{ jobs.a.steps.x.outputs.ok }}"))),
        "reference_without_dependency",
        ("jobs", 1, "steps", 0, "guard"),
        "add `a` to the dependsOn of `b`.",
    ),
    "steps without a name": (
        one_job(
            wait("a"),
            method("b", dependsOn=["a"], guard="${{ steps[inputs.x].status == '' }}"),
            inputs={"type": "object", "properties": {"x": {}}},
        ),
        "unclear_reference",
        (*STEP, 1, "guard"),
        "Name the step",
    ),
    "a schema that reads a step": (
        one_job(wait("a"), wait("b", schema={"type": "object", "title": "${{ steps.a.status }}"})),
        "invalid_expression",
        (*STEP, 1, "task", "schema", "title"),
        "steps",
    ),
    "a prompt that reads the run": (
        one_job(wait("a", prompt="${{ run.id }}")),
        "invalid_expression",
        (*STEP, 0, "task", "prompt"),
        "run",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_place(mistake):
    """Each mistake is found once, with its code, at the path that is wrong, and the words that help."""
    assert_found_once(MISTAKES[mistake])


def test_a_sound_reference_through_others_is_no_race():
    """A dependency may be indirect, whatever its condition."""
    definition = one_job(
        wait("a"),
        method("b", dependsOn=[{"step": "a", "condition": {"type": "always"}}]),
        method("c", dependsOn=["b"], guard="${{ steps.a.status == 'failed' }}"),
    )
    assert found(definition) == []


def test_an_open_schema_of_inputs_declares_every_name():
    """Where the inputs' schema says that more names may come, any of them may be read."""
    definition = one_job(
        method("a", guard="${{ inputs.anything }}"),
        inputs={"type": "object", "additionalProperties": {"type": "string"}},
    )
    assert found(definition) == []


@pytest.mark.parametrize("properties", [5, "x", [], None, {"x": 5}])
def test_a_broken_schema_of_inputs_is_a_finding_and_no_crash(properties):
    """Whatever the inputs' schema holds, an expression that reads an input is checked against it."""
    definition = one_job(
        method("a", guard="${{ inputs.x == 1 }}"), inputs={"type": "object", "properties": properties}
    )
    assert "invalid_schema" in [code for code, _, _ in found(definition)]


def test_a_long_chain_is_checked_in_little_time():
    """Two thousand steps in a row, each reading the one before, are no burden and no recursion."""
    steps = [method("s0")] + [
        method(f"s{n}", dependsOn=[f"s{n - 1}"], guard=f"${{{{ steps.s{n - 1}.status == 'x' }}}}")
        for n in range(1, 2000)
    ]
    assert found(one_job(*steps)) == []
