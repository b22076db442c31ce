"""Which directory is the repo when none is named."""

import os

import pytest
from swamp_core.app.refusals import Refused
from swamp_core.cli import repo
from swamp_core.cli.repo import find_repo


@pytest.fixture
def deep(tmp_path, monkeypatch):
    """The current directory, three below `tmp_path`."""
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    return deep


@pytest.mark.parametrize("mark", ["workflows", ".swamp"])
def test_the_nearest_directory_with_a_mark_is_the_repo(deep, mark):
    """As with git, a command works from anywhere below the repo."""
    (deep.parent / mark).mkdir()
    (deep.parent.parent / mark).mkdir()
    assert find_repo() == deep.parent


def test_a_configuration_file_marks_a_repo(deep):
    """A directory that only says where the state is kept is a repo too."""
    (deep.parent.parent / ".swamp.yaml").touch()
    assert find_repo() == deep.parent.parent


def test_without_a_mark_the_current_directory_is_the_repo(deep):
    """Nothing is needed to list or resume runs of a datastore that is named."""
    assert find_repo() == deep


def test_a_file_called_workflows_is_no_mark(deep):
    """Only a directory of workflows makes a repo."""
    (deep.parent / "workflows").touch()
    assert find_repo() == deep


def test_the_search_ends_where_the_owner_changes(deep, monkeypatch):
    """Nobody is made to run what another user left in a directory above."""
    (deep.parent.parent / "workflows").mkdir()
    owners = {deep: 1, deep.parent: 1}
    monkeypatch.setattr(repo, "_owner", lambda directory: owners.get(directory, 2))
    assert find_repo() == deep
    owners[deep.parent.parent] = 1
    assert find_repo() == deep.parent.parent


def test_a_current_directory_that_is_gone_is_refused(deep):
    """The refusal says what to do instead."""
    deep.rmdir()
    with pytest.raises(Refused, match="current directory is gone"):
        find_repo()


def test_a_current_directory_that_cannot_be_written_down_is_refused(tmp_path, monkeypatch):
    """A path is kept and printed as UTF-8."""
    odd = tmp_path / os.fsdecode(b"\xff")
    odd.mkdir()
    monkeypatch.chdir(odd)
    with pytest.raises(Refused, match="not UTF-8"):
        find_repo()
