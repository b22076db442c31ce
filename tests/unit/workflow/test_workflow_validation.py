"""What must hold in a workflow beyond its form: one table of mistakes, each with its code, its place and its words."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.structure import depends_on, find_circle
from swamp_core.workflow.validation import ModelInfo, validate

MODELS = {"release": ModelInfo(methods=("build", "deploy"))}


def method(name, **step):
    task = {"type": "model_method", "modelIdOrName": "release", "methodName": "build", **step.pop("task", {})}
    return {"name": name, "task": task, **step}


def wait(name, **task):
    return {"name": name, "task": {"type": "wait_for_signal", "timeout": 60, **task}}


def job(name, *steps, **fields):
    return {"name": name, "steps": list(steps), **fields}


def workflow(*jobs, **fields):
    return Workflow.from_json({"name": "w", "jobs": list(jobs), **fields})


def one_job(*steps, **fields):
    return workflow(job("j", *steps), **fields)


def found(definition, models=None):
    return [(finding.code, finding.path, finding.message) for finding in validate(definition, models)]


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


STEP = ("jobs", 0, "steps")
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
    definition, code, path, says = MISTAKES[mistake]
    findings = [
        each for each in found(definition, None if mistake in KNOWN_ELSEWHERE else MODELS) if each[0] == code
    ]
    assert [(each[0], each[1]) for each in findings] == [(code, path)]
    assert says in findings[0][2]
    assert findings[0][2].rstrip().endswith((".", "?", "`"))


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


def test_a_long_chain_is_checked_in_little_time():
    """Two thousand steps in a row, each reading the one before, are no burden and no recursion."""
    steps = [method("s0")] + [
        method(f"s{n}", dependsOn=[f"s{n - 1}"], guard=f"${{{{ steps.s{n - 1}.status == 'x' }}}}")
        for n in range(1, 2000)
    ]
    assert found(one_job(*steps)) == []


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
