"""Removing runs: everything of them goes, nothing of others, and whatever was cut off is finished by the next."""

import signal

import pytest

PARENT = """
jobs:
  - name: j
    steps:
      - name: nest
        task: { type: workflow, workflowIdOrName: child, inputs: {} }
      - name: gate
        dependsOn: [nest]
        task: { type: manual_approval, prompt: Go on? }
"""
CHILD = """
jobs:
  - name: j
    steps:
      - name: nest
        task: { type: workflow, workflowIdOrName: leaf, inputs: {} }
"""
LEAF = """
jobs:
  - name: j
    steps:
      - name: ask
        task: { type: wait_for_signal, timeout: 1h }
"""


@pytest.fixture
def nested(swamp):
    """A repo with a run of `parent` that waits in the child of its child; the IDs, the root first."""
    for name, text in (("parent", PARENT), ("child", CHILD), ("leaf", LEAF)):
        swamp.write(f"workflows/{name}.yaml", text)
    assert swamp.here("workflow", "run", "parent").code == 0
    runs = swamp.here("workflow", "history", "list", "--json").json["runs"]
    ids = {run["workflow"]: run["id"] for run in runs}
    return swamp, [ids["parent"], ids["child"], ids["leaf"]]


def kept_keys(swamp):
    return sorted(swamp.stored())


def refusal(swamp, *args):
    return swamp.json(*args, code=3)["error"]


def test_a_run_that_is_over_is_deleted_with_every_record_of_it(suspended):
    """After its deletion the store holds what it held before the run: `format`, and nothing of the run."""
    suspended.signal(suspended.wait_id, '{"verdict":"ship"}', "--resume")
    held = len(kept_keys(suspended.swamp)) - 1
    result = suspended.swamp.json("run", "delete", suspended.run_id)
    assert result == {"removed": [suspended.run_id], "kept": [], "records": held, "dryRun": False}
    assert kept_keys(suspended.swamp) == ["format"]
    assert refusal(suspended.swamp, "run", "delete", suspended.run_id)["code"] == "unknown_run"


def test_an_unfinished_run_is_refused_and_the_printed_command_deletes_it(suspended):
    """A run that waits is not deleted by mistake; `--force` cancels it first, and its wait takes no signal then."""
    refused = suspended.swamp("run", "delete", suspended.run_id[:13], code=3)
    (command,) = refused.commands
    suspended.swamp.pasted(command)
    assert kept_keys(suspended.swamp) == ["format"]
    assert suspended.signal(suspended.wait_id, code=3)["code"] == "unknown_wait"


def test_a_forced_delete_waits_for_the_process_that_drives_the_run(release, held):
    """A driver in the middle of a step ends the run first, so that its step is not left running."""
    release.swamp.write(
        "workflows/release.yaml",
        "jobs: [{ name: j, steps: [{ name: s, task: "
        "{ type: model_method, modelIdOrName: release, methodName: hold } }] }]",
    )
    driver = release.swamp.start("workflow", "run", "release")
    held.met()
    (run,) = release.runs()
    result = release.swamp.json("run", "delete", run["id"], "--force")
    assert result["removed"] == [run["id"]]
    release.swamp.finished(driver, code=None)
    assert kept_keys(release.swamp) == ["format"]


def test_another_run_is_not_touched(suspended):
    """Deleting one run leaves each record of another one as it was, byte for byte."""
    before = suspended.swamp.stored()
    other = suspended.run()["run"]["id"]
    suspended.swamp("run", "delete", other, "--force")
    assert suspended.swamp.stored() == before


def test_a_nested_run_goes_with_its_root_only(nested):
    """Deleting a child of a child is refused, naming the root; the printed command deletes the whole tree."""
    swamp, ids = nested
    error = refusal(swamp, "run", "delete", ids[2], "--force")
    assert (error["code"], error["details"]["rootRunId"]) == ("nested_run", ids[0])
    swamp("workflow", "cancel", ids[0])
    refused = swamp("run", "delete", ids[2], code=3)
    swamp.pasted(refused.commands[0])
    assert kept_keys(swamp) == ["format"]


def test_a_forced_delete_ends_and_removes_a_whole_tree(nested):
    """A tree that waits at its leaf is ended and removed as a whole, the root last."""
    swamp, ids = nested
    assert swamp.json("run", "delete", ids[0], "--force")["removed"] == ids[::-1]
    assert kept_keys(swamp) == ["format"]


def test_a_root_with_an_unfinished_nested_run_is_kept(nested):
    """A root that was cancelled without its children is not collected before they are over."""
    swamp, ids = nested
    swamp("workflow", "cancel", ids[0], "--keep-children")
    error = refusal(swamp, "run", "delete", ids[0])
    assert (error["code"], set(error["details"]["runIds"])) == ("run_active", set(ids[1:]))
    (kept,) = swamp.json("run", "gc", "--older-than", "0s")["kept"]
    assert kept["runId"] == ids[0]
    assert "unfinished" in kept["reason"]
    assert len(swamp.json("workflow", "history", "list")["runs"]) == 3


def test_a_collection_takes_what_ended_long_ago_and_says_what_it_keeps(suspended):
    """By age: a run that ended longer ago goes, one that ended since stays, an old unfinished one is reported."""
    old = suspended.run(now="2026-01-01T00:00:00Z", ids=1)["run"]["id"]
    ended = suspended.run(now="2026-01-02T00:00:00Z", ids=2)["run"]["id"]
    suspended.swamp("workflow", "cancel", ended, now="2026-01-03T00:00:00Z", ids=3)
    recent = suspended.run(now="2026-01-02T00:00:00Z", ids=4)["run"]["id"]
    suspended.swamp("workflow", "cancel", recent, now="2026-02-08T00:00:00Z", ids=5)
    world = {"now": "2026-02-10T00:00:00Z", "ids": 6}
    before = suspended.swamp.stored()
    foreseen = suspended.swamp.json("run", "gc", "--older-than", "30d", "--dry-run", **world)
    assert suspended.swamp.stored() == before
    done = suspended.swamp.json("run", "gc", "--older-than", "30d", **world)
    assert foreseen == {**done, "dryRun": True}
    assert done["removed"] == [ended]
    assert [kept["runId"] for kept in done["kept"]] == [old]
    assert len(before) - len(suspended.swamp.stored()) == done["records"]


def test_deleting_a_workflow_removes_its_runs_and_not_its_file(nested):
    """Runs of other workflows stay, those that are nested in them too; the file can run again."""
    swamp, ids = nested
    alone = swamp.json("workflow", "run", "leaf")["run"]["id"]
    error = refusal(swamp, "workflow", "delete", "leaf")
    assert (error["code"], error["details"]["runIds"]) == ("run_active", [alone])
    result = swamp.json("workflow", "delete", "leaf", "--force")
    assert result["removed"] == [alone]
    assert [kept["runId"] for kept in result["kept"]] == [ids[2]]
    assert {run["id"] for run in swamp.json("workflow", "history", "list")["runs"]} == set(ids)
    swamp("workflow", "run", "leaf")


def test_deleting_a_workflow_that_nobody_knows_is_refused(swamp):
    """A misspelt name deletes nothing without saying so; one that has a file and no run is no mistake."""
    assert refusal(swamp, "workflow", "delete", "relaese")["code"] == "unknown_workflow"
    assert swamp.json("workflow", "delete", "release")["removed"] == []


def test_a_run_that_cannot_be_read_goes_with_force(suspended):
    """Garbage in the journal keeps a run from being read, but not from being removed with all that names it."""
    other = suspended.run()["run"]["id"]
    before = {path: data for path, data in suspended.swamp.stored().items() if suspended.run_id in path}
    spoilt = max(path for path in before if path.startswith("runs/"))
    suspended.swamp.place.write(spoilt, b"garbage")
    newest = min(path for path in before if path.startswith("runs/"))
    suspended.swamp.place.write(newest, b"garbage")
    refused = suspended.swamp("run", "delete", suspended.run_id, code=3)
    (kept,) = suspended.swamp.json("run", "gc", "--older-than", "0")["kept"][:1]
    assert kept["runId"] == suspended.run_id
    suspended.swamp.pasted(refused.commands[0])
    assert [run["id"] for run in suspended.runs()] == [other]
    suspended.swamp("run", "delete", other, "--force")
    assert kept_keys(suspended.swamp) == ["format"]


def test_a_retried_run_leaves_nothing_either(swamp):
    """A run that timed out, was retried and cancelled had two marks and two waits; all of them go."""
    swamp.write("workflows/leaf.yaml", LEAF)
    run_id = swamp.json("workflow", "run", "leaf", now="2026-01-01T00:00:00Z", ids=1)["run"]["id"]
    swamp("workflow", "resume", run_id, code=1, now="2026-01-02T00:00:00Z", ids=2)
    retried = swamp.json("workflow", "resume", "leaf", "--run", run_id, now="2026-01-02T00:00:00Z", ids=3)
    assert retried["run"]["status"] == "suspended"
    swamp("run", "delete", run_id, "--force", now="2026-01-02T00:00:00Z", ids=4)
    assert kept_keys(swamp) == ["format"]


@pytest.mark.parametrize(
    ("stop", "finish"),
    [
        ("put_if_absent:runs/*:1:after:kill", ("run", "gc", "--older-than", "1h")),
        ("delete:workflow-runs/child/*:1:after:kill", ("run", "gc", "--older-than", "1h")),
        ("delete:runs/*:2:before:kill", ("workflow", "delete", "release")),
        ("delete:workflow-runs/parent/*:1:after:kill", ("workflow", "delete", "leaf")),
    ],
)
def test_a_removal_that_is_killed_is_finished_by_a_sweep(nested, stop, finish):
    """A tree whose removal was killed is gone for everybody, and the next collection or deletion finishes it."""
    swamp, ids = nested
    swamp.here("workflow", "cancel", ids[0])
    ended = swamp("run", "delete", ids[0], code=None, stop=stop)
    assert ended.code == -signal.SIGKILL
    looked = swamp.here("workflow", "history", "get", ids[0], "--json")
    assert looked.json["error"]["code"] == "unknown_run"
    swamp(*finish)
    assert kept_keys(swamp) == ["format"]


@pytest.mark.parametrize("key", ["workflow-runs/*", "open-runs/*"])
def test_a_start_that_was_killed_is_swept_once_it_is_old(swamp, key):
    """A start that left an index without a journal may only be slow: it is swept when it is older than asked for."""
    swamp(
        "workflow",
        "run",
        "release",
        "--input",
        "env=dev",
        code=-signal.SIGKILL,
        stop=f"put_if_absent:{key}:1:after:kill",
    )
    before = swamp.stored()
    swamp("run", "gc", "--older-than", "1h")
    assert swamp.stored() == before
    assert swamp.json("run", "gc", "--older-than", "0s")["records"] == len(before) - 1
    assert kept_keys(swamp) == ["format"]


def test_a_store_of_a_newer_build_is_not_collected(suspended):
    """What a newer build has written may mean what this one does not know, so nothing is deleted."""
    suspended.swamp.place.write("format", b'{"kind":"format","format":2,"build":"swamp-core 9"}')
    before = suspended.swamp.stored()
    assert refusal(suspended.swamp, "run", "gc", "--older-than", "0")["code"] == "unknown_format"
    assert suspended.swamp.stored() == before


def test_the_library_removes_as_the_command_line_does(suspended):
    """`delete_run`, `collect` and `delete_workflow` give the same answers in Python."""
    from datetime import timedelta

    library = suspended.swamp.library()
    assert library.collect(timedelta(days=1), dry_run=True).removed == []
    assert library.delete_run(suspended.run_id, force=True).removed == [suspended.run_id]
    assert library.delete_workflow("release").records == 0
