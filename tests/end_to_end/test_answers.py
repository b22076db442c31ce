"""Every answer that a wait was given is in the history of its run, with who gave it and when, whatever became of it."""

import pytest

from tests.end_to_end.releases import Release, of, statuses, steps_of

GATE = """
inputs: { properties: { env: { type: string } } }
jobs:
  - { name: g, steps: [{ name: ok, task: { type: manual_approval, prompt: "Ship?" } }] }
"""
WAIT = "jobs: [{ name: g, steps: [{ name: ok, task: { type: wait_for_signal, timeout: 24h } }] }]\n"
NOON, LATER, LAST = "2026-07-27T12:00:00Z", "2026-07-27T13:00:00Z", "2026-07-27T14:00:00Z"
AT_NOON = "2026-07-27T12:00:00.000Z"
APPROVE, SIGNAL = ("approve", "release", "ok"), ("signal", "--payload", '{"n":1}')


def answered(release, how):
    """A run at whose only wait Ada gave an answer at noon, and which was not resumed."""
    release.swamp.write("workflows/release.yaml", GATE if how == "approved" else WAIT)
    begun = Release(release.swamp, release.run(now="2026-07-27T11:00:00Z", ids=1))
    command = APPROVE if how == "approved" else (SIGNAL[0], begun.wait_id, *SIGNAL[1:])
    release.swamp("workflow", *command, now=NOON, ids=2, user="ada")
    return begun


def told(begun, **world):
    """The timeline as a person sees it."""
    return begun.swamp("workflow", "history", "get", begun.run_id, **world).out


ANSWERS = {"approved": "ada approved g/ok", "accepted": 'ada signalled g/ok: {"n": 1}'}


@pytest.mark.parametrize("how", sorted(ANSWERS))
def test_an_answer_is_told_before_the_run_takes_it_up(release, how):
    """The step still waits, since nothing was resumed; the answer is told as pending, with the command to go on."""
    begun = answered(release, how)
    history = begun.history(begun.run_id, now=LATER)
    assert statuses(history["run"]) == {"ok": "waiting"}
    (outcome,) = history["outcomes"]
    assert {key: outcome[key] for key in ("waitId", "result", "by", "at", "use")} == {
        "waitId": begun.wait_id,
        "result": how,
        "by": "ada",
        "at": AT_NOON,
        "use": "pending",
    }
    text = told(begun, now=LATER)
    (line,) = [each for each in text.splitlines() if ANSWERS[how] in each]
    assert line.startswith("2026-07-27 12:00:00")
    assert line.endswith("(not taken up yet)")
    assert text.splitlines()[-1].startswith(f"swamp workflow resume {begun.run_id}")


@pytest.mark.parametrize("how", sorted(ANSWERS))
def test_an_answer_outlives_the_cancel_of_its_run(release, how):
    """A cancel takes up what was answered before it: the step has succeeded, and everybody sees by whom and when."""
    begun = answered(release, how)
    begun.swamp.json("workflow", "cancel", "release", now=LATER, user="bob")
    history = begun.history(begun.run_id, now=LAST)
    assert (history["run"]["status"], statuses(history["run"])) == ("cancelled", {"ok": "succeeded"})
    assert [(each["result"], each["by"], each["at"], each["use"]) for each in history["outcomes"]] == [
        (how, "ada", AT_NOON, "applied")
    ]
    lines = told(begun, now=LAST).splitlines()
    (at,) = [number for number, line in enumerate(lines) if " ada" in line]
    assert "at 2026-07-27 12:00:00 UTC" in lines[at]
    assert any("bob asked for the end" in line for line in lines[:at])


BESIDE = """
jobs:
  - name: release
    steps:
      - { name: review, task: { type: wait_for_signal, timeout: 24h } }
      - { name: sign-off, task: { type: manual_approval, prompt: "Ship?" } }
      - { name: other, task: { type: wait_for_signal, timeout: 24h } }
"""


@pytest.mark.parametrize("how", ["reject", "cancel", "reject, killed", "cancel, killed"])
def test_whoever_ends_a_run_takes_up_the_signal_beside_the_gate(release, how):
    """The payload is the output of the step, killed in between or not; only what nobody answered is closed."""
    release.swamp.write("workflows/release.yaml", BESIDE)
    begun = Release(release.swamp, release.run())
    wait_id = next(wait["waitId"] for wait in begun.ran["waits"] if wait["step"] == "review")
    release.swamp.json("workflow", "signal", wait_id, "--payload", '{"n":1}')
    command = ("reject", "release", "sign-off") if "reject" in how else ("cancel", "release")
    if "killed" in how:
        release.swamp("workflow", *command, stop="put_if_absent:wait-outcomes/*:1:after:kill", code=-9)
        command = ("resume", begun.run_id) if "reject" in how else command
    release.swamp("workflow", *command, code=None)
    run = begun.history(begun.run_id)["run"]
    codes = {name: step["error"] and step["error"]["code"] for name, step in steps_of(run).items()}
    gate = "approval_rejected" if "reject" in how else "cancelled"
    assert codes == {"review": None, "sign-off": gate, "other": "cancelled"}
    assert steps_of(run)["review"]["outputs"]["payload"] == {"n": 1}
    (line,) = [line for line in told(begun).splitlines() if '{"n": 1}' in line]
    assert "release/review took the signal of" in line


@pytest.mark.parametrize("how", sorted(ANSWERS))
def test_an_answer_is_told_with_its_own_time_once_it_is_taken_up(release, how):
    """The journal's time is that of the resume; the answer's own one and its giver are told beside it, and once."""
    begun = answered(release, how)
    begun.resume(now=LATER, user="bob")
    (outcome,) = begun.history(begun.run_id, now=LAST)["outcomes"]
    assert (outcome["by"], outcome["at"], outcome["use"]) == ("ada", AT_NOON, "applied")
    (line,) = [line for line in told(begun, now=LAST).splitlines() if " ada" in line]
    assert line.startswith("2026-07-27 13:00:00")
    assert "at 2026-07-27 12:00:00 UTC" in line


def test_a_rejection_is_told_once_with_who_and_why(release):
    """A rejection is in the journal at once; the history has it as applied, and tells it in one line."""
    release.swamp.write("workflows/release.yaml", GATE)
    begun = Release(release.swamp, release.run(now=NOON, ids=1))
    begun.swamp.json("workflow", "reject", "release", "ok", "--reason", "no", now=LATER, user="ada", ids=2)
    (outcome,) = begun.history(begun.run_id, now=LAST)["outcomes"]
    assert (outcome["result"], outcome["by"], outcome["reason"], outcome["use"]) == (
        "rejected",
        "ada",
        "no",
        "applied",
    )
    assert told(begun, now=LAST).count("ada rejected g/ok: no") == 1


def test_a_rejection_that_was_cut_off_is_told(release):
    """Killed between the outcome and the journal, a rejection stands; the history has it before the run is ended."""
    release.swamp.write("workflows/release.yaml", GATE)
    begun = Release(release.swamp, release.run(now=NOON, ids=1))
    stop = "put_if_absent:wait-outcomes/*:1:after:kill"
    begun.swamp("workflow", "reject", "release", "ok", now=LATER, user="ada", ids=2, stop=stop, code=-9)
    assert [each["use"] for each in begun.history(begun.run_id, now=LATER)["outcomes"]] == ["pending"]
    assert "ada rejected g/ok (not taken up yet)" in told(begun, now=LATER)
    begun.resume(now=LAST, code=1)
    assert "ada rejected g/ok at 2026-07-27 13:00:00 UTC" in told(begun, now=LAST)
    assert of(begun.history(begun.run_id, now=LAST)["events"])["gate_rejected"] == 1


def test_a_history_reads_the_outcomes_of_waits_that_are_not_taken_up_alone(release, tmp_path):
    """At most two requests for each wait that the run has not applied: what it was given, and whether it goes on."""
    begun = answered(release, "approved")
    other = release.run("--input", "env=dev")["run"]["id"]
    log = tmp_path / "requests"
    begun.swamp.json("workflow", "history", "get", begun.run_id, requests=log)
    assert 1 <= log.read_text().count(f"wait-outcomes/{begun.wait_id}") <= 2
    assert log.read_text().count("wait-outcomes/") <= 2
    begun.swamp.json("workflow", "resume", begun.run_id)
    log.unlink()
    begun.swamp.json("workflow", "history", "get", begun.run_id, requests=log)
    assert "wait-outcomes/" not in log.read_text()
    assert begun.history(other)["outcomes"] == []


def test_runs_of_a_workflow_are_told_apart_by_their_inputs(release):
    """Where several runs are meant, and in the list of runs, each is shown with what it was given."""
    release.swamp.write("workflows/release.yaml", GATE)
    run_ids = {env: release.run("--input", f"env={env}")["run"]["id"] for env in ("eu", "us")}
    refused = release.swamp("workflow", "approve", "release", "ok", code=3).err
    listed = release.swamp("workflow", "history", "list").out
    for env, run_id in run_ids.items():
        assert any(run_id in line and line.endswith(f"with env={env}") for line in refused.splitlines())
        assert any(line.startswith(run_id) and line.endswith(f"env={env}") for line in listed.splitlines())
    assert {run["id"]: run["inputs"] for run in release.runs()} == {
        run_id: {"env": env} for env, run_id in run_ids.items()
    }
