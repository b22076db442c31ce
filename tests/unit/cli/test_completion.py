"""What the Tab key offers: quick, silent, and without a trace."""

import contextlib
import io

import pytest
from click.shell_completion import ShellComplete
from swamp_core.cli.completion import OFFERED_MAX
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.root import root
from swamp_core.cli.tracing import TracedStore
from swamp_core.run import events
from swamp_core.store.registry import open_store

from tests.unit.cli.stored import NOW, StoredRun, calling, workflow

WAIT = "00050001-0000-4000-8000-000000000000"


def offered(swamp, *words, opener=None):
    """What is offered for the last of the words."""
    *before, incomplete = words
    with contextlib.chdir(swamp.directory):
        complete = ShellComplete(
            root, {"obj": Invocation(environ={}, opener=opener)}, "swamp", "_SWAMP_COMPLETE"
        )
        return [item.value for item in complete.get_completions(list(before), incomplete)]


@pytest.fixture
def run(swamp):
    """A run of `w`, which has no file, that waits."""
    ask = {"name": "ask", "task": {"type": "wait_for_signal", "timeout": 60}}
    run = StoredRun(swamp, workflow("w", {"name": "a", "steps": [ask, calling("look up")]}))
    run.happened(events.WaitPlanned(at=NOW, job="a", step="ask", wait_id=WAIT, wait_kind="signal"))
    run.happened(events.WaitOpened(at=NOW, job="a", step="ask", wait_id=WAIT))
    return run


@pytest.mark.parametrize("command", ["run", "graph", "validate"])
def test_workflows_are_offered_from_their_files(swamp, command):
    """Names are read from the files, the declared ones and the others, broken files and hostile names left out."""
    files = swamp.directory / "workflows"
    (files / "hostile.yaml").write_text('name: "a\\nplain,b"\njobs: []')
    (files / "other.yaml").write_text("name: renamed\njobs: nonsense")
    (files / "broken.yaml").write_text(": [")
    assert offered(swamp, "workflow", command, "") == ["renamed", "release"]
    assert offered(swamp, "workflow", command, "rel") == ["release"]


@pytest.mark.parametrize("command", ["resume", "cancel", "watch"])
def test_runs_are_offered_by_workflow_and_by_id(swamp, run, command):
    """Before anything is typed workflows with runs are offered; once an ID is begun, the runs."""
    assert offered(swamp, "workflow", command, "") == ["w"]
    assert offered(swamp, "workflow", command, run.run_id[:8]) == [run.run_id]


def test_a_run_of_the_named_workflow_is_offered(swamp, run):
    """`--run` offers the runs of the workflow that the command names."""
    definition = workflow("other", {"name": "a", "steps": [calling("b")]})
    other = StoredRun(swamp, definition, seed=7)
    assert offered(swamp, "workflow", "graph", "w", "--run", "") == [run.run_id]
    assert offered(swamp, "workflow", "graph", "other", "--run", "") == [other.run_id]


def test_steps_are_offered_from_the_run_or_the_file(swamp, run):
    """Of a run with no file they are the pinned ones."""
    assert offered(swamp, "workflow", "history", "logs", run.run_id, "") == ["ask", "look up"]
    assert offered(swamp, "workflow", "history", "logs", "w", "lo") == ["look up"]
    assert offered(swamp, "workflow", "resume", "w", "--from", "") == ["ask", "look up"]
    steps = ["compile", "review", "ship", "escalate"]
    assert offered(swamp, "workflow", "resume", "release", "--from", "") == steps


def test_stores_are_offered(swamp):
    """What the URL of a datastore can begin with."""
    assert "file://" in offered(swamp, "--datastore", "")
    assert offered(swamp, "workflow", "waits", "--workflow", "") == ["release"]


COMMANDS = [
    ("workflow", "resume", ""),
    ("workflow", "signal", ""),
    ("workflow", "recover", ""),
    ("workflow", "approve", "w", ""),
    ("workflow", "delete", ""),
    ("run", "delete", ""),
    ("workflow", "history", "logs", ""),
    ("workflow", "history", "logs", "nothing", ""),
    ("workflow", "graph", "release", "--run", ""),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_pressing_tab_leaves_no_trace(swamp, run, words):
    """Nothing is written, whatever is asked for: listings and reads, and few of them."""
    told = []
    offered(swamp, *words, opener=lambda setting: TracedStore(open_store(setting), told.append))
    assert {line.split()[0] for line in told} <= {"list", "get"}
    assert len(told) <= 5


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_pressing_tab_makes_no_store(swamp, words):
    """In a repo in which nothing has run there is nothing to offer, and no store afterwards."""
    offered(swamp, *words)
    assert not (swamp.directory / ".swamp").exists()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_pressing_tab_is_silent_whatever_is_wrong(swamp, words):
    """A store that cannot be used, or a repo that cannot be read, offers nothing and says nothing."""
    (swamp.directory / ".swamp.yaml").write_text("datastore: nonsense://x")
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        assert offered(swamp, *words) == []
    assert (out.getvalue(), err.getvalue()) == ("", "")


def test_inputs_are_offered_by_name(swamp, run):
    """With what follows them, and those that are given already left out; of a run they are the pinned ones."""
    inputs = "{ type: object, properties: { env: { type: string }, region: {} } }"
    (swamp.directory / "workflows/w.yaml").write_text(f"inputs: {inputs}\njobs: []")
    assert offered(swamp, "workflow", "run", "w", "--input", "") == ["env=", "region="]
    assert offered(swamp, "workflow", "run", "w", "--input", "env=dev", "--input", "") == ["region="]
    assert offered(swamp, "workflow", "run", "w", "--input", "r") == ["region="]
    assert offered(swamp, "workflow", "resume", "w", "--input", "e") == ["env="]
    (swamp.directory / "workflows/w.yaml").write_text("inputs: nonsense\njobs: []")
    assert offered(swamp, "workflow", "run", "w", "--input", "") == []


def test_runs_that_may_be_deleted_are_offered(swamp, run):
    """Those that are over; with `--force` all. A workflow is offered as long as it has runs."""
    ended = StoredRun(swamp, workflow("over", {"name": "a", "steps": [calling("b")]}), seed=7)
    ended.happened(events.RunSuspended(at=NOW))
    assert swamp("workflow", "cancel", ended.run_id).code == 0
    assert offered(swamp, "run", "delete", "") == [ended.run_id]
    assert sorted(offered(swamp, "run", "delete", "--force", "")) == sorted([ended.run_id, run.run_id])
    assert offered(swamp, "workflow", "delete", "") == ["over", "w"]
    assert offered(swamp, "workflow", "cancel", "over", "--run", "") == [run.run_id]


def test_only_so_many_are_offered(swamp):
    """Of thousands of workflows a person is offered a screenful."""
    for number in range(OFFERED_MAX + 10):
        (swamp.directory / f"workflows/w{number}.yaml").write_text("jobs: []")
    assert len(offered(swamp, "workflow", "run", "w")) == OFFERED_MAX
