"""Commands that find nothing: what they say, and where they send whoever looked in the wrong place."""

import pytest

GATED = """
jobs:
  - name: ship
    steps:
      - { name: sign, task: { type: manual_approval, prompt: Ship it? } }
"""


@pytest.fixture
def gated(swamp):
    """A repo in which only a gate is open."""
    (swamp.directory / "workflows/gated.yaml").write_text(GATED)
    assert swamp("workflow", "run", "gated").code == 0
    return swamp


@pytest.mark.parametrize("json_too", [(), ("--json",)], ids=["text", "json"])
def test_a_check_of_no_files_has_not_passed(swamp, json_too):
    """In the wrong directory `validate` must not be green: a release would go out unchecked."""
    for path in (swamp.directory / "workflows").iterdir():
        path.unlink()
    answer = swamp("workflow", "validate", *json_too)
    assert answer.code == 1
    if json_too:
        assert answer.json == {"workflows": []}
    else:
        assert "Nothing was checked" in answer.out
        assert str(swamp.directory / "workflows") in answer.out
        assert "--repo-dir" in answer.out


def test_who_lists_waits_is_sent_to_the_gates(gated):
    """No wait for a signal is open, but a gate is: that is said, with the command that lists it."""
    answer = gated("workflow", "waits")
    assert "No wait for a signal is open." in answer.out
    assert "\nswamp workflow approvals\n" in answer.out
    of_workflow = gated("workflow", "waits", "--workflow", "gated").out
    assert "\nswamp workflow approvals --workflow gated\n" in of_workflow
    of_another = gated("workflow", "waits", "--workflow", "release").out
    assert of_another.startswith("No wait of release is open.\n")
    assert "swamp workflow" not in of_another
    assert gated("workflow", "waits", "--json").json == {"waits": [], "unreadable": []}


def test_who_lists_gates_is_sent_to_the_waits(swamp, open_wait):
    """And the other way round."""
    answer = swamp("workflow", "approvals")
    assert "No gate is undecided." in answer.out
    assert "\nswamp workflow waits\n" in answer.out


def test_a_workflow_that_is_to_be_deleted_is_named_where_there_is_none(swamp):
    """A name that is misspelt is told as it was given, harmless, with the one that was perhaps meant."""
    error = swamp("workflow", "delete", "releese", "--json").json["error"]
    assert error["code"] == "unknown_workflow"
    assert error["message"] == "There is no workflow `releese`, and no run of one; did you mean `release`?"
    hostile = swamp("workflow", "delete", "re\x1b[2J").err
    assert "\x1b" not in hostile
