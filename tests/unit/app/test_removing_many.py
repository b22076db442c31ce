"""Removing many runs at once: what a bucket's user waits for is rounds of requests, and those do not add up."""

import pytest
from swamp_core.app import workspace as workspace_module
from swamp_core.store.operations import Delete, Together, perform

from tests.removals import Hosts, repo

NESTED = """
jobs:
  - name: j
    steps:
      - name: s
        forEach: {{ item: x, in: {items} }}
        task: {{ type: workflow, workflowIdOrName: wait, inputs: {{}} }}
"""


@pytest.fixture
def rounds(monkeypatch):
    """A list that gets each operation of the use cases: what is asked together is one."""
    asked = []

    def execute(protocol, store):
        try:
            operation = next(protocol)
            while True:
                if operation != Together(()):
                    asked.append(operation)
                operation = protocol.send(perform(operation, store))
        except StopIteration as stop:
            return stop.value

    monkeypatch.setattr(workspace_module, "execute", execute)
    return asked


def deleting(directory, rounds, *, items, force):
    """How many rounds the deletion of a run takes that has so many nested in it."""
    repo(directory)
    (directory / "workflows" / "many.yaml").write_text(NESTED.format(items=list(range(items))))
    hosts = Hosts(directory)
    swamp, _ = hosts.process()
    run_id = swamp.run("many").run.id
    if not force:
        swamp.cancel(run_id)
    rounds.clear()
    removed = swamp.delete_run(run_id, force=force).removed
    assert (len(removed), removed[-1]) == (items + 1, run_id)
    assert hosts.left() == []
    return len(rounds)


@pytest.mark.parametrize("force", [False, True])
def test_a_wide_tree_is_removed_in_as_many_rounds_as_a_narrow_one(tmp_path, rounds, force):
    """Twenty nested runs are read, ended and deleted side by side, in the rounds that two take."""
    narrow = deleting(tmp_path, rounds, items=2, force=force)
    assert deleting(tmp_path, rounds, items=20, force=force) == narrow


def test_many_runs_of_a_workflow_are_deleted_one_then_two_then_four_at_once(tmp_path, rounds):
    """Seven runs of a workflow go in three times the rounds that delete something for one, and not in seven times."""
    deleted = {}
    for count in (1, 7):
        hosts = Hosts(repo(tmp_path))
        swamp, _ = hosts.process()
        for _ in range(count):
            swamp.run("fail")
        rounds.clear()
        assert len(swamp.delete_workflow("fail").removed) == count
        assert hosts.left() == []
        deleted[count] = sum(isinstance(_first(each), Delete) for each in rounds)
    assert deleted[7] == 3 * deleted[1]


def _first(operation):
    return operation.operations[0] if isinstance(operation, Together) else operation
