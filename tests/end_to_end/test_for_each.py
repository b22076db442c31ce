"""A step with a forEach is a step for each item: with a wait, gate and name of its own, and a bound on them all."""

import json
import os

import pytest

from tests.end_to_end.releases import SHIP, Release, statuses, steps_of

NOON, SOON, LATER = "2026-07-27T12:00:00Z", "2026-07-27T12:30:00Z", "2026-07-27T13:00:00Z"
REGIONS = """
inputs: { properties: { regions: {} }, required: [regions] }
jobs:
  - name: release
    steps:
"""
ASKING = (
    REGIONS
    + """
      - name: ask
        forEach: { item: region, in: "${{ inputs.regions }}" }
        allowFailure: true
        task:
          type: wait_for_signal
          timeout: 1h
          prompt: "How is ${{ self.region }}?"
      - name: after
        dependsOn: [{ step: ask, condition: { type: completed } }]
        task: { type: model_method, modelIdOrName: release, methodName: tell, inputs: { seen: "${{ steps.ask }}" } }
"""
)
GATES = (
    REGIONS
    + """
      - name: allow
        forEach: { item: region, in: "${{ inputs.regions }}" }
        task: { type: manual_approval, prompt: "Ship to ${{ self.region }}?" }
      - name: ship
        forEach: { item: region, in: "${{ inputs.regions }}" }
        dependsOn: [allow]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
)
EACH = (
    REGIONS
    + """
      - name: ship
        forEach: { item: region, in: "${{ inputs.regions }}" }
        task:
          type: model_method
          modelIdOrName: release
          methodName: tell
          inputs: { seen: "${{ self.region }}" }
      - name: after
        dependsOn: [{ step: ship, condition: { type: always } }]
        task: { type: model_method, modelIdOrName: release, methodName: tell, inputs: { seen: "${{ steps.ship }}" } }
"""
)
MODEL = r"""
type: command/shell
methods:
  count: { run: 'echo "$SWAMP_RUN_ID" >> "done-$SWAMP_STEP"' }
  try: { run: 'echo x >> "done-$SWAMP_STEP"; test "$SWAMP_INPUT_SEEN" != us -o -e mended' }
  tell: { run: 'printf "%s" "$SWAMP_INPUT_SEEN"' }
"""
# Each step tells how many run while it does: a directory for each, made and removed atomically.
MEETING = r"""
type: command/shell
methods:
  meet:
    run: |
      mkdir "here/$$" || exit 9
      ls here | wc -l >> "seen"
      for n in 1 2 3 4 5 6 7 8; do ls here | wc -l >> "seen"; done
      rmdir "here/$$"
"""
# An item with an odd number ends only beside one with an even number.
PAIRING = r"""
type: command/shell
methods:
  meet: { run: 'if [ $((SWAMP_INPUT_N % 2)) = 1 ]; then read -r _ < pair; else echo met > pair; fi' }
"""


def begun(swamp, workflow, regions, **world):
    """A repo in which a run over the regions has been left as it waits, or has ended."""
    swamp.write("workflows/release.yaml", workflow)
    swamp.write("models/release.yaml", MODEL)
    swamp.write("given.json", json.dumps({"regions": regions}))
    given = ("--input-file", "given.json")
    return Release(swamp, swamp.json("workflow", "run", "release", *given, code=None, **world))


def wait_of(release, step, **world):
    """The open wait of a step."""
    (wait,) = [wait for wait in release.waits(**world) if wait["step"] == step]
    return wait["waitId"]


def told(run, step):
    """What a step `tell` was given, as the JSON that it was."""
    return json.loads(steps_of(run)[step]["outputs"]["stdout"])


def test_each_item_has_a_wait_of_its_own(swamp):
    """A run over three items opens three waits, each named and asked for its item."""
    release = begun(swamp, ASKING, ["eu", "us", "ap"])
    assert release.ran["run"]["status"] == "suspended"
    asked = {wait["step"]: wait["prompt"] for wait in release.waits()}
    assert asked == {"ask[eu]": "How is eu?", "ask[us]": "How is us?", "ask[ap]": "How is ap?"}
    assert len({wait["waitId"] for wait in release.waits()}) == 3


def test_signalling_one_item_leaves_the_others_open(swamp):
    """The run goes on when all are settled and not before; what depends on the step sees the payloads in order."""
    release = begun(swamp, ASKING, ["eu", "us", "ap"])
    for signalled, still_open in (("us", {"ask[eu]", "ask[ap]"}), ("ap", {"ask[eu]"})):
        release.signal(wait_of(release, f"ask[{signalled}]"), json.dumps({"for": signalled}))
        assert {wait["step"] for wait in release.waits()} == still_open
        assert release.resume(code=3)["code"] == "wait_open"
    release.signal(wait_of(release, "ask[eu]"), '{"for":"eu"}')
    run = release.resume()["run"]
    assert (run["status"], release.waits()) == ("succeeded", [])
    seen = told(run, "after")
    assert seen["status"] == "succeeded"
    assert [each["payload"] for each in seen["outputs"]] == [{"for": "eu"}, {"for": "us"}, {"for": "ap"}]


def test_one_item_timed_out_and_one_signalled_are_both_applied(swamp):
    """A resume after the deadline applies the signal that came in time, and fails the other item alone."""
    release = begun(swamp, ASKING, ["eu", "us"], now=NOON)
    release.signal(wait_of(release, "ask[eu]", now=SOON), SHIP, now=SOON)
    run = release.resume(now=LATER)["run"]
    steps = steps_of(run)
    assert statuses(run) == {"ask[eu]": "succeeded", "ask[us]": "failed", "after": "succeeded"}
    assert (steps["ask[us]"]["error"]["code"], steps["ask[us]"]["allowedFailure"]) == ("wait_timeout", True)
    assert steps["ask[eu]"]["outputs"]["payload"] == {"verdict": "ship"}
    seen = told(run, "after")
    assert (seen["status"], seen["outputs"][1]) == ("failed", None)
    assert seen["outputs"][0]["payload"] == {"verdict": "ship"}
    assert (run["status"], release.waits(now=LATER)) == ("succeeded", [])


def test_each_item_has_a_gate_of_its_own(swamp):
    """Approving one gate leaves the others undecided; when all are approved every item ships once."""
    release = begun(swamp, GATES, ["eu", "us"])
    gates = swamp.json("workflow", "approvals")["waits"]
    assert [(gate["step"], gate["prompt"]) for gate in gates] == [
        ("allow[eu]", "Ship to eu?"),
        ("allow[us]", "Ship to us?"),
    ]
    swamp.json("workflow", "approve", "release", "allow[us]")
    assert [gate["step"] for gate in swamp.json("workflow", "approvals")["waits"]] == ["allow[eu]"]
    assert release.resume(code=3)["code"] == "gate_undecided"
    swamp.json("workflow", "approve", "release", "allow[eu]")
    assert (release.resume()["run"]["status"], release.done()) == (
        "succeeded",
        {"ship[eu]": 1, "ship[us]": 1},
    )


def test_rejecting_the_gate_of_one_item_settles_those_of_the_others(swamp):
    """Nothing waits any more, nothing ships, and the gate of another item cannot be decided."""
    release = begun(swamp, GATES, ["eu", "us"])
    run = swamp.json("workflow", "reject", "release", "allow[eu]")["run"]
    codes = {name: step["error"] and step["error"]["code"] for name, step in steps_of(run).items()}
    assert codes == {"allow[eu]": "approval_rejected", "allow[us]": "cancelled", "ship": None}
    assert (run["status"], statuses(run)["ship"], release.done()) == ("failed", "skipped", {})
    assert swamp.json("workflow", "approvals")["waits"] == []


def test_every_command_that_is_printed_for_odd_names_works(swamp):
    """Items with odd names are waited for, listed and approved by the commands that are printed, pasted as they are."""
    odd = ["it's", 'a "b"', "$HOME `id`", "--run", "two\nlines", "é\u202e", "x" * 200, ""]
    release = begun(swamp, GATES, odd)
    for left in range(len(odd), 0, -1):
        listed = swamp("workflow", "approvals")
        approving = [command for command in listed.commands if " approve " in command]
        assert len(approving) == left
        swamp.pasted(approving[0])
    run = release.resume()["run"]
    assert (run["status"], len(statuses(run))) == ("succeeded", 2 * len(odd))


def test_a_mapping_gives_each_item_its_key_and_value(swamp):
    """The steps are called by the keys, the item has key and value, and the outputs are by key."""
    release = begun(swamp, EACH, {"eu": {"hosts": 2}, "us": None})
    run = release.ran["run"]
    assert told(run, "ship[eu]") == {"key": "eu", "value": {"hosts": 2}}
    assert told(run, "ship[us]") == {"key": "us", "value": None}
    assert set(told(run, "after")["outputs"]) == {"eu", "us"}


@pytest.mark.parametrize("none", [[], {}])
def test_no_items_succeed_at_once(swamp, none):
    """A step without items has succeeded, and what depends on it runs and sees no outputs."""
    release = begun(swamp, EACH, none)
    run = release.ran["run"]
    assert (run["status"], statuses(run)["ship"]) == ("succeeded", "succeeded")
    assert told(run, "after") == {"status": "succeeded", "outputs": none}


def test_items_with_odd_names_are_all_told_apart(swamp):
    """Equal, empty, long and unprintable items each have a step of their own, whose name is printable and short."""
    odd = [
        "a",
        "a",
        "a\n",
        "a\nb",
        "",
        " ",
        "x" * 200,
        "x" * 200,
        "x" * 201,
        1,
        1.0,
        True,
        None,
        [],
        {"a": "\u001b[31m"},
    ]
    release = begun(swamp, EACH, odd)
    names = [name for name in statuses(release.ran["run"]) if name != "after"]
    assert release.ran["run"]["status"] == "succeeded"
    assert len(names) == len(odd)
    assert all(name.isprintable() and len(name) <= 128 for name in names)
    assert list(statuses(release.history(release.run_id)["run"])) == [*names, "after"]
    swamp("workflow", "history", "get", release.run_id)


@pytest.mark.parametrize("wrong", ["eu", 3, None])
def test_what_has_no_items_fails_the_step(swamp, wrong):
    """A forEach over something that is no list and no mapping fails with `invalid_items`, and nothing is run."""
    release = begun(swamp, EACH, wrong)
    steps = steps_of(release.ran["run"])
    assert (steps["ship"]["status"], steps["ship"]["error"]["code"]) == ("failed", "invalid_items")
    assert release.ran["run"]["status"] == "failed"


def test_one_failed_item_fails_the_step_and_the_others_are_kept(swamp):
    """Dependents see one status for all items; a retry runs the failed item again, and no other."""
    release = begun(swamp, EACH.replace("methodName: tell", "methodName: try", 1), ["eu", "us"])
    failed = release.ran["run"]
    assert (failed["status"], told(failed, "after")["status"]) == ("failed", "failed")
    assert statuses(failed) == {"ship[eu]": "succeeded", "ship[us]": "failed", "after": "succeeded"}
    swamp.write("mended", "")
    run = release.resume("--run", failed["id"])["run"]
    assert set(statuses(run).values()) | {run["status"]} == {"succeeded"}
    assert (release.done(), told(run, "after")["status"]) == ({"ship[eu]": 1, "ship[us]": 2}, "succeeded")


BOUNDED = """
{workflow}
jobs:
  - name: one
    {job}
    steps:
      - name: meet
        {step}
        forEach: {{ item: n, in: [1, 2, 3, 4, 5, 6] }}
        task: {{ type: model_method, modelIdOrName: release, methodName: meet, inputs: {{ n: "${{{{ self.n }}}}" }} }}
"""
MEET = 'type: model_method, modelIdOrName: release, methodName: meet, inputs: { n: "${{ self.n }}" }'
LEVELS = ("workflow", "job", "step", "environment")


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("level", LEVELS)
def test_no_more_steps_run_at_a_time_than_are_allowed(swamp, level, limit):
    """`concurrency` of a workflow, a job and a step, and the ceiling of a process, hold at every moment."""
    bounds = {each: f"concurrency: {limit}" if each == level else "" for each in LEVELS}
    swamp.write("workflows/release.yaml", BOUNDED.format(**bounds))
    swamp.write("models/release.yaml", MEETING)
    (swamp.directory / "here").mkdir()
    bounded = swamp.at(
        swamp.directory, **({"SWAMP_MAX_CONCURRENT_STEPS": str(limit)} if level == "environment" else {})
    )
    run = bounded.json("workflow", "run", "release")["run"]
    assert set(statuses(run).values()) == {"succeeded"}
    assert max(map(int, (swamp.directory / "seen").read_text().split())) <= limit


def test_two_may_run_at_a_time_where_two_are_allowed(swamp):
    """Two items of which each ends only beside the other both run: the bound is not one."""
    swamp.write("workflows/release.yaml", BOUNDED.format(workflow="", job="", step="concurrency: 2"))
    swamp.write("models/release.yaml", PAIRING)
    os.mkfifo(swamp.directory / "pair")
    run = swamp.json("workflow", "run", "release")["run"]
    assert set(statuses(run).values()) == {"succeeded"}


def test_a_wait_is_no_step_that_runs(swamp):
    """Six waits are open at once under a bound of one."""
    bounds = dict.fromkeys(LEVELS, "concurrency: 1")
    workflow = BOUNDED.format(**bounds).replace(MEET, "type: wait_for_signal, timeout: 1h")
    swamp.write("workflows/release.yaml", workflow)
    assert len(swamp.json("workflow", "run", "release")["waits"]) == 6


@pytest.mark.parametrize("bound", ["0", "many", "-1", "1025", "٣"])
def test_a_bound_that_is_none_is_refused_before_a_run_is_touched(suspended, bound):
    """Neither a start nor a resume leaves a run behind that nobody drives."""
    suspended.signal(suspended.wait_id)
    before = suspended.swamp.stored()
    swamp = suspended.swamp.at(suspended.directory, SWAMP_MAX_CONCURRENT_STEPS=bound)
    for command in (("run", "release"), ("resume", suspended.run_id)):
        assert swamp.json("workflow", *command, code=3)["error"]["code"] == "invalid_input"
    assert suspended.swamp.stored() == before
    assert (
        swamp.at(swamp.directory, SWAMP_MAX_CONCURRENT_STEPS="").json("workflow", "resume", suspended.run_id)[
            "run"
        ]["status"]
        == "succeeded"
    )
