"""Every message that leaves something to do prints the command that does it, and that command can be pasted."""

from tests.end_to_end.releases import FIX, SHIP, WORKFLOW

FAILING = """
jobs:
  - name: release
    steps: [{ name: compile, task: { type: model_method, modelIdOrName: release, methodName: fail } }]
"""
HOLDING = """
jobs:
  - name: release
    steps: [{ name: compile, task: { type: model_method, modelIdOrName: release, methodName: hold } }]
"""


def pasted_all(release, ended, count, code=0):
    """Paste each command that was printed, in order; what they printed."""
    assert len(ended.commands) == count, f"{ended.out}\n{ended.err}"
    return [release.swamp.pasted(command, code=code) for command in ended.commands]


def test_what_run_prints_finishes_the_loop(release):
    """Pasting the commands that `run` prints signals the wait and resumes the run to its end."""
    _signalled, resumed = pasted_all(release, release.swamp("workflow", "run", "release"), 2)
    assert "The run of release succeeded." in resumed.out
    assert release.done() == {"ship": 1}


def test_a_run_in_an_odd_place_prints_commands_that_reach_it(release, tmp_path):
    """Global options are repeated in the commands, quoted for the shell, so they work as they stand."""
    odd = tmp_path / "it's $HOME; a `dir`"
    release.directory.rename(odd)
    elsewhere = type(release)(release.swamp.at(tmp_path))
    ran = elsewhere.swamp("workflow", "run", "release", "--repo-dir", str(odd))
    _signalled, resumed = pasted_all(elsewhere, ran, 2)
    assert "The run of release succeeded." in resumed.out


def test_what_a_refusal_prints_can_be_pasted(suspended):
    """`wait_open`, `waits` and an accepted signal lead from one to the next until the run has ended."""
    (waits,) = pasted_all(
        suspended, suspended.swamp("workflow", "signal", "abcdef", "--payload", SHIP, code=3), 1
    )
    assert waits.commands[0].startswith("swamp workflow signal ")
    refused = suspended.swamp("workflow", "resume", "release", code=3)
    assert refused.commands == waits.commands
    (signalled,) = pasted_all(suspended, refused, 1)
    (resumed,) = pasted_all(suspended, signalled, 1)
    assert "The run of release succeeded." in resumed.out
    (history,) = pasted_all(suspended, suspended.swamp("workflow", "resume", "release", code=3), 1)
    assert "succeeded" in history.out
    (history,) = pasted_all(suspended, suspended.swamp("workflow", "cancel", "release", code=3), 1)
    assert "succeeded" in history.out


def test_what_an_expired_wait_prints_times_it_out(suspended):
    """`waits` names the command that lets an expired wait time out."""
    later = {"clock_offset_s": 25 * 3600}
    listed = suspended.swamp("workflow", "waits", **later)
    assert "The run of release succeeded." in suspended.swamp.pasted(listed.commands[0], **later).out
    assert suspended.done() == {"escalate": 1}


def test_what_a_failed_run_prints_shows_why(release):
    """A run that failed names the commands that show what happened, and that run what failed again."""
    release.swamp.write("workflows/release.yaml", FAILING)
    release.swamp.write("models/release.yaml", 'type: command/shell\nmethods: { fail: { run: "exit 7" } }\n')
    history, retry = release.swamp("workflow", "run", "release", code=1).commands
    assert "release/compile failed" in release.swamp.pasted(history).out
    assert "release/compile failed" in release.swamp.pasted(retry, code=1).out


def test_what_an_interrupted_run_prints_brings_it_to_its_end(release, held):
    """From `resume` over `recover` to the end of the run, each message names the next command."""
    release.swamp.write("workflows/release.yaml", HOLDING)
    driver = release.swamp.start("workflow", "run", "release")
    held.met()
    driver.kill()
    driver.wait()
    held.end()
    refused = release.swamp("workflow", "resume", "release", code=3)
    (asked,) = pasted_all(release, refused, 1, code=3)
    (recovered,) = pasted_all(release, asked, 1)
    assert recovered.commands
    release.swamp.write("models/release.yaml", "")  # It is pinned: nobody needs it any more.
    resuming = release.swamp.start(*recovered.commands[0].split()[1:])
    held.met()
    held.goes_on()
    release.swamp.finished(resuming)
    assert release.done() == {"compile": 1}


def test_what_a_missing_workflow_prints_can_be_pasted(release):
    """A workflow that is not there, or is wrong, names the command that lists or checks."""
    (listed,) = pasted_all(release, release.swamp("workflow", "run", "relaese", code=3), 1)
    assert "release" in listed.out
    release.swamp.write("workflows/release.yaml", WORKFLOW.replace("24h", "24x"))
    (checked,) = pasted_all(release, release.swamp("workflow", "run", "release", code=3), 1, code=1)
    assert "timeout" in checked.out


def test_what_a_kept_receipt_prints_needs_nothing_more(suspended):
    """A settled wait leaves nothing to do, and no command is printed."""
    wait_id = suspended.wait_id
    suspended.signal(wait_id)
    refused = suspended.swamp("workflow", "signal", wait_id, "--payload", FIX, code=3)
    assert refused.commands == []
