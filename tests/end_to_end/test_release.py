"""The main loop: a release waits for a verdict, anybody gives it, and the run goes on by what was said."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tests.end_to_end.releases import FIX, SHIP, new_release, statuses, steps_of

EXAMPLE = Path(__file__).parents[2] / "examples/release"
READ_BACK = """
jobs:
  - name: release
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 24h } }
"""


def test_the_workflow_of_the_readme_suspends_and_tells_the_wait_in_text(swamp):
    """`run` ends with 0 when the run waits, and says the wait, the run, and the commands that signal and resume."""
    for name in ("workflows/release.yaml", "models/release.yaml"):
        swamp.write(name, (EXAMPLE / name).read_text())
    ran = swamp("workflow", "run", "release")
    (wait,) = swamp.json("workflow", "waits")["waits"]
    facts = dict(line.split(maxsplit=1) for line in ran.out.splitlines() if line.startswith("  "))
    assert "The run of release is suspended.\n" in ran.out
    assert (facts["wait"], facts["run"]) == (wait["waitId"], wait["runId"])
    signal_it, resume_it = ran.commands
    assert signal_it.startswith(f"swamp workflow signal {wait['waitId']} --payload ")
    assert resume_it == f"swamp workflow resume {wait['runId']}"


def test_a_run_that_waits_is_told_as_json(release):
    """`run --json` ends with 0 and one document: the suspended run, and its wait as `waits` lists it."""
    ran = release.run()
    assert ran["run"]["status"] == "suspended"
    assert statuses(ran["run"]) == {"review": "waiting", "ship": "pending", "escalate": "pending"}
    assert ran["waits"] == release.swamp.json("workflow", "waits")["waits"]
    assert steps_of(ran["run"])["review"]["waitId"] == ran["waits"][0]["waitId"]


def test_waits_tells_all_that_a_sender_needs(suspended):
    """`waits` lists ID, workflow, run, job, step, deadline, schema and next command, to programs and to people."""
    (run,) = suspended.swamp.json("workflow", "history", "list")["runs"]
    (wait,) = suspended.swamp.json("workflow", "waits")["waits"]
    named = {name: wait[name] for name in ("workflow", "runId", "job", "step", "kind", "expired")}
    assert named == {
        "workflow": "release",
        "runId": run["id"],
        "job": "release",
        "step": "review",
        "kind": "signal",
        "expired": False,
    }
    opened, deadline = (datetime.fromisoformat(wait[name]) for name in ("openedAt", "deadline"))
    assert deadline - opened == timedelta(hours=24)
    assert wait["schema"] == {
        "properties": {"verdict": {"enum": ["ship", "fix", "abandon"]}},
        "required": ["verdict"],
    }
    assert wait["nextCommand"] == f"swamp workflow signal {wait['waitId']} --payload '{SHIP}'"
    text = suspended.swamp("workflow", "waits")
    for part in ("release/review of release", wait["waitId"], wait["runId"], json.dumps(wait["schema"])):
        assert part in text.out
    assert f"until {deadline:%Y-%m-%d %H:%M:%S} UTC" in text.out
    assert text.commands == [wait["nextCommand"]]


def test_waits_can_be_asked_for_one_workflow(suspended):
    """`waits --workflow` lists the waits of that workflow and no other."""
    suspended.swamp.write("workflows/other.yaml", READ_BACK)
    suspended.swamp("workflow", "run", "other")
    names = ("release", "other", "nobody")
    listed = [suspended.swamp.json("workflow", "waits", "--workflow", name)["waits"] for name in names]
    assert [[wait["workflow"] for wait in waits] for waits in listed] == [["release"], ["other"], []]


@pytest.mark.parametrize(
    ("payload", "ship", "done"), [(SHIP, "succeeded", {"ship": 1}), (FIX, "skipped", {})]
)
def test_the_payload_selects_the_branch(suspended, payload, ship, done):
    """The guard reads the payload that was sent: a verdict to ship ships once, another does not."""
    suspended.signal(suspended.wait_id, payload)
    run = suspended.resume()["run"]
    assert run["status"] == "succeeded"
    assert statuses(run) == {"review": "succeeded", "ship": ship, "escalate": "skipped"}
    assert suspended.done() == done
    assert suspended.waits() == []


def test_a_signal_can_resume_the_run_by_itself(suspended):
    """`signal --resume` stores the receipt and drives the run to its end, in one command."""
    accepted = suspended.signal(suspended.wait_id, SHIP, "--resume")
    assert (accepted["status"], accepted["awaitingResume"]) == ("accepted", False)
    assert (accepted["run"]["status"], suspended.done()) == ("succeeded", {"ship": 1})


# As Python reads it back: 1 and 1.0 are equal there, so values are compared with their types, and members in order.
ODD = (
    '{"z":1,"a":1.0,"big":9223372036854775807,"small":-9223372036854775808,"e":1e+100,"tiny":5e-324,"minus":-0.0,'
    '"no":false,"nothing":null,"list":[1,2.5,{"y":[],"b":{}}],"text":"\\u0000 é 😀 \\" ${{ inputs.x }} $(id)","":0}'
)


def exactly(value):
    """The value with the types of its numbers and the order of its members."""
    if isinstance(value, dict):
        return [(name, exactly(each)) for name, each in value.items()]
    if isinstance(value, list):
        return [exactly(each) for each in value]
    return type(value), repr(value)


def test_outputs_are_the_payload_as_it_was_sent_and_the_receipt(swamp):
    """Outputs are exactly `{payload, signal}`; members keep their order, and integers and floats what they are."""
    release = new_release(swamp, READ_BACK)
    wait_id = release.run()["waits"][0]["waitId"]
    receipt = release.signal(wait_id, ODD, "--idempotency-key", "build-7")["receipt"]
    assert list(receipt) == ["id", "waitId", "receivedAt", "takenAt", "submittedBy", "idempotencyKey"]
    assert (receipt["waitId"], receipt["idempotencyKey"]) == (wait_id, "build-7")
    run = release.resume()["run"]
    outputs = steps_of(run)["review"]["outputs"]
    assert exactly(outputs["payload"]) == exactly(json.loads(ODD))
    assert outputs["signal"] == {
        name: receipt[name] for name in ("id", "waitId", "receivedAt", "submittedBy")
    }
    assert list(outputs) == ["payload", "signal"]
    assert steps_of(release.history(run["id"])["run"])["review"]["outputs"] == outputs


def test_a_receipt_says_who_and_when(suspended):
    """The receipt names the user of the sender and the instant on the sender's clock."""
    instant = suspended.ran["waits"][0]["openedAt"]
    receipt = suspended.signal(suspended.wait_id, user="mara", now=instant)["receipt"]
    assert (receipt["submittedBy"], receipt["receivedAt"]) == ("mara", instant)


@pytest.mark.parametrize("signalled", [False, True])
def test_a_new_run_leaves_one_that_waits_alone(suspended, signalled):
    """`run` keeps a run with a wait, open or signalled and not yet resumed, says so, and both go on on their own."""
    first = suspended.ran["waits"][0]
    if signalled:
        suspended.signal(first["waitId"])
    second = suspended.run()
    (kept,) = second["kept"]
    assert (kept["runId"], kept["waitIds"]) == (first["runId"], [first["waitId"]])
    assert second["superseded"] == []
    assert suspended.history(first["runId"])["run"]["status"] == "suspended"
    if not signalled:
        suspended.signal(first["waitId"])
    suspended.signal(second["waits"][0]["waitId"], FIX)
    refused = suspended.resume(code=3)
    assert refused["code"] == "ambiguous_run"
    assert sorted(refused["details"]["runIds"]) == sorted([first["runId"], second["run"]["id"]])
    ends = [
        suspended.swamp.json("workflow", "resume", run_id)["run"]
        for run_id in (first["runId"], second["run"]["id"])
    ]
    assert [statuses(run)["ship"] for run in ends] == ["succeeded", "skipped"]


def test_a_kept_run_is_told_to_people(suspended):
    """`run` says in text which earlier run it left alone."""
    ran = suspended.swamp("workflow", "run", "release")
    assert "An earlier run of release was left alone. It waits for a signal" in ran.out
    assert suspended.run_id in ran.out.splitlines()
