"""What must hold within a step: forEach and its item, asserts, gates, concurrency; a table of mistakes."""

import pytest
from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.structure import structure_findings
from swamp_core.workflow.validation import validate
from workflow_building import (
    MODELS,
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
    wait,
    workflow,
)

REGIONS = {"type": "object", "properties": {"regions": {"type": "array"}, "env": {"type": "string"}}}
HEALTH = {"eu": {"url": "https://eu"}, "us": {"url": "https://us"}}

SOUND = workflow(
    job(
        "deploy",
        wait("keyed", key="verdict"),
        wait("keyed too", key="0-verdict_2"),
        gate("allow", "Deploy ${{ inputs.env }} in ${{ run.id }}?"),
        method(
            "each",
            dependsOn=["allow"],
            forEach=each("${{ inputs.regions }}"),
            concurrency=2,
            guard="${{ self.region == inputs.env }}",
            task={"inputs": {"region": "${{ self.region }}", "by": ["${{ steps.allow.status }}"]}},
        ),
        wait(
            "verdict",
            schema={
                "type": "object",
                "title": "${{ self.place.key }}",
                "maxProperties": "${{ self.place.value.n }}",
            },
            prompt="How is ${{ self.place.key }} in ${{ inputs.env }}?",
        )
        | {"forEach": each({"eu": {"n": 1}}, "place")},
        check(
            "healthy",
            "${{ self.place.value.url != '' && steps.each.outputs[0].stdout == 'ok' }}",
            "${{ self.place.key }} of run ${{ run.id }} is not well: ${{ steps.each.outputs.map(o, o.stdout) }}.",
            dependsOn=["each"],
            forEach=each(HEALTH, "place"),
        ),
        gate(
            "go",
            "${{ steps.verdict.outputs.eu.payload.verdict }} ${{ self.inputs.deep }} ${{ self.inputs }}",
            dependsOn=["verdict"],
            forEach=each([{"deep": 1}], "inputs"),
        ),
        concurrency=4,
    ),
    job(
        "after",
        nested(
            "report", "report", {"env": "${{ self.name }}"}, forEach=each(["${{ inputs.env }}", "b"], "name")
        ),
        dependsOn=["deploy"],
    ),
    inputs=REGIONS,
    concurrency=8,
)


def test_sound_steps_have_no_findings():
    """Gates, asserts and steps for each item read what they may, everywhere where they may."""
    assert found(SOUND, MODELS) == []


MISTAKES = {
    "a key of two steps in one job": (
        one_job(wait("a", key="verdict"), wait("b", key="verdict")),
        "duplicate_wait_key",
        (*STEP, 1, "task", "key"),
        "The steps `j/a` and `j/b` have the same key `verdict`",
    ),
    "a key of two steps in two jobs": (
        workflow(job("j", wait("a", key="verdict")), job("k", wait("a", key="verdict"))),
        "duplicate_wait_key",
        ("jobs", 1, "steps", 0, "task", "key"),
        "The steps `j/a` and `k/a` have the same key `verdict`",
    ),
    "a key under forEach": (
        one_job(wait("a", key="verdict") | {"forEach": each(["eu"])}),
        "wait_key_under_for_each",
        (*STEP, 0, "task", "key"),
        "The step `j/a` is one for each item",
    ),
    "a forEach over text": (
        one_job(gate("a", forEach=each("eu, us"))),
        "invalid_for_each",
        (*STEP, 0, "forEach", "in"),
        "one expression that gives one",
    ),
    "a forEach over text with an expression": (
        one_job(gate("a", forEach=each("${{ inputs.regions }} us")), inputs=REGIONS),
        "invalid_for_each",
        (*STEP, 0, "forEach", "in"),
        "one expression that gives one",
    ),
    "a forEach over a broken expression": (
        one_job(gate("a", forEach=each("${{ inputs. }}")), inputs=REGIONS),
        "invalid_expression",
        (*STEP, 0, "forEach", "in"),
        "",
    ),
    "a forEach over an input that is not declared": (
        one_job(gate("a", forEach=each("${{ inputs.region }}")), inputs=REGIONS),
        "unknown_input",
        (*STEP, 0, "forEach", "in"),
        "did you mean `regions`?",
    ),
    "a forEach over a step that need not have ended": (
        one_job(method("list"), gate("a", forEach=each("${{ steps.list.outputs.regions }}"))),
        "reference_without_dependency",
        (*STEP, 1, "forEach", "in"),
        "add `list` to the dependsOn of `a`.",
    ),
    "an item in the list that reads what is not there": (
        one_job(gate("a", forEach=each(["eu", "${{ inputs.region }}"])), inputs=REGIONS),
        "unknown_input",
        (*STEP, 0, "forEach", "in", 1),
        "did you mean `regions`?",
    ),
    "an expression as a key of the mapping": (
        one_job(gate("a", forEach=each({"${{ inputs.env }}": 1})), inputs=REGIONS),
        "invalid_expression",
        (*STEP, 0, "forEach", "in", "${{ inputs.env }}"),
        "name of a member",
    ),
    "the item in its own list": (
        one_job(gate("a", forEach=each("${{ self.region }}"))),
        "unknown_self",
        (*STEP, 0, "forEach", "in"),
        "its own `in` cannot read it",
    ),
    "an item of another name": (
        one_job(gate("a", "${{ self.regoin }}?", forEach=each(["eu"]))),
        "unknown_self",
        (*STEP, 0, "task", "prompt"),
        "did you mean `region`?",
    ),
    "an item of another name in a guard": (
        one_job(gate("a", guard="${{ self.item == 1 }}", forEach=each(["eu"]))),
        "unknown_self",
        (*STEP, 0, "guard"),
        "known here: `region`.",
    ),
    "an item of another name in the inputs of a method": (
        one_job(method("a", forEach=each(["eu"]), task={"inputs": {"to": ["${{ self.name }}"]}})),
        "unknown_self",
        (*STEP, 0, "task", "inputs", "to", 0),
        "",
    ),
    "an item of another name in the inputs of a workflow": (
        one_job(nested("a", "b", {"to": "${{ self.name }}"}, forEach=each(["eu"]))),
        "unknown_self",
        (*STEP, 0, "task", "inputs", "to"),
        "",
    ),
    "an item of another name in an assert": (
        one_job(check("a", "${{ self.name == 1 }}", forEach=each(["eu"]))),
        "unknown_self",
        (*STEP, 0, "task", "expr"),
        "",
    ),
    "an item of another name in the message of an assert": (
        one_job(check("a", message="not ${{ self.name }}", forEach=each(["eu"]))),
        "unknown_self",
        (*STEP, 0, "task", "message"),
        "",
    ),
    "an item of another name in a schema": (
        one_job(
            wait("a", schema={"type": "object", "title": "${{ self.name }}"}) | {"forEach": each(["eu"])}
        ),
        "unknown_self",
        (*STEP, 0, "task", "schema", "title"),
        "",
    ),
    "self as a whole": (
        one_job(method("a", forEach=each(["eu"]), task={"inputs": {"all": "${{ self }}"}})),
        "unknown_self",
        (*STEP, 0, "task", "inputs", "all"),
        "Read the item by its name: `self.region`.",
    ),
    "self in the schema of a wait that is one": (
        one_job(wait("a", schema={"type": "object", "title": "${{ self.region }}"})),
        "unknown_self",
        (*STEP, 0, "task", "schema", "title"),
        "this step has none",
    ),
    "a field that a member does not have": (
        one_job(gate("a", "${{ self.region.name }}?", forEach=each(HEALTH))),
        "unknown_self",
        (*STEP, 0, "task", "prompt"),
        "known here: `key`, `value`.",
    ),
    "a member's key where the items are text": (
        one_job(gate("a", "${{ self.region.key }}?", forEach=each(["eu", "us"]))),
        "unknown_self",
        (*STEP, 0, "task", "prompt"),
        "is no mapping, so it has no `key`.",
    ),
    "the outputs of a list as those of one step": (
        one_job(
            method("all", forEach=each(["eu"])),
            gate("a", "${{ steps.all.outputs.stdout }}", dependsOn=["all"]),
        ),
        "unknown_field",
        (*STEP, 1, "task", "prompt"),
        "one for each item",
    ),
    "the outputs of a mapping by a key that it does not have": (
        one_job(
            method("all", forEach=each(HEALTH)),
            gate("a", "${{ steps.all.outputs.uk.stdout }}", dependsOn=["all"]),
        ),
        "unknown_field",
        (*STEP, 1, "task", "prompt"),
        "no outputs for an item `uk`",
    ),
    "a name that an item could have": (
        one_job(gate("a"), gate("deploy", forEach=each(["eu"])), gate("deploy[eu]")),
        "ambiguous_name",
        (*STEP, 2, "name"),
        "`deploy[…]`",
    ),
    "a name that the items of two steps could have": (
        one_job(gate("deploy[eu", forEach=each(["us"])), gate("deploy", forEach=each(["eu[us"]))),
        "ambiguous_name",
        (*STEP, 0, "name"),
        "rename one of the two",
    ),
    "a concurrency of one step": (
        one_job(gate("a", concurrency=2)),
        "useless_concurrency",
        (*STEP, 0, "concurrency"),
        "without `forEach`",
    ),
    "an assert in bare CEL": (
        one_job(check("a", "1 == 1")),
        "invalid_assert",
        (*STEP, 0, "task", "expr"),
        "written `${{ … }}`",
    ),
    "an assert of text with an expression": (
        one_job(check("a", "not ${{ true }}")),
        "invalid_assert",
        (*STEP, 0, "task", "expr"),
        "nothing around it",
    ),
    "an assert that asks for nothing": (
        one_job(check("a", "")),
        "invalid_assert",
        (*STEP, 0, "task", "expr"),
        "",
    ),
    "an assert that reads what it does not wait for": (
        one_job(method("b"), check("a", "${{ steps.b.status == 'failed' }}")),
        "reference_without_dependency",
        (*STEP, 1, "task", "expr"),
        "add `b`",
    ),
    "a message that reads what is not there": (
        one_job(check("a", message="${{ env.HOME }}")),
        "invalid_expression",
        (*STEP, 0, "task", "message"),
        "env",
    ),
    "an assert that says nothing": (
        one_job(check("a", message=" \n")),
        "empty_text",
        (*STEP, 0, "task", "message"),
        "`message` is blank",
    ),
    "a gate that asks nothing": (
        one_job(gate("a", "")),
        "empty_text",
        (*STEP, 0, "task", "prompt"),
        "`prompt` is blank",
    ),
    "a wait that asks nothing": (
        one_job(wait("a", prompt="  ")),
        "empty_text",
        (*STEP, 0, "task", "prompt"),
        "`prompt` is blank",
    ),
    "a gate that asks for what need not have ended": (
        one_job(method("b"), gate("a", "${{ steps.b.outputs.stdout }}")),
        "reference_without_dependency",
        (*STEP, 1, "task", "prompt"),
        "",
    ),
    "an expression for a workflow": (
        one_job(nested("a", "${{ inputs.env }}"), inputs=REGIONS),
        "expression_not_allowed",
        (*STEP, 0, "task", "workflowIdOrName"),
        "known before the run starts",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found_at_its_place(mistake):
    """Each mistake is found once, with its code, at the path that is wrong, and the words that help."""
    assert_found_once(MISTAKES[mistake], MODELS)


def test_only_a_useless_concurrency_is_let_pass():
    """What does nothing is a warning: it is told, and the workflow runs."""
    definitions = [definition for definition, *_ in MISTAKES.values()]
    severities = {
        finding.code: finding.severity for definition in definitions for finding in validate(definition)
    }
    assert {code for code, severity in severities.items() if severity == "warning"} == {"useless_concurrency"}


@pytest.mark.parametrize("source", ["${{ inputs.regions }}", ["${{ inputs.env }}"], ["eu", {"key": 1}], []])
def test_what_an_item_may_hold_is_not_guessed(source):
    """Where the items are not known, or may be mappings, any of their fields may be read."""
    definition = one_job(gate("a", "${{ self.region.key.deep }}", forEach=each(source)), inputs=REGIONS)
    assert found(definition) == []


@pytest.mark.parametrize("read", ["[0].stdout", ".map(o, o.stdout)", ".size()", "", ".eu.stdout"])
def test_outputs_of_items_that_are_not_known_may_be_read_as_either(read):
    """Whether an expression gives a list or a mapping is not known, so its outputs may be read as any of the two."""
    definition = one_job(
        method("all", forEach=each("${{ inputs.regions }}")),
        gate("a", f"${{{{ steps.all.outputs{read} }}}} ${{{{ steps.all.status }}}}", dependsOn=["all"]),
        inputs=REGIONS,
    )
    assert found(definition) == []


def test_items_of_other_jobs_are_told_apart():
    """Names are unique in their job, so an item of a step clashes with a step of the same job only."""
    definition = workflow(
        job("a", gate("x", forEach=each([1]))), job("b", gate("x[1]"), gate("y"), gate("y[1]"))
    )
    assert found(definition) == []


def test_an_ambiguous_name_is_found_without_any_file():
    """Whoever reads a pinned definition finds it too, and at no cost that grows with the square of the steps."""
    steps = [gate(f"s{n}", forEach=each([1])) for n in range(1000)] + [gate("[" * 128), gate("s7[1]")]
    definition = Workflow.from_json({"name": "w", "jobs": [{"name": "j", "steps": steps}]})
    assert [finding.path for finding in structure_findings(definition)] == [(*STEP, 1001, "name")]
