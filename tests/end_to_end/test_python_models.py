"""Python models through the command line: found by their metadata, called, stopped, and missed where they are not."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from tests.end_to_end.conftest import CommandLine

ELSEWHERE = os.environ.get("PYTHONPATH")

MODULE = """
import os
import sys
from swamp_core import MethodContext

print("imported")

def find_region(name):
    raise LookupError(f"no such region: {name}")

class Releases:
    def deploy(self, context: MethodContext, tag: str, replicas: int = 1):
        print("deploying", tag)
        context.log(f"{replicas} replicas")
        return {"url": f"https://{tag}.example"}

    def fail(self, context: MethodContext):
        find_region("eu\\x1b[2J")

    def leave(self):
        sys.exit(7)

    def wait(self, context: MethodContext):
        os.write(2, b"the method waits\\n")
        context.stopped.wait()
        (context.repo_dir / "stopped").touch()
"""

WORKFLOW = """
inputs: {{ type: object, properties: {{ tag: {{ type: string }} }} }}
jobs:
  - name: ship
    steps:
      - {{ name: go, task: {{ type: model_method, modelIdOrName: acme, methodName: {method}, inputs: {inputs} }} }}
"""


@pytest.fixture
def acme(swamp: CommandLine, tmp_path: Path) -> CommandLine:
    """A repo with a model of a class that looks installed, and a workflow that calls it."""
    site = tmp_path / "site"
    metadata = site / "acme_releases-1.2.dist-info"
    metadata.mkdir(parents=True)
    (site / "acme_releases.py").write_text(MODULE, encoding="utf-8")
    (metadata / "METADATA").write_text("Name: acme-releases\nVersion: 1.2\n", encoding="utf-8")
    (metadata / "entry_points.txt").write_text(
        "[swamp.models]\nacme/releases = acme_releases:Releases\n", "utf-8"
    )
    swamp.write("models/acme.yaml", "type: acme/releases\n")
    swamp.write(
        "workflows/ship.yaml", WORKFLOW.format(method="deploy", inputs='{ tag: "${{ inputs.tag }}" }')
    )
    return swamp.at(swamp.directory, PYTHONPATH=os.pathsep.join([str(site), *filter(None, [ELSEWHERE])]))


def test_a_step_calls_a_method(acme: CommandLine) -> None:
    """Its inputs arrive, its outputs and its log are kept, and stdout holds one document whatever it prints."""
    run = acme.json("workflow", "run", "ship", "--input", "tag=v1")["run"]
    outputs = run["jobs"][0]["steps"][0]["outputs"]
    assert outputs == {"url": "https://v1.example", "stdout": "deploying v1\n1 replicas\n"}


def test_the_distribution_is_pinned(acme: CommandLine) -> None:
    """The run says which version it was started with."""
    run_id = acme.json("workflow", "run", "ship", "--input", "tag=v1")["run"]["id"]
    events = acme.json("workflow", "history", "get", run_id)["events"]
    stored = json.dumps(events) + "".join(text.decode("utf-8", "replace") for text in acme.stored().values())
    assert '"distribution":{"name":"acme-releases","version":"1.2"}' in stored.replace(" ", "")


def test_a_mistake_in_the_inputs_is_found_before_the_run(acme: CommandLine) -> None:
    """An unknown input, a missing one and a literal of the wrong type are told by `validate`, with their place."""
    acme.write("workflows/ship.yaml", WORKFLOW.format(method="deploy", inputs="{ tags: v1, replicas: two }"))
    validated = acme.json("workflow", "validate", "ship", code=1)
    found = [(each["code"], each["line"]) for view in validated["workflows"] for each in view["problems"]]
    assert sorted(found) == [("invalid_method_input", 6), ("missing_input", 6), ("unknown_input", 6)]
    assert acme.json("workflow", "run", "ship", code=3)["error"]["code"] == "invalid_workflow"


def test_a_method_that_exits_fails_its_step(acme: CommandLine) -> None:
    """The driver goes on to the end of the run."""
    acme.write("workflows/ship.yaml", WORKFLOW.format(method="leave", inputs="{}"))
    step = acme.json("workflow", "run", "ship", code=1)["run"]["jobs"][0]["steps"][0]
    assert (step["status"], step["error"]["code"]) == ("failed", "method_failed")
    assert step["error"]["message"] == "The method `leave` raised SystemExit: 7."


def test_a_traceback_is_told_line_by_line(acme: CommandLine) -> None:
    """Where a method failed is in the history and in the logs as Python tells it, and can do a terminal no harm."""
    acme.write("workflows/ship.yaml", WORKFLOW.format(method="fail", inputs="{}"))
    run_id = acme.json("workflow", "run", "ship", code=1)["run"]["id"]
    history = acme("workflow", "history", "get", run_id).out
    logs = acme("workflow", "history", "logs", run_id).out
    for shown in (history, logs):
        lines = [line.strip() for line in shown.splitlines()]
        assert "Traceback (most recent call last):" in lines
        assert any(line.endswith(", in find_region") for line in lines)
        assert "LookupError: no such region: eu\\x1b[2J" in lines
        assert "\\n" not in shown
    (log,) = acme.json("workflow", "history", "logs", run_id)["logs"]
    assert (log["stdout"], log["stderr"]) == ("", "")
    assert log["traceback"].endswith("LookupError: no such region: eu\x1b[2J\n")


def test_to_list_workflows_imports_nothing(acme: CommandLine) -> None:
    """Nor does it need the class: without it the list is the same."""
    listed = acme("workflow", "list")
    assert "imported" not in listed.out + listed.err
    assert "imported" in acme("workflow", "validate").err


def test_a_host_without_the_model_can_read_its_runs_and_start_none(acme: CommandLine) -> None:
    """The history needs nothing of the model; to start a run is refused, saying what is missing, once."""
    run_id = acme.json("workflow", "run", "ship", "--input", "tag=v1")["run"]["id"]
    acme.write("models/acme.yaml", "type: python\nclass: acme/releases\n")
    elsewhere = acme.at(acme.directory, PYTHONPATH=ELSEWHERE)
    assert elsewhere.json("workflow", "history", "get", run_id)["run"]["status"] == "succeeded"
    refused = elsewhere.json("workflow", "run", "ship", code=3)["error"]
    assert [each["code"] for each in refused["details"]["problems"]] == ["model_not_installed"]
    views = elsewhere.json("workflow", "validate", code=1)["workflows"]
    assert [(view["name"], view["valid"]) for view in views if view["name"] != "release"] == [
        ("ship", True),
        ("acme", False),
    ]


def test_an_interrupt_stops_a_method(acme: CommandLine) -> None:
    """The method is told, returns, and its step is cancelled."""
    acme.write("workflows/ship.yaml", WORKFLOW.format(method="wait", inputs="{}"))
    process = acme.start("workflow", "run", "ship", "--json")
    acme.told(process, "the method waits")
    process.send_signal(signal.SIGINT)
    ended = acme.finished(process, code=None)
    assert ended.code in (1, 130)
    assert (acme.directory / "stopped").exists()
