"""A wait at the end of a branch, behind a condition, or two runs below suspends the run, and can be reached.

What is printed is pasted until the run has ended, and what was done before a wait is never done again.
"""

import json

import pytest

from tests.end_to_end.releases import Release, steps_of

COUNT = "task: { type: model_method, modelIdOrName: release, methodName: count }"
WAIT = "task: { type: wait_for_signal, timeout: 24h }"
GATE = 'task: { type: manual_approval, prompt: "Ship?" }'
MODEL = r"""
type: command/shell
methods:
  count: { run: 'echo "$SWAMP_RUN_ID" >> "done-$SWAMP_STEP"' }
  fail: { run: 'echo "$SWAMP_RUN_ID" >> "done-$SWAMP_STEP"; exit 7' }
  tell: { run: 'echo x >> "done-$SWAMP_STEP"; printf "%s" "$SWAMP_INPUTS"' }
"""
IN_A_BRANCH = f"""
jobs:
  - name: build
    steps:
      - {{ name: compile, {COUNT} }}
      - {{ name: review, dependsOn: [compile], {WAIT} }}
  - name: notes
    steps: [{{ name: notes, {COUNT} }}]
  - name: ship
    dependsOn: [build, notes]
    steps: [{{ name: ship, {COUNT} }}]
"""
BEHIND_A_CONDITION = f"""
jobs:
  - name: build
    steps:
      - name: compile
        allowFailure: true
        task: {{ type: model_method, modelIdOrName: release, methodName: fail }}
      - {{ name: celebrate, dependsOn: [compile], {COUNT} }}
      - name: review
        dependsOn: [{{ step: compile, condition: {{ type: failed }} }}]
        guard: ${{{{ steps.compile.status != "failed" }}}}
        {WAIT}
      - {{ name: ship, dependsOn: [review], {COUNT} }}
"""


def nesting(name, child="", **more):
    """The step that is a run of another workflow."""
    members = "".join(f", {key}: {value}" for key, value in more.items())
    return f"{{ name: {name}, task: {{ type: workflow, workflowIdOrName: {child or name} }}{members} }}"


TREE = {
    "release": f"""
jobs:
  - name: release
    steps:
      - {{ name: before, {COUNT} }}
      - {nesting("middle", dependsOn="[before]")}
      - {{ name: beside, {COUNT} }}
      - {{ name: after, dependsOn: [middle], {COUNT} }}
""",
    "middle": f"""
jobs:
  - name: middle
    steps:
      - {{ name: first, {COUNT} }}
      - {nesting("inner", dependsOn="[first]")}
      - {{ name: second, dependsOn: [inner], {COUNT} }}
""",
    "inner": f"""
jobs:
  - name: inner
    steps:
      - {{ name: review, {WAIT} }}
      - {{ name: innermost, dependsOn: [review], {COUNT} }}
      - {{ name: sign-off, dependsOn: [innermost], {GATE} }}
""",
}


def begun(swamp, workflows, *options, code=0, **world):
    """A repo in which a run of `release` has been left as it waits."""
    swamp.write("models/release.yaml", MODEL)
    for name, text in workflows.items():
        swamp.write(f"workflows/{name}.yaml", text)
    return Release(swamp, swamp.json("workflow", "run", "release", *options, code=code, **world))


def run_of(release, workflow):
    """The only run of a workflow, as its history has it."""
    (summary,) = [run for run in release.runs() if run["workflow"] == workflow]
    return release.history(summary["id"])["run"]


@pytest.fixture
def tree(swamp):
    """A run that waits for a run that waits for a run that waits for a signal, and then for an approval."""
    return begun(swamp, TREE)


def pasted_to_the_end(swamp, command="swamp workflow resume release", bound=12):
    """Paste the first command that is printed, and so on, until the run of `release` has ended; all that was said."""
    said = []
    for _ in range(bound):
        ended = swamp.pasted(command, code=None)
        assert ended.code in (0, 3), ended
        said.append(ended.out + ended.err)
        if "The run of release succeeded." in said[-1]:
            return said
        ahead = [each for each in ended.commands if " history " not in each]
        command = ahead[0] if ahead else "swamp workflow resume release"
    raise AssertionError("\n".join(said))


@pytest.mark.parametrize(
    ("workflow", "done"),
    [
        (IN_A_BRANCH, {"compile": 1, "notes": 1, "ship": 1}),
        (BEHIND_A_CONDITION, {"compile": 1, "ship": 1}),
    ],
)
def test_a_wait_suspends_the_run_wherever_it_stands(swamp, workflow, done):
    """The run suspends once everything else is done; what it prints, pasted, brings it to its end."""
    release = begun(swamp, {"release": workflow})
    assert release.ran["run"]["status"] == "suspended"
    assert (steps_of(release.ran["run"])["review"]["status"], "ship" in release.done()) == ("waiting", False)
    pasted_to_the_end(swamp)
    assert (release.done(), release.waits()) == (done, [])


def test_a_wait_behind_a_condition_that_does_not_hold_is_not_opened(swamp):
    """Without the failure there is no wait, and the run ends in one go."""
    release = begun(swamp, {"release": BEHIND_A_CONDITION.replace("methodName: fail", "methodName: count")})
    assert (release.ran["run"]["status"], release.ran["waits"]) == ("succeeded", [])
    assert release.done() == {"compile": 1, "celebrate": 1}


def test_a_wait_two_runs_below_suspends_every_run_above_it(tree):
    """All three runs are suspended and linked both ways, and the wait names its own run."""
    release, middle, inner = (run_of(tree, name) for name in TREE)
    assert {run["status"] for run in (release, middle, inner)} == {"suspended"}
    assert [run["parentRunId"] for run in (release, middle, inner)] == [None, release["id"], middle["id"]]
    assert steps_of(release)["middle"]["childRunId"] == middle["id"]
    assert (steps_of(release)["middle"]["status"], steps_of(release)["middle"]["waitKind"]) == (
        "waiting",
        "nested",
    )
    assert steps_of(middle)["inner"]["childRunId"] == inner["id"]
    (wait,) = tree.waits()
    assert (wait["workflow"], wait["runId"], wait["step"]) == ("inner", inner["id"], "review")
    assert tree.done() == {"before": 1, "beside": 1, "first": 1}


def test_a_parent_that_cannot_go_on_names_what_is_to_be_done_innermost(tree):
    """`resume` of the outermost run is refused and names the signal, and after it the approval, of the innermost."""
    refused = tree.resume(code=3)
    assert refused["code"] == "nested_run_open"
    assert f"swamp workflow signal {tree.wait()['waitId']}" in refused["hint"]
    tree.signal(tree.wait()["waitId"], "{}")
    assert tree.resume()["run"]["status"] == "suspended"
    refused = tree.resume(code=3)
    assert (refused["code"], "swamp workflow approve inner" in refused["hint"]) == ("nested_run_open", True)


def test_every_command_that_is_printed_for_nested_runs_works(tree):
    """Pasting what the refused resume prints, and what that prints, brings all three runs to their end, once."""
    pasted_to_the_end(tree.swamp)
    assert {run_of(tree, name)["status"] for name in TREE} == {"succeeded"}
    assert tree.done() == dict.fromkeys(("before", "beside", "first", "innermost", "second", "after"), 1)


def test_what_run_prints_for_a_nested_wait_works(swamp):
    """`run` itself names what is to be done in the nested run."""
    begun(swamp, TREE)
    other = swamp("workflow", "run", "release")
    assert [command for command in other.commands if " signal " in command], other.out


def test_a_signal_that_resumes_walks_up_to_the_outermost_run(tree):
    """`signal --resume` and `approve --resume` end the innermost run, then the one above it, and the outermost."""
    tree.signal(tree.wait()["waitId"], "{}", "--resume")
    assert [run_of(tree, name)["status"] for name in TREE] == ["suspended"] * 3
    tree.swamp.json("workflow", "approve", "inner", "sign-off", "--resume")
    assert [run_of(tree, name)["status"] for name in TREE] == ["succeeded"] * 3
    assert set(tree.done().values()) == {1}


def test_a_nested_run_that_is_ended_by_itself_is_adopted(tree):
    """Resuming only the nested runs leaves the outermost suspended; its resume takes the result and goes on."""
    tree.signal(tree.wait()["waitId"], "{}")
    tree.swamp.json("workflow", "resume", "inner")
    tree.swamp.json("workflow", "approve", "inner", "sign-off")
    assert tree.swamp.json("workflow", "resume", "inner")["run"]["status"] == "succeeded"
    assert run_of(tree, "release")["status"] == "suspended"
    run = tree.resume()["run"]
    outputs = steps_of(run)["middle"]["outputs"]
    assert (run["status"], outputs["runId"]) == ("succeeded", run_of(tree, "middle")["id"])
    assert outputs["jobs"]["middle"]["steps"]["second"]["status"] == "succeeded"
    assert set(tree.done().values()) == {1}


@pytest.mark.parametrize("keep", [False, True])
def test_a_cancel_reaches_the_nested_runs_unless_they_are_kept(tree, keep):
    """`cancel` ends all that is below; with `--keep-children` the nested run goes on as a run of its own."""
    wait_id = tree.wait()["waitId"]
    tree.swamp.json("workflow", "cancel", "release", *(["--keep-children"] if keep else []))
    assert run_of(tree, "release")["status"] == "cancelled"
    (nested,) = [step for step in steps_of(run_of(tree, "release")).values() if step["childRunId"]]
    assert nested["error"]["code"] == "cancelled"  # Nobody rejected anything.
    below = {run_of(tree, name)["status"] for name in ("middle", "inner")}
    assert below == ({"suspended"} if keep else {"cancelled"})
    if keep:
        tree.signal(wait_id, "{}")
        assert tree.swamp.json("workflow", "resume", "inner")["run"]["status"] == "suspended"
    else:
        assert (tree.signal(wait_id, "{}", code=3)["code"], tree.waits()) == ("closed", [])


def test_a_rejection_below_fails_the_step_above_and_runs_what_waits_for_its_failure(swamp):
    """The nested run fails; its parent is no part of it, and its handler runs once."""
    handled = TREE["release"] + (
        f"      - {{ name: excuse, dependsOn: [{{ step: middle, condition: {{ type: failed }} }}], {COUNT} }}\n"
    )
    gated = f"""
jobs:
  - name: middle
    steps: [{{ name: sign-off, {GATE} }}, {{ name: second, dependsOn: [sign-off], {COUNT} }}]
"""
    tree = begun(swamp, {"release": handled, "middle": gated})
    swamp.json("workflow", "reject", "middle", "sign-off")
    run = tree.resume(code=1)["run"]
    middle = steps_of(run)["middle"]
    assert (middle["status"], middle["error"]["code"]) == ("failed", "nested_run_failed")
    assert (run["status"], tree.done()) == ("failed", {"before": 1, "beside": 1, "excuse": 1})


THRICE = f"""
inputs: {{ properties: {{ env: {{ type: string }} }} }}
jobs:
  - name: beside
    steps:
      - {{ name: sibling, {COUNT} }}
      - name: broken
        allowFailure: true
        task: {{ type: model_method, modelIdOrName: release, methodName: fail }}
  - name: release
    steps:
      - {{ name: early, task: {{ type: model_method, modelIdOrName: release, methodName: tell, inputs: {{ n: 1 }} }} }}
      - {{ name: one, dependsOn: [early], {WAIT} }}
      - {{ name: two, dependsOn: [one], {WAIT} }}
      - {{ name: three, dependsOn: [two], {WAIT} }}
      - name: late
        dependsOn: [three]
        task:
          type: model_method
          modelIdOrName: release
          methodName: tell
          inputs:
            run: ${{{{ run }}}}
            env: ${{{{ inputs.env }}}}
            early: ${{{{ steps.early.outputs.stdout }}}}
            payloads: ${{{{ [steps.one.outputs.payload, steps.two.outputs.payload, steps.three.outputs.payload] }}}}
"""


def test_a_sibling_that_finished_never_runs_again(swamp):
    """Three waits in turn, each signalled once: the siblings run once, and the failure of one of them is kept.

    One signal settles one wait: the next is open after the resume. The last step sees the run, inputs and all outputs.
    """
    release = begun(swamp, {"release": THRICE}, "--input", "env=dev")
    broken = steps_of(release.ran["run"])["broken"]
    assert (broken["status"], broken["error"]["code"]) == ("failed", "command_failed")
    for number, name in enumerate(("one", "two", "three")):
        (wait,) = release.waits()
        assert wait["step"] == name
        assert release.resume(code=3)["code"] == "wait_open"
        release.signal(wait["waitId"], json.dumps({"n": number}))
        run = release.resume()["run"]
        assert release.done()["sibling"] == 1
        assert steps_of(run)["broken"] == broken
    assert (run["status"], release.waits()) == ("succeeded", [])
    assert release.done() == {"sibling": 1, "broken": 1, "early": 1, "late": 1}
    seen = json.loads(steps_of(run)["late"]["outputs"]["stdout"])
    assert seen["run"] == {"id": run["id"], "workflow": "release", "startedAt": run["startedAt"]}
    assert (seen["env"], json.loads(seen["early"])) == ("dev", {"n": 1})
    assert seen["payloads"] == [{"n": 0}, {"n": 1}, {"n": 2}]


def test_a_failure_beside_a_wait_is_kept_and_fails_the_run_at_its_end(swamp):
    """A sibling that failed before the suspension fails the run after three resumes, without running again."""
    release = begun(
        swamp, {"release": THRICE.replace("allowFailure: true", "allowFailure: false")}, "--input", "env=dev"
    )
    for code in (0, 0, 1):
        release.signal(release.wait()["waitId"], "{}")
        run = release.resume(code=code)["run"]
    assert (run["status"], steps_of(run)["late"]["status"]) == ("failed", "succeeded")
    assert (release.done()["broken"], steps_of(run)["broken"]["error"]["code"]) == (1, "command_failed")


def test_a_refused_retry_of_a_nested_run_names_the_outermost_run(tree):
    """A nested run's result is taken once; the command that is printed goes on with the run of which all is part."""
    tree.signal(tree.wait()["waitId"], "{}")
    tree.swamp("workflow", "resume", "inner")
    tree.swamp("workflow", "reject", "inner", tree.swamp.json("workflow", "approvals")["waits"][0]["waitId"])
    inner = run_of(tree, "inner")["id"]
    refused = tree.swamp("workflow", "resume", inner, code=3)
    assert refused.commands[-1] == f"swamp workflow resume {tree.run_id}"
    tree.swamp.pasted(refused.commands[-1], code=None)
    assert run_of(tree, "release")["status"] == "failed"


def test_a_new_run_leaves_nested_runs_of_its_workflow_alone_without_a_word(swamp):
    """A nested run waits on behalf of its parent: it is neither superseded nor told among the runs that were kept."""
    inner = f"jobs: [{{ name: inner, steps: [{{ name: sign-off, {GATE} }}] }}]"
    outer = f"jobs: [{{ name: release, steps: [{nesting('inner')}] }}]"
    release = begun(swamp, {"inner": inner, "release": outer})
    ran = swamp.json("workflow", "run", "inner")
    assert (ran["superseded"], ran["kept"]) == ([], [])
    again = swamp.json("workflow", "run", "inner")
    assert (again["superseded"], again["kept"]) == ([ran["run"]["id"]], [])
    assert release.history(release.run_id)["run"]["status"] == "suspended"


def test_a_run_whose_gates_are_in_nested_runs_is_kept(swamp):
    """A new run takes no earlier one away of which only a nested run waits, and says so."""
    inner = f"jobs: [{{ name: inner, steps: [{{ name: sign-off, {GATE} }}] }}]"
    outer = f"jobs: [{{ name: release, steps: [{nesting('inner')}] }}]"
    release = begun(swamp, {"inner": inner, "release": outer})
    again = release.run()
    assert again["superseded"] == []
    assert [(kept["runId"], kept["reason"]) for kept in again["kept"]] == [
        (release.run_id, "It waits for a nested run.")
    ]
