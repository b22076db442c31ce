"""A failed run is retried where it failed: what succeeded is kept, and a wait that runs again is another wait."""

import json

import pytest

from tests.end_to_end.releases import FIX, SHIP, WORKFLOW, Release, new_release, of, statuses, steps_of

NOON, BEFORE, AFTER = "2026-07-27T12:00:00Z", "2026-07-27T12:04:00Z", "2026-07-27T12:10:00Z"
LATER, LATE = "2026-07-27T12:12:00Z", "2026-07-27T12:20:00Z"
TIMING_OUT = WORKFLOW.replace("24h", "5m").replace("allowFailure: true", "allowFailure: false")
TRY = "task: { type: model_method, modelIdOrName: release, methodName: try }"
CHAIN = f"""
inputs: {{ properties: {{ env: {{ type: string, enum: [dev, prod] }}, token: {{ type: string }} }} }}
jobs:
  - name: build
    steps:
      - {{ name: first, {TRY} }}
      - {{ name: broken, dependsOn: [first], {TRY} }}
      - {{ name: last, dependsOn: [broken], {TRY} }}
      - {{ name: beside, {TRY} }}
  - name: ship
    dependsOn: [build]
    steps:
      - {{ name: review, task: {{ type: wait_for_signal, timeout: 1h }} }}
      - name: say
        dependsOn: [review]
        task:
          type: model_method
          modelIdOrName: release
          methodName: say
          inputs: {{ env: "${{{{ inputs.env }}}}" }}
"""
MODEL = r"""
type: command/shell
methods:
  try: { run: 'echo x >> "done-$SWAMP_STEP"; test ! -e "breaks-$SWAMP_STEP"' }
  say: { run: 'printf "%s" "$SWAMP_INPUT_ENV"' }
"""


@pytest.fixture
def timed_out(swamp):
    """A run of noon whose wait has timed out, which failed it."""
    release = new_release(swamp, TIMING_OUT)
    begun = Release(swamp, release.run(now=NOON))
    begun.resume(now=AFTER, code=1)
    return begun


def failed_chain(swamp, breaks="broken"):
    """A run whose step failed; it would succeed now."""
    swamp.write("workflows/release.yaml", CHAIN)
    swamp.write("models/release.yaml", MODEL)
    fuse = swamp.write(f"breaks-{breaks}", "")
    options = ("--input", "env=dev", "--input", "token=first-secret")
    release = Release(swamp, swamp.json("workflow", "run", "release", *options, code=1))
    fuse.unlink()
    return release


@pytest.fixture
def broken(swamp):
    return failed_chain(swamp)


def test_a_timed_out_run_that_is_retried_opens_a_new_wait(timed_out):
    """The retry resets the wait and what depends on it, and waits anew: another ID, another deadline."""
    retried = timed_out.resume("--run", timed_out.run_id, now=LATER)
    assert retried["run"]["status"] == "suspended"
    assert statuses(retried["run"]) == {"review": "waiting", "ship": "pending", "escalate": "pending"}
    (wait,) = timed_out.waits(now=LATER)
    assert wait["waitId"] != timed_out.wait_id
    assert (wait["openedAt"], wait["deadline"]) == (LATER.replace("Z", ".000Z"), "2026-07-27T12:17:00.000Z")


@pytest.mark.parametrize("now", [BEFORE, LATER])
def test_a_signal_for_the_wait_of_before_is_answered_and_not_accepted(timed_out, now):
    """Whatever the sender's clock says, the old wait stays settled; the new one is as open as it was."""
    timed_out.resume("--run", timed_out.run_id, now=LATER)
    refused = timed_out.signal(timed_out.wait_id, SHIP, now=now, code=3)
    assert refused["code"] in ("expired", "closed")
    assert timed_out.resume(now=LATER, code=3)["code"] == "wait_open"
    timed_out.signal(timed_out.wait(now=LATER)["waitId"], SHIP, now=LATER)
    run = timed_out.resume(now=LATER)["run"]
    assert (run["status"], statuses(run)["escalate"]) == ("succeeded", "skipped")
    assert timed_out.done() == {"escalate": 1, "ship": 1}


def test_a_retried_wait_can_time_out_again(timed_out):
    """The second deadline counts from the retry; a third wait is another again."""
    ids = {timed_out.wait_id}
    for now, due in ((LATER, LATE), (LATE, "2026-07-27T12:30:00Z")):
        timed_out.resume("--run", timed_out.run_id, now=now)
        ids.add(timed_out.wait(now=now)["waitId"])
        run = timed_out.resume(now=due, code=1)["run"]
        assert steps_of(run)["review"]["error"]["code"] == "wait_timeout"
    assert (len(ids), timed_out.done()) == (3, {"escalate": 3})


def test_a_failed_run_is_named_by_its_id(broken):
    """By the name of its workflow a failed run is not resumed but refused; by `--run` or by its ID it is retried."""
    refused = broken.resume(code=3)
    assert (refused["code"], broken.done()["broken"]) == ("not_resumable", 1)
    run = broken.swamp.json("workflow", "resume", broken.run_id)["run"]
    assert (run["status"], broken.done()["broken"]) == ("suspended", 2)


def test_a_retry_repeats_what_failed_and_what_depends_on_it(broken):
    """What succeeded is not done again; the jobs behind, which were skipped, go on and wait."""
    assert statuses(broken.ran["run"]) == {
        "first": "succeeded",
        "broken": "failed",
        "last": "skipped",
        "beside": "succeeded",
        "review": "skipped",
        "say": "skipped",
    }
    run = broken.resume("--run", broken.run_id)["run"]
    assert statuses(run) == {
        "first": "succeeded",
        "broken": "succeeded",
        "last": "succeeded",
        "beside": "succeeded",
        "review": "waiting",
        "say": "pending",
    }
    assert broken.done() == {"first": 1, "broken": 2, "last": 1, "beside": 1}
    broken.signal(broken.wait()["waitId"], FIX)
    assert broken.resume()["run"]["status"] == "succeeded"
    assert of(broken.history(run["id"])["events"])["run_finished"] == 2


def test_a_retry_from_a_step_repeats_that_and_what_depends_on_it(broken):
    """`--from` names a step that succeeded: it and all that depends on it run again, and nothing else does."""
    run = broken.resume("--run", broken.run_id, "--from", "build/first")["run"]
    assert run["status"] == "suspended"
    assert broken.done() == {"first": 2, "broken": 2, "last": 1, "beside": 1}


def test_a_retry_from_a_step_that_is_not_there_is_refused(broken):
    """Nothing changes, and the run is still to be retried."""
    before = broken.swamp.stored()
    refused = broken.resume("--run", broken.run_id, "--from", "brokne", code=3)
    assert (refused["code"], "broken" in refused["message"]) == ("unknown_step", True)
    assert broken.swamp.stored() == before


def test_a_retry_that_fails_can_be_retried(broken):
    """As often as it takes."""
    fuse = broken.swamp.write("breaks-broken", "")
    assert broken.resume("--run", broken.run_id, code=1)["run"]["status"] == "failed"
    fuse.unlink()
    assert broken.resume("--run", broken.run_id)["run"]["status"] == "suspended"
    assert broken.done() == {"first": 1, "broken": 3, "last": 1, "beside": 1}


def test_inputs_of_a_retry_replace_those_of_the_run(broken):
    """They are merged, seen by what runs from then on, and told in the history by name only."""
    options = ("--input", "env=prod", "--input", "token=second-secret")
    broken.resume("--run", broken.run_id, *options)
    broken.signal(broken.wait()["waitId"], "{}")
    run = broken.resume()["run"]
    assert steps_of(run)["say"]["outputs"]["stdout"] == "prod"
    assert run["inputs"] == {"env": "prod", "token": "second-secret"}
    told = json.dumps(broken.history(run["id"])["events"][1:])
    assert ("second-secret" in told, '"token"' in told) == (False, True)


def test_inputs_of_a_retry_are_checked(broken):
    """An input that does not fit is refused and changes nothing."""
    before = broken.swamp.stored()
    refused = broken.resume("--run", broken.run_id, "--input", "env=moon", code=3)
    assert (refused["code"], broken.swamp.stored()) == ("invalid_input", before)


def test_inputs_of_a_resume_are_seen_after_the_wait(swamp):
    """A suspended run takes inputs as well: what runs after the wait sees the new value, the rest keeps its own."""
    swamp.write("workflows/release.yaml", CHAIN)
    swamp.write("models/release.yaml", MODEL)
    release = Release(swamp, swamp.json("workflow", "run", "release", "--input", "env=dev"))
    release.signal(release.wait_id, "{}")
    run = release.resume("--input", "env=prod")["run"]
    assert (run["status"], run["inputs"]) == ("succeeded", {"env": "prod"})
    assert steps_of(run)["say"]["outputs"]["stdout"] == "prod"


@pytest.mark.parametrize("ending", ["succeeded", "cancelled"])
def test_only_a_failed_run_is_retried(suspended, ending):
    """A run that succeeded or was cancelled is refused with its status, and nothing is done again."""
    if ending == "succeeded":
        suspended.signal(suspended.wait_id, SHIP, "--resume")
    else:
        suspended.swamp.json("workflow", "cancel", "release")
    before = suspended.swamp.stored()
    for options in ((), ("--from", "ship")):
        refused = suspended.resume("--run", suspended.run_id, *options, code=3)
        assert (refused["code"], refused["details"]["status"]) == ("not_resumable", ending)
    assert suspended.swamp.stored() == before


def test_a_rejected_run_that_is_retried_asks_again(swamp):
    """The retry opens a new gate; the decision of before counts for the old one only."""
    gate = "jobs: [{ name: j, steps: [{ name: sign-off, task: { type: manual_approval, prompt: Ship } }] }]"
    release = new_release(swamp, gate)
    begun = Release(swamp, release.run())
    swamp.json("workflow", "reject", "release", "sign-off")
    retried = begun.resume("--run", begun.run_id)
    (asked,) = swamp.json("workflow", "approvals")["waits"]
    assert (retried["run"]["status"], asked["waitId"] != begun.wait_id) == ("suspended", True)
    swamp.json("workflow", "approve", "release", "sign-off")
    assert begun.resume()["run"]["status"] == "succeeded"


EACH = """
inputs: { properties: { regions: { type: array, items: { type: string } } } }
jobs:
  - name: ship
    steps:
      - name: ship
        forEach: { item: region, in: "${{ inputs.regions }}" }
        task: { type: model_method, modelIdOrName: release, methodName: try }
      - name: last
        dependsOn: [{ step: ship, condition: { type: completed } }]
        task: { type: model_method, modelIdOrName: release, methodName: try }
"""


def test_a_retry_from_an_item_repeats_that_item_and_one_from_its_step_takes_the_items_anew(swamp):
    """The other items stay as they were; a retry of the whole step goes through the list that the inputs give now."""
    swamp.write("workflows/release.yaml", EACH)
    swamp.write("models/release.yaml", MODEL)
    swamp.write("breaks-ship[us]", "")
    failed = swamp.json("workflow", "run", "release", "--input", 'regions=["eu","us"]', code=1)
    release = Release(swamp, failed)
    release.resume("--run", release.run_id, "--from", "ship[eu]", code=1)
    assert release.done() == {"ship[eu]": 2, "ship[us]": 1, "last": 2}
    anew = ("--from", "ship", "--input", 'regions=["ap","eu"]')
    run = release.resume("--run", release.run_id, *anew)["run"]
    assert statuses(run) == {"ship[ap]": "succeeded", "ship[eu]": "succeeded", "last": "succeeded"}
    assert release.done() == {"ship[eu]": 3, "ship[us]": 1, "ship[ap]": 1, "last": 3}
