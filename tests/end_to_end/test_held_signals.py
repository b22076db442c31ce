"""What the sender of a signal by key is told of one that is held."""

import pytest

from tests.end_to_end.releases import WORKFLOW

KEYED = WORKFLOW.replace("timeout: 24h", "timeout: 24h\n          key: verdict")
BY_KEY = ("workflow", "signal", "--workflow", "release", "--key", "verdict", "--payload")
WRONG, RIGHT = '{"verdict":"perhaps"}', '{"verdict":"ship"}'
WARNING = "No wait will take it unless the workflow changes. It does not fit the schema: "


@pytest.fixture
def keyed(release):
    release.swamp.write("workflows/release.yaml", KEYED)
    return release.swamp


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--json",)], ids=str)
def test_a_payload_that_no_wait_would_accept_is_held_with_a_warning(keyed, options):
    """The step's file may change before the next run, so it is held; its sender is told on stderr, at once."""
    told = keyed(*BY_KEY, WRONG, *options)
    assert (told.code, told.err.startswith(WARNING)) == (0, True)
    assert "/verdict" in told.err
    assert WARNING not in told.out


def test_a_payload_that_fits_is_held_without_a_word_more(keyed):
    """Nor is anything said where no file says what fits, on a host that has none."""
    assert keyed(*BY_KEY, RIGHT).err == ""


@pytest.mark.parametrize("workflow", ["No such/../x", "", "con"])
def test_no_signal_is_held_for_what_is_no_name(keyed, workflow):
    """A workflow that cannot be is one of which nothing is held, as one that is not."""
    keyed(*BY_KEY, RIGHT)
    listed = keyed.json("workflow", "early-signals", "--workflow", workflow)
    assert listed == {"signals": [], "unreadable": []}


def test_a_host_without_the_file_can_signal_while_an_unfinished_run_has_claimed_the_key(release, keyed):
    """After that only the file says how a signal is held: it is refused, with what to do instead."""
    release.run()
    file = release.directory / "workflows/release.yaml"
    file.unlink()
    assert [keyed.json(*BY_KEY, RIGHT)["status"] for _ in range(2)] == ["accepted", "held"]
    keyed("workflow", "resume", "release")
    error = keyed.json(*BY_KEY, RIGHT, code=3)["error"]
    assert error["code"] == "unknown_workflow"
    assert "under the key `verdict`" in error["message"]
    assert "a host that has the file" in error["hint"]


def test_a_wait_that_a_held_signal_settled_is_not_told_as_open(keyed):
    """Though its run is suspended for another wait, and takes the signal up when it goes on: it needs no signal."""
    second = (
        "      - {name: other, task: {type: wait_for_signal, timeout: 1h, key: other}}\n      - name: ship"
    )
    keyed.write("workflows/release.yaml", KEYED.replace("      - name: ship", second, 1))
    keyed(*BY_KEY, RIGHT)
    ran = keyed.json("workflow", "run", "release")
    assert ran["run"]["status"] == "suspended"
    assert [wait["step"] for wait in ran["waits"]] == ["other"]
    assert keyed.json("workflow", "waits")["waits"] == ran["waits"]
    other = ("workflow", "signal", "--workflow", "release", "--key", "other", "--payload", "{}", "--resume")
    assert keyed.json(*other)["run"]["status"] == "succeeded"
