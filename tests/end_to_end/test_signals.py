"""What a sender is told: the receipt, or why not; by any beginning of the wait ID, and however often it is repeated."""

import json

import pytest

from tests.end_to_end.releases import FIX, SHIP, statuses

KEY = ("--idempotency-key", "build-7")


def test_a_valid_payload_gets_a_receipt(suspended):
    """`signal` answers with the receipt and with the command that resumes, in text and in JSON."""
    accepted = suspended.signal(suspended.wait_id, SHIP, *KEY)
    (run,) = suspended.swamp.json("workflow", "history", "list")["runs"]
    told = {name: accepted[name] for name in ("status", "waitId", "runId", "workflow", "job", "step")}
    assert told == {
        "status": "accepted",
        "waitId": suspended.wait_id,
        "runId": run["id"],
        "workflow": "release",
        "job": "release",
        "step": "review",
    }
    assert accepted["receipt"]["waitId"] == suspended.wait_id
    assert (accepted["awaitingResume"], accepted["run"], run["awaitingResume"]) == (True, None, True)
    assert accepted["resumeCommand"] == f"swamp workflow resume {run['id']}"
    text = suspended.swamp("workflow", "signal", suspended.wait_id, "--payload", SHIP, *KEY)
    assert accepted["receipt"]["id"] in text.out.splitlines()
    assert text.commands == [accepted["resumeCommand"]]


@pytest.mark.parametrize("given", ["text", "file", "stdin"])
def test_a_payload_may_be_text_a_file_or_stdin(suspended, given):
    """A payload arrives the same, however it is given."""
    file = suspended.swamp.write("payload.json", f"\n {SHIP}\n")
    options, stdin = {
        "text": (("--payload", SHIP), ""),
        "file": (("--payload-file", str(file)), ""),
        "stdin": (("--payload-file", "-"), SHIP),
    }[given]
    suspended.swamp("workflow", "signal", suspended.wait_id, *options, stdin=stdin)
    assert statuses(suspended.resume()["run"])["ship"] == "succeeded"


@pytest.mark.parametrize("payload", ['{"verdict":"shipp"}', "{}", '["ship"]', '{"verdict":"ship"'])
def test_an_invalid_payload_leaves_the_wait_open(suspended, payload):
    """A payload that does not fit is refused with what is wrong; the wait is still listed and takes a valid one."""
    before = suspended.swamp.stored()
    refused = suspended.signal(suspended.wait_id, payload, code=3)
    assert refused["code"] == "invalid_payload"
    assert refused["message"]
    assert refused["hint"]
    assert suspended.swamp.stored() == before
    assert suspended.wait()["waitId"] == suspended.wait_id
    assert suspended.signal(suspended.wait_id)["status"] == "accepted"


def test_an_unknown_wait_is_refused(suspended):
    """A wait ID that nobody gave is refused, and the command that lists the waits is named."""
    refused = suspended.signal("00000000-0000-4000-8000-000000000000", code=3)
    assert refused["code"] == "unknown_wait"
    assert refused["hint"].splitlines()[-1] == "swamp workflow waits"


@pytest.mark.parametrize("ended", [False, True])
def test_a_settled_wait_shows_the_stored_receipt(suspended, ended):
    """A second signal is refused with the receipt of the first, before the run goes on and after it has ended."""
    receipt = suspended.signal(suspended.wait_id)["receipt"]
    if ended:
        suspended.resume()
    refused = suspended.signal(suspended.wait_id, FIX, code=3)
    assert (refused["code"], refused["details"]["receipt"]) == ("already_settled", receipt)
    text = suspended.swamp("workflow", "signal", suspended.wait_id, "--payload", FIX, code=3)
    assert (receipt["id"] in text.err, receipt["submittedBy"] in text.err, text.out) == (True, True, "")


def test_a_closed_wait_takes_no_signal(suspended):
    """A wait whose run was cancelled is closed: the signal is refused, and stays refused."""
    suspended.swamp("workflow", "cancel", "release")
    assert [suspended.signal(suspended.wait_id, code=3)["code"] for _ in range(2)] == ["closed", "closed"]


def test_a_run_whose_wait_is_open_is_not_resumed(suspended):
    """`resume` before the signal is refused with the wait and the command that signals it, and changes nothing."""
    before = suspended.swamp.stored()
    (wait,) = suspended.ran["waits"]
    refused = suspended.resume(code=3)
    assert (refused["code"], refused["details"]["waits"]) == ("wait_open", [wait])
    assert refused["hint"].splitlines()[-1] == wait["nextCommand"]
    assert suspended.swamp.stored() == before


def test_a_run_that_is_over_is_not_resumed(suspended):
    """`resume` of a run that has ended is refused with its status."""
    suspended.signal(suspended.wait_id, SHIP, "--resume")
    refused = suspended.resume(code=3)
    assert (refused["code"], refused["details"]["status"]) == ("not_resumable", "succeeded")
    assert suspended.done() == {"ship": 1}


def test_nobody_resumes_what_was_never_run(suspended):
    """A run or workflow that there is not is refused as unknown."""
    errors = [
        suspended.swamp.json("workflow", command, name, code=3)["error"]["code"]
        for command, name in (("resume", "nothing"), ("cancel", "00000000-0000-7000-8000-000000000000"))
    ]
    assert errors == ["unknown_run", "unknown_run"]


@pytest.mark.parametrize("when", ["waiting", "signalled", "over"])
def test_a_repeated_signal_gets_the_same_receipt(suspended, when):
    """Under one idempotency key the same payload, however it is written, is one signal, late and often as it may be."""
    first = suspended.signal(suspended.wait_id, SHIP, *KEY)
    if when != "waiting":
        suspended.signal(suspended.wait_id, SHIP, *KEY)
    if when == "over":
        suspended.resume()
    repeated = suspended.signal(suspended.wait_id, '{ "verdict": "\\u0073hip" }', *KEY)
    assert (repeated["status"], repeated["receipt"]) == ("repeated", first["receipt"])
    text = suspended.swamp("workflow", "signal", suspended.wait_id, "--payload", SHIP, *KEY)
    assert first["receipt"]["id"] in text.out.splitlines()
    if when != "over":
        suspended.resume()
    assert suspended.done() == {"ship": 1}


@pytest.mark.parametrize("ended", [False, True])
def test_another_payload_under_the_same_key_is_a_conflict(suspended, ended):
    """An idempotency key stands for one payload: another one is refused, with the receipt that is stored."""
    receipt = suspended.signal(suspended.wait_id, SHIP, *KEY)["receipt"]
    if ended:
        suspended.resume()
    for other in (FIX, '{"verdict":"ship","n":1}'):
        refused = suspended.signal(suspended.wait_id, other, *KEY, code=3)
        assert (refused["code"], refused["details"]["receipt"]) == ("idempotency_conflict", receipt)


def test_a_key_that_was_made_up_repeats_the_signal_too(suspended):
    """Where none is given an idempotency key is made up and shown, and works as one."""
    receipt = suspended.signal(suspended.wait_id)["receipt"]
    repeated = suspended.signal(suspended.wait_id, SHIP, "--idempotency-key", receipt["idempotencyKey"])
    assert (repeated["status"], repeated["receipt"]) == ("repeated", receipt)


@pytest.mark.parametrize("ended", [False, True])
def test_a_wait_is_known_by_the_beginning_of_its_id(suspended, ended):
    """Six characters name a wait, open or settled, in any case; five name none."""
    if ended:
        suspended.signal(suspended.wait_id, SHIP, *KEY)
        suspended.resume()
    for start in (suspended.wait_id[:6], suspended.wait_id[:13].upper()):
        assert suspended.signal(start, SHIP, *KEY)["waitId"] == suspended.wait_id
    assert suspended.signal(suspended.wait_id[:5], SHIP, *KEY, code=3)["code"] == "unknown_wait"


def test_a_run_is_known_by_the_beginning_of_its_id(suspended):
    """`resume`, `cancel` and `history get` take the beginning of a run ID."""
    run_id = suspended.run_id
    suspended.signal(suspended.wait_id)
    assert suspended.swamp.json("workflow", "history", "get", run_id[:8])["run"]["id"] == run_id
    assert suspended.swamp.json("workflow", "resume", run_id[:18])["run"]["id"] == run_id
    assert suspended.swamp.json("workflow", "resume", run_id[:5], code=3)["error"]["code"] == "unknown_run"


def test_a_beginning_of_several_ids_is_refused_with_all_of_them(release):
    """A beginning that fits several waits or runs is refused, listing them, and nothing is signalled or cancelled."""
    release.run()  # The first run on a bucket tries it, which takes an ID of its own.
    runs = [release.run(ids=seed, now="2026-07-27T12:00:00Z") for seed in (7, 8)]
    wait_ids, run_ids = [run["waits"][0]["waitId"] for run in runs], [run["run"]["id"] for run in runs]
    before = release.swamp.stored()
    assert wait_ids[0][:7] == wait_ids[1][:7]
    assert run_ids[0][:18] == run_ids[1][:18]
    refused = release.signal(wait_ids[0][:7], code=3)
    assert (refused["code"], refused["details"]["waitIds"]) == ("ambiguous_wait", wait_ids)
    refused = release.swamp.json("workflow", "cancel", run_ids[0][:18], code=3)["error"]
    assert (refused["code"], refused["details"]["runIds"]) == ("ambiguous_run", run_ids)
    assert release.swamp.stored() == before


def test_each_end_has_its_exit_code(suspended, tmp_path):
    """0 done, 2 usage, 3 refused, 4 the store cannot be used; with `--json` each is one document on stdout."""
    command = ("workflow", "signal", suspended.wait_id)
    elsewhere = ("--datastore", (tmp_path / "missing").as_uri())
    ends = [
        suspended.swamp(*command, "--payload", SHIP, "--json", *options, code=code)
        for options, code in (
            (("--payload-file", "-"), 2),
            (("--nonsense",), 2),
            (elsewhere, 4),
            ((), 0),
            ((), 3),
        )
    ]
    codes = [json.loads(end.out).get("error", {}).get("code") for end in ends]
    assert codes == ["usage", "usage", "store_not_found", None, "already_settled"]
