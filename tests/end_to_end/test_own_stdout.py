"""Stdout holds the answer and nothing else, whatever a model's code does to the streams of the process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.end_to_end.conftest import CommandLine

pytestmark = pytest.mark.only_local("what is written to stdout does not know the store")

MODULE = """
import os
import subprocess
import sys
import threading

class Noisy:
    def child(self):
        subprocess.run(["echo", "noise"])

    def descriptor(self):
        os.write(1, b"noise\\n")

    def thread(self):
        thread = threading.Thread(target=print, args=("noise",))
        thread.start()
        thread.join()

    def buffer(self):
        sys.stdout.buffer.write(b"noise\\n")
        sys.stdout.buffer.flush()

    def close(self):
        sys.stdout.close()
        sys.stderr.close()
        print("caught")
        print("noise", file=sys.__stdout__)

    def close_descriptor(self):
        os.write(2, b"noise\\n")
        os.close(1)
"""
WORKFLOW = """
jobs:
  - name: j
    steps:
      - { name: s, task: { type: model_method, modelIdOrName: noisy, methodName: METHOD } }
      - { name: after, dependsOn: [s], task: { type: model_method, modelIdOrName: noisy, methodName: child } }
"""
METHODS = ("child", "descriptor", "thread", "buffer", "close", "close_descriptor")
PATIENCE_S = 60.0


@pytest.fixture
def noisy(swamp: CommandLine, tmp_path: Path) -> CommandLine:
    """A repo with a model that does not leave stdout alone."""
    metadata = tmp_path / "site" / "noisy-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1\n", encoding="utf-8")
    (tmp_path / "site" / "noisy.py").write_text(MODULE, encoding="utf-8")
    swamp.write("models/noisy.yaml", "type: python\nclass: noisy:Noisy\n")
    paths = [str(tmp_path / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    return swamp.at(swamp.directory, PYTHONPATH=os.pathsep.join(paths))


@pytest.mark.parametrize("method", METHODS)
def test_with_json_stdout_is_one_document(noisy: CommandLine, method: str) -> None:
    """What escapes the step's log is told on stderr."""
    noisy.write("workflows/noisy.yaml", WORKFLOW.replace("METHOD", method))
    ended = noisy("workflow", "run", "noisy", "--json")
    assert json.loads(ended.out)["run"]["status"] == "succeeded"
    assert "noise" in ended.err


@pytest.mark.parametrize("method", METHODS)
def test_without_json_stdout_is_the_answer(noisy: CommandLine, method: str) -> None:
    """The text is what it is with a quiet model."""
    noisy.write("workflows/noisy.yaml", WORKFLOW.replace("METHOD", method))
    assert "noise" not in noisy("workflow", "run", "noisy").out


def test_what_is_printed_after_a_close_is_still_caught(noisy: CommandLine) -> None:
    """A method that closes stdout closes it for nobody, not for itself either."""
    noisy.write("workflows/noisy.yaml", WORKFLOW.replace("METHOD", "close"))
    run = noisy.json("workflow", "run", "noisy")["run"]
    assert run["jobs"][0]["steps"][0]["outputs"] == {"stdout": "caught\n"}


@pytest.mark.parametrize("redirected", [">&-", ">/dev/full", "2>&-", "2>&- >&-", "<&- >&- 2>&-"])
def test_a_stream_that_is_missing_or_full_changes_only_the_answer(
    noisy: CommandLine, redirected: str
) -> None:
    """The run is carried out, and no file that is opened meanwhile gets what a model writes."""
    noisy.write("workflows/noisy.yaml", WORKFLOW.replace("METHOD", "descriptor"))
    command = f'exec "{sys.executable}" -P -m swamp_core workflow run noisy --json {redirected}'
    env = {**os.environ, **{name: value for name, value in noisy.environ.items() if value is not None}}
    ended = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=noisy.directory,
        env=env,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == (70 if "full" in redirected else 0), ended.stderr
    assert [each["status"] for each in noisy.json("workflow", "history", "list")["runs"]] == ["succeeded"]
    assert not any(b"noise" in data for data in noisy.stored().values())
