"""A gate is decided once, by whoever may reach the store: approved it lets the run go on, rejected it ends the run."""

import os
import signal

import pytest

from tests.end_to_end.releases import Release, of, statuses, steps_of

WORKFLOW = """
jobs:
  - name: release
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 24h } }
      - name: sign-off
        task: { type: manual_approval, prompt: "Ship ${{ run.workflow }}?", timeout: 1h }
      - name: ship
        dependsOn: [review, sign-off]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
ALONE = """
jobs:
  - name: release
    steps:
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?" } }
      - name: ship
        dependsOn: [sign-off]
        task: { type: model_method, modelIdOrName: release, methodName: count }
      - name: excuse
        dependsOn: [{ step: sign-off, condition: { type: failed } }]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
TWO_JOBS = """
jobs:
  - { name: eu, steps: [{ name: sign-off, task: { type: manual_approval, prompt: "Ship to the EU?" } }] }
  - { name: us, steps: [{ name: sign-off, task: { type: manual_approval, prompt: "Ship to the US?" } }] }
"""
IN_TURN = """
jobs:
  - name: release
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 24h } }
      - { name: sign-off, dependsOn: [review], task: { type: manual_approval, prompt: "Ship?" } }
"""
HOLDING = """
jobs:
  - name: release
    steps:
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?" } }
      - { name: notes, task: { type: model_method, modelIdOrName: release, methodName: hold } }
"""
NOON, SOON, LATER = "2026-07-27T12:00:00Z", "2026-07-27T12:59:59.999Z", "2026-07-27T13:00:00Z"
OUTCOME, ENTRY = "put_if_absent:wait-outcomes/*:1", "put_if_absent:runs/*:1"


def begun(release, workflow=WORKFLOW, **world):
    """A repo in which a run of the workflow has been left as it waits."""
    release.swamp.write("workflows/release.yaml", workflow)
    return Release(release.swamp, release.run(**world))


@pytest.fixture
def gated(release):
    """A run that waits for an approval and, beside it, for a signal."""
    return begun(release)


@pytest.fixture
def alone(release):
    """A run that waits for an approval only."""
    return begun(release, ALONE)


def decide(gated, verb, step, *options, run="release", **world):
    """Approve or reject a gate, and give the document; `code=3` gives the error."""
    document = gated.swamp.json("workflow", verb, run, step, *options, **world)
    return document.get("error", document)


def approve(gated, step="sign-off", *options, **world):
    return decide(gated, "approve", step, *options, **world)


def reject(gated, step="sign-off", *options, code=0, **world):
    return decide(gated, "reject", step, *options, code=code, **world)


def approvals(gated, *options, **world):
    """The undecided gates."""
    if world:
        return gated.swamp.json("workflow", "approvals", *options, **world)["waits"]
    return gated.swamp.here("workflow", "approvals", *options, "--json").json["waits"]


def wait_of(gated, kind):
    """The ID of the run's first wait of the kind."""
    return next(wait["waitId"] for wait in gated.ran["waits"] if wait["kind"] == kind)


def test_rejecting_a_gate_beside_an_open_wait_leaves_no_step_waiting(gated):
    """The run fails at once, with who rejected it and why; the wait is closed and nothing more is run."""
    result = reject(gated, "sign-off", "--reason", "the build is red", user="mara")
    run = result["run"]
    assert (run["status"], result["waits"]) == ("failed", [])
    assert statuses(run) == {"review": "failed", "sign-off": "failed", "ship": "skipped"}
    codes = {name: step["error"]["code"] for name, step in steps_of(run).items() if step["error"]}
    assert codes == {"sign-off": "approval_rejected", "review": "cancelled"}
    assert "mara" in steps_of(run)["sign-off"]["error"]["message"]
    assert "the build is red" in steps_of(run)["sign-off"]["error"]["message"]
    assert (gated.waits(), approvals(gated), gated.done()) == ([], [], {})
    events = gated.history(run["id"])["events"]
    (rejected,) = [event for event in events if event["event"] == "gate_rejected"]
    assert (rejected["by"], rejected["reason"], of(events)["run_finished"]) == ("mara", "the build is red", 1)
    assert gated.signal(wait_of(gated, "signal"), "{}", code=3)["code"] == "closed"
    assert gated.resume(code=3)["code"] == "not_resumable"


def test_approving_a_gate_does_not_release_an_open_wait(gated):
    """The wait stays open beside an approved gate, and cannot be approved itself; its signal lets the run go on."""
    result = approve(gated)
    assert [wait["step"] for wait in result["waits"]] == ["review"]
    assert approvals(gated) == []
    assert [wait["step"] for wait in gated.waits()] == ["review"]
    refused = approve(gated, "review", code=3)
    assert (refused["code"], "signal" in refused["message"]) == ("unknown_step", True)
    assert approve(gated, wait_of(gated, "signal"), code=3)["code"] == "unknown_step"
    assert [wait["step"] for wait in gated.waits()] == ["review"]
    assert gated.resume(code=3)["code"] == "wait_open"
    gated.signal(wait_of(gated, "signal"), "{}")
    assert (gated.resume()["run"]["status"], gated.done()) == ("succeeded", {"ship": 1})


def test_signalling_a_wait_does_not_decide_a_gate(gated):
    """A gate takes no signal, and stays undecided when the wait beside it is settled."""
    assert gated.signal(wait_of(gated, "approval"), "{}", code=3)["code"] == "unknown_wait"
    gated.signal(wait_of(gated, "signal"), "{}")
    assert gated.resume(code=3)["code"] == "gate_undecided"
    assert [wait["step"] for wait in approvals(gated)] == ["sign-off"]
    approve(gated)
    assert gated.resume()["run"]["status"] == "succeeded"


def test_the_decision_becomes_the_output_of_the_step(alone):
    """The steps after an approved gate may read who approved it and when."""
    approve(alone, user="mara", now=NOON)
    run = alone.resume()["run"]
    decision = steps_of(run)["sign-off"]["outputs"]["decision"]
    assert (decision["by"], decision["at"]) == ("mara", "2026-07-27T12:00:00.000Z")
    assert statuses(run) == {"sign-off": "succeeded", "ship": "succeeded", "excuse": "skipped"}


def test_a_rejection_runs_no_handler(alone):
    """A rejection ends the run at once: not even a step that waits for the gate's failure is run."""
    assert statuses(reject(alone)["run"]) == {"sign-off": "failed", "ship": "skipped", "excuse": "skipped"}
    assert alone.done() == {}


def test_the_undecided_gates_are_listed_apart_from_the_waits(gated):
    """`waits` lists what takes a signal and `approvals` what takes a decision, each with the command for it."""
    (wait,), (gate,) = gated.waits(), approvals(gated)
    assert (wait["kind"], gate["kind"], gate["prompt"]) == ("signal", "approval", "Ship release?")
    command = f"swamp workflow approve release {gate['waitId']} --run {gated.run_id}"
    assert gate["nextCommand"].startswith(command)
    assert approvals(gated, "--workflow", "other") == []
    listed = gated.swamp.here("workflow", "approvals", "--workflow", "other").out
    assert listed.startswith("No gate of other is undecided.\n")


def test_a_second_decision_is_refused_and_shown_the_first(alone):
    """Whoever decides second learns who decided first, when, and what, before the resume and after the end."""
    approve(alone, user="ada", now=NOON)
    before = alone.swamp.stored()
    refused = reject(alone, "sign-off", "--reason", "no", code=3, user="bob")
    assert (refused["code"], refused["details"]["outcome"]) == ("already_decided", "approved")
    assert "approved already, by ada at 2026-07-27T12:00:00.000Z" in refused["message"]
    assert (refused["details"]["decision"]["by"], refused["details"]["waitId"]) == ("ada", alone.wait_id)
    assert alone.swamp.stored() == before
    alone.resume()
    for step in ("sign-off", "release/sign-off", alone.wait_id):
        again = approve(alone, step, code=3, user="bob")
        assert (again["code"], again["details"]["decision"]["by"]) == ("already_decided", "ada")


def test_a_rejection_is_shown_with_its_reason(alone):
    """An approval that comes after a rejection is told why it was rejected, and changes nothing."""
    reject(alone, "sign-off", "--reason", "the build is red")
    refused = approve(alone, code=3)
    assert (refused["code"], refused["details"]["outcome"]) == ("already_decided", "rejected")
    assert refused["message"].endswith(": the build is red")


def test_of_decisions_at_once_one_is_made(alone):
    """Of an approval and a rejection at the same moment one wins, and the run goes as that one says."""
    verbs = ["approve", "reject", "approve", "reject"]
    deciding = [
        alone.swamp.start(
            "workflow", verb, "release", "sign-off", "--json", user=f"{verb}-{number}", ids=number
        )
        for number, verb in enumerate(verbs)
    ]
    ended = [alone.swamp.finished(process, code=None) for process in deciding]
    winners = [verb for verb, each in zip(verbs, ended, strict=True) if each.code != 3]
    assert len(winners) == 1, [each.out for each in ended]
    assert {each.json["error"]["code"] for each in ended if each.code == 3} == {"already_decided"}
    if winners == ["approve"]:
        alone.resume()
    assert alone.done() == ({"ship": 1} if winners == ["approve"] else {})


def test_an_expired_gate_cannot_be_decided_and_a_resume_fails_it(release):
    """From its deadline on a gate is listed as expired and decided no more; saying so settles nothing."""
    gated = begun(release, WORKFLOW.replace("24h", "1h"), now=NOON)
    before = gated.swamp.stored()
    (listed,) = approvals(gated, now=LATER)
    assert (listed["expired"], listed["nextCommand"]) == (True, f"swamp workflow resume {gated.run_id}")
    for verb in ("approve", "reject"):
        refused = decide(gated, verb, "sign-off", now=LATER, code=3)
        assert (refused["code"], "2026-07-27T13:00:00.000Z" in refused["message"]) == ("gate_expired", True)
        assert refused["hint"].splitlines()[-1] == f"swamp workflow resume {gated.run_id}"
    assert gated.swamp.stored() == before
    run = gated.resume(now=LATER, code=1)["run"]
    codes = {name: step["error"]["code"] for name, step in steps_of(run).items() if step["error"]}
    assert (run["status"], codes) == ("failed", {"review": "wait_timeout", "sign-off": "approval_timeout"})
    assert approve(gated, now=NOON, code=3)["code"] == "gate_expired"


def test_a_decision_before_the_deadline_holds_after_it(release):
    """The last millisecond is in time, and the approval is applied however late the resume comes."""
    gated = begun(release, ALONE.replace('"Ship?"', '"Ship?", timeout: 1h'), now=NOON)
    approve(gated, now=SOON)
    assert gated.resume(now="2026-07-30T12:00:00Z")["run"]["status"] == "succeeded"


def test_a_gate_without_a_timeout_stays_open(alone):
    """A gate may wait for as long as it takes."""
    (gate,) = approvals(alone, now="2036-07-27T12:00:00Z")
    assert (gate["deadline"], gate["expired"]) == (None, False)
    approve(alone, now="2036-07-27T12:00:00Z")
    assert alone.resume(now="2036-07-27T12:00:00Z")["run"]["status"] == "succeeded"


def test_a_gate_of_a_cancelled_run_is_closed(alone):
    """`cancel` closes the gates of the run, and no decision is taken after it."""
    run = alone.swamp.json("workflow", "cancel", "release")["run"]
    assert steps_of(run)["sign-off"]["error"]["code"] == "cancelled"
    assert approve(alone, code=3)["code"] == "closed"
    assert approvals(alone) == []


def test_a_step_of_two_jobs_is_named_with_its_job(release):
    """A name that two gates have is refused, naming both; `JOB/STEP` tells them apart."""
    gated = begun(release, TWO_JOBS)
    refused = approve(gated, code=3)
    assert refused["code"] == "ambiguous_step"
    assert {(gate["job"], gate["step"]) for gate in refused["details"]["gates"]} == {
        ("eu", "sign-off"),
        ("us", "sign-off"),
    }
    assert all(f"{job}/sign-off" in refused["message"] for job in ("eu", "us"))
    assert [wait["job"] for wait in approve(gated, "us/sign-off")["waits"]] == ["eu"]
    jobs = {job["name"]: job["steps"][0] for job in reject(gated, "eu/sign-off")["run"]["jobs"]}
    codes = {name: step["error"] and step["error"]["code"] for name, step in jobs.items()}
    assert codes["eu"] == "approval_rejected"


def test_an_unknown_step_is_answered_with_the_gate_that_was_meant(gated):
    """A misspelt gate is suggested; a step of another kind is said to be none; one that is not there yet, so."""
    assert "did you mean `sign-off`?" in approve(gated, "signoff", code=3)["message"]
    assert "is no gate" in approve(gated, "ship", code=3)["message"]


def test_a_gate_is_not_decided_before_it_is_reached(release):
    """A gate behind a wait is said to be pending, and can be decided once the run has come to it."""
    gated = begun(release, IN_TURN)
    refused = approve(gated, code=3)
    assert (refused["code"], "is not open: the step is pending" in refused["message"]) == (
        "unknown_step",
        True,
    )
    gated.signal(gated.wait_id, "{}")
    gated.resume()
    approve(gated)
    assert gated.resume()["run"]["status"] == "succeeded"


def test_of_several_runs_the_one_that_has_the_gate_undecided_is_meant(release):
    """With two runs the name alone is ambiguous until one of their gates is decided."""
    first = begun(release, f"inputs: {{ properties: {{ n: {{ type: integer }} }} }}{ALONE}")
    second = first.run("--input", "n=2")["run"]["id"]  # It has other inputs, so it supersedes nothing.
    refused = approve(first, code=3)
    assert (refused["code"], refused["details"]["runIds"]) == ("ambiguous_run", [first.run_id, second])
    assert approve(first, "sign-off", "--run", first.run_id)["run"]["id"] == first.run_id
    assert approve(first, "sign-off")["run"]["id"] == second


def test_a_rejection_reaches_a_driver_in_the_middle_of_a_step(release, held):
    """A rejection is recorded at once; the process that drives the run ends its step and the run within seconds."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    release.swamp.told(driver, "release/sign-off waits for")
    step = held.met()
    recorded = reject(release, code=0, user="mara")
    assert recorded["run"]["status"] == "running"
    driven = release.swamp.finished(driver, code=1)
    assert "The run of release failed." in driven.out
    with pytest.raises(ProcessLookupError):
        os.killpg(step, 0)
    run = release.history(recorded["run"]["id"])["run"]
    assert statuses(run) == {"sign-off": "failed", "notes": "failed"}
    assert steps_of(run)["sign-off"]["error"]["code"] == "approval_rejected"


def test_an_approval_is_taken_up_by_a_driver_that_is_not_done(release, held):
    """A gate that is approved while its run is driven needs no resume."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    release.swamp.told(driver, "release/sign-off waits for")
    held.met()
    told = release.swamp("workflow", "approve", "release", "sign-off")
    assert "takes it up by itself" in told.out
    held.goes_on()
    assert "The run of release succeeded." in release.swamp.finished(driver).out


@pytest.mark.parametrize("stop", [f"{OUTCOME}:after:kill", f"{ENTRY}:before:kill", f"{ENTRY}:after:kill"])
@pytest.mark.parametrize("completes", ["resume", "reject", "cancel"])
def test_a_rejection_that_is_cut_off_is_completed(alone, stop, completes):
    """Once the outcome is stored the run ends as rejected, by a resume or by a repeat; nothing is run any more."""
    process = alone.swamp.start("workflow", "reject", "release", "sign-off", stop=stop, user="mara")
    assert alone.swamp.finished(process, code=None).code == -signal.SIGKILL
    if completes == "reject":
        assert reject(alone, code=3)["code"] == "already_decided"
    else:
        alone.swamp("workflow", completes, "release", code=None)
    run = alone.history(alone.run_id)["run"]
    ended_by_cancel = completes == "cancel" and not stop.startswith(f"{ENTRY}:after")
    assert run["status"] == ("cancelled" if ended_by_cancel else "failed")
    assert (set(statuses(run).values()), alone.done()) == ({"failed", "skipped"}, {})
    assert approve(alone, code=3)["details"]["decision"]["by"] == "mara"


def test_what_is_printed_finishes_the_loop(alone):
    """Pasting the commands that `approvals` and `approve` print brings the run to its end."""
    listed = alone.swamp("workflow", "approvals")
    approved = alone.swamp.pasted(listed.commands[0])
    assert "release/sign-off of release is approved." in approved.out
    resumed = alone.swamp.pasted(approved.commands[-1])
    assert "The run of release succeeded." in resumed.out


def test_what_run_prints_at_a_gate_finishes_the_loop(release):
    """`run` names the command that approves the gate, and the one that goes on after it."""
    release.swamp.write("workflows/release.yaml", ALONE)
    ran = release.swamp("workflow", "run", "release")
    assert [release.swamp.pasted(command).code for command in ran.commands] == [0, 0]
    assert release.done() == {"ship": 1}


def test_approve_may_resume(alone):
    """`approve --resume` brings the run to its end; one that waits for more stays as it is, and that is no error."""
    result = approve(alone, "sign-off", "--resume")
    assert (result["run"]["status"], alone.done()) == ("succeeded", {"ship": 1})


def test_an_approval_whose_resume_is_refused_stands(gated):
    """Beside an open wait the approval is recorded, and `--resume` says what is waited for."""
    ended = gated.swamp("workflow", "approve", "release", "sign-off", "--resume")
    assert "release/sign-off of release is approved." in ended.out
    assert "The run was not resumed." in ended.err
    assert approvals(gated) == []


def test_a_dry_run_says_what_would_become_of_a_signal(gated):
    """`signal --dry-run` accepts and refuses as `signal` does, and writes nothing."""
    before = gated.swamp.stored()
    wait_id = wait_of(gated, "signal")
    would = gated.signal(wait_id, "{}", "--dry-run")
    assert (would["status"], would["waitId"], would["receipt"]) == ("would_accept", wait_id, None)
    assert gated.signal(wait_id, "[]", "--dry-run", code=3)["code"] == "invalid_payload"
    assert gated.signal(wait_of(gated, "approval"), "{}", "--dry-run", code=3)["code"] == "unknown_wait"
    assert gated.swamp.stored() == before
    receipt = gated.signal(wait_id, "{}", "--idempotency-key", "k")["receipt"]
    after = gated.swamp.stored()
    again = gated.signal(wait_id, "{}", "--idempotency-key", "k", "--dry-run")
    assert (again["status"], again["receipt"]) == ("would_repeat", receipt)
    assert gated.signal(wait_id, "{}", "--dry-run", code=3)["code"] == "already_settled"
    assert gated.swamp.stored() == after
