"""Where only a run's ID will do, who gives something else is told how to come by one."""

import pytest


@pytest.fixture
def ran(swamp, open_wait):
    """A command line whose repo has a run of `release`."""
    return swamp


def refused(swamp, *words):
    """What a command that was refused says, and the commands that it names."""
    answer = swamp(*words)
    assert answer.code == 3, answer
    lines = answer.err.splitlines()
    return lines[0], [line for line in lines if line.startswith("swamp ")]


def test_a_workflow_in_the_place_of_a_run_to_delete_names_both_ways_on(ran):
    """`run delete` takes one run: its IDs are listed, or all runs of the workflow go; both commands exist."""
    message, commands = refused(ran, "run", "delete", "release")
    assert message == "Error: `release` is a workflow, and the ID of one of its runs is needed."
    assert commands == [
        "swamp workflow history list --workflow release",
        "swamp workflow delete release",
    ]
    assert ran(*commands[0].split()[1:]).code == 0


def test_a_workflow_as_the_run_of_a_command_names_its_runs(ran):
    """`--run` takes an ID: the runs of the workflow are listed, and nothing else is proposed."""
    message, commands = refused(ran, "workflow", "resume", "release", "--run", "release")
    assert "the ID of one of its runs is needed" in message
    assert commands == ["swamp workflow history list --workflow release"]


@pytest.mark.parametrize("text", ["nothing", "../up", "0f0f0f0f", ""])
def test_what_is_neither_a_run_nor_a_workflow_is_no_id(ran, text):
    """Nobody is told of workflows by a command that takes none."""
    message, commands = refused(ran, "run", "delete", text)
    assert message == f"Error: There is no run whose ID is `{text}` or begins so."
    assert commands == ["swamp workflow history list"]
