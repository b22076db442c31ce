"""`run --dry-run`: what would run, in which order, as far as the inputs say; and nothing is done."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.forecast import RUNS, Before, after, failing, skipped
from swamp_core.workflow.conditions import End, holds

OUTER = """
inputs:
  type: object
  properties: { env: { type: string, default: dev }, regions: { type: array, default: [eu, us] } }
jobs:
  - name: deploy
    dependsOn: [check]
    steps:
      - name: ask
        guard: ${{ inputs.env == "dev" }}
        task: { type: manual_approval, timeout: 2d, prompt: "Deploy to ${{ inputs.env }}?" }
      - name: push
        dependsOn: [{ step: ask, condition: { type: always } }]
        forEach: { item: region, in: "${{ inputs.regions }}" }
        guard: ${{ self.region == "moon" }}
        task: { type: workflow, workflowIdOrName: inner, inputs: { where: "${{ self.region }}-${{ inputs.env }}" } }
      - name: undo
        dependsOn: [{ step: push, condition: { type: failed } }]
        task: { type: model_method, modelIdOrName: release, methodName: build }
      - name: proceed
        dependsOn: [ask]
        task: { type: model_method, modelIdOrName: release, methodName: build }
  - name: check
    steps:
      - name: sane
        task:
          type: assert
          expr: ${{ inputs.regions.size() < 4 }}
          message: ${{ inputs.regions.size() }} are too many.
"""
INNER = """
inputs: { type: object, properties: { where: { type: string } }, required: [where] }
jobs:
  - name: in
    steps:
      - { name: look, task: { type: wait_for_signal, timeout: 90s } }
      - name: go
        dependsOn: [look]
        guard: ${{ steps.look.outputs.payload.stop == true }}
        task: { type: model_method, modelIdOrName: release, methodName: build }
"""
TOLD = """\
A run of outer would do this, in this order. Nothing was started or stored.
  inputs  {"env": "dev", "regions": ["eu", "us"]}
1  check/sane · asserts ${{ inputs.regions.size() < 4 }}
2  deploy/ask · skipped · waits for an approval, at most 2 days
     Its guard holds.
     after job check
     skipped if ${{ inputs.env == "dev" }}
     asks: Deploy to dev?
3  deploy/push · runs the workflow inner
     after job check, ask if it has ended
     skipped if ${{ self.region == "moon" }}
     for each region in ${{ inputs.regions }}
     push[eu] · with {"where": "eu-dev"}
     push[us] · with {"where": "us-dev"}
     1  in/look · waits for a signal, at most 90 seconds
     2  in/go · perhaps · calls release.build
          Its guard reads what is known only in the run.
          after look
          skipped if ${{ steps.look.outputs.payload.stop == true }}
3  deploy/proceed · skipped · calls release.build
     It runs only if step `ask` succeeded, which cannot be.
     after job check, ask
4  deploy/undo · perhaps · calls release.build
     It runs only if step `push` failed.
     after job check, push if it failed
"""


@pytest.fixture
def outer(swamp):
    (swamp.directory / "workflows/outer.yaml").write_text(OUTER)
    (swamp.directory / "workflows/inner.yaml").write_text(INNER)
    return swamp


def decisions(answer):
    return {step["step"]: step["decision"] for step in answer.json["steps"]}


def test_a_dry_run_tells_what_would_run(outer):
    """In the order of the run: what each step does, what is skipped and why, items and nested workflows."""
    assert outer("workflow", "run", "outer", "--dry-run").out == TOLD


def test_a_dry_run_stores_nothing(outer):
    """Not even the directory of the store is made, and nothing is told of a run."""
    answer = outer("workflow", "run", "outer", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    assert not (outer.directory / ".swamp").exists()


def test_inputs_decide_what_they_can(outer):
    """Guards and asserts that read inputs alone are evaluated; a step that comes after a sure failure is skipped."""
    assert decisions(outer("workflow", "run", "outer", "--dry-run", "--json", "--input", "env=prod")) == {
        "sane": "runs",
        "ask": "runs",
        "push": "runs",
        "proceed": "runs",
        "undo": "depends",
    }
    failed = outer("workflow", "run", "outer", "--dry-run", "--json", "--input", "regions=[1,2,3,4]")
    assert set(decisions(failed).values()) == {"fails", "skipped"}
    assert failed.json["steps"][0]["reason"] == "What it asserts does not hold: 4 are too many."


def test_each_item_has_its_inputs_and_its_guard(outer):
    """A forEach over inputs is expanded: each item is told with what it would be given."""
    answer = outer("workflow", "run", "outer", "--dry-run", "--json", "--input", 'regions=["moon","eu"]')
    (push,) = [step for step in answer.json["steps"] if step["step"] == "push"]
    assert push["items"] == [
        {"name": "push[moon]", "decision": "skipped", "reason": "Its guard holds.", "inputs": None},
        {"name": "push[eu]", "decision": "runs", "reason": None, "inputs": {"where": "eu-dev"}},
    ]
    assert push["after"][1] == {
        "job": "deploy",
        "step": "ask",
        "condition": {"type": "always"},
        "label": "if it has ended",
    }


def test_inputs_that_do_not_fit_are_refused(outer):
    """A dry run refuses what the run would refuse."""
    answer = outer("workflow", "run", "outer", "--dry-run", "--input", "env=3", "--input", "nope=1", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (3, "invalid_input")


def test_an_error_of_a_guard_is_foreseen(swamp):
    """A guard that reads an input which is not given fails its step in the run, and is told before it."""
    (swamp.directory / "workflows/w.yaml").write_text(
        "inputs: { type: object, properties: { n: { type: integer } } }\n"
        "jobs: [{ name: a, steps: [{ name: b, guard: '${{ inputs.n > 1 }}',"
        " task: { type: model_method, modelIdOrName: release, methodName: build } }] }]"
    )
    (step,) = swamp("workflow", "run", "w", "--dry-run", "--json").json["steps"]
    assert step["decision"] == "fails"
    assert "inputs.n > 1" in step["reason"]


def test_many_items_are_counted(outer):
    """A thousand items are a few lines; `--json` has them all."""
    given_all = f"regions={[str(number) for number in range(1000)]}".replace("'", '"')
    (outer.directory / "workflows/outer.yaml").write_text(OUTER.replace("< 4", "< 4000"))
    shown = outer("workflow", "run", "outer", "--dry-run", "--input", given_all).out
    assert "and 995 more: 995 run" in shown
    assert len(shown.splitlines()) < 40


OUTLOOKS = [RUNS, skipped("r"), failing("r")]
ENDS = ["always", "succeeded", "failed", "completed", "skipped"]
befores = st.lists(
    st.builds(
        Before,
        st.just("step"),
        st.just("s"),
        st.sampled_from([End(type=each) for each in ENDS]),
        st.sampled_from(OUTLOOKS),
    ),
    max_size=3,
)


@given(befores)
def test_a_step_is_skipped_for_sure_only_if_it_is_in_every_case(before):
    """Against all ways in which what comes before may end: skipped in all of them, or else not said to be."""
    outlook = after(before, RUNS)
    ways = list(itertools.product(*(sorted(each.outlook.ends) for each in before)))
    runs = [all(holds(each.condition, end) for each, end in zip(before, way, strict=True)) for way in ways]
    assert (outlook.decision == "skipped") == (not any(runs))
    assert ("skipped" in outlook.ends) == (not all(runs))
    if outlook.decision == "runs":
        assert all(holds(each.condition, each.outlook.expected) for each in before)
