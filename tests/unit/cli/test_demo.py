"""The demo tells what happened, and fails loudly when something else does."""

import sys

import pytest
from swamp_core.cli import demonstration
from swamp_core.cli.demonstration import play
from swamp_core.cli.failures import DemoFailed
from swamp_core.cli.output import Output


def test_a_command_that_ends_otherwise_ends_the_demo(monkeypatch, tmp_path):
    """The demo says which command, and leaves no directory behind."""
    monkeypatch.setattr(demonstration, "COMMAND", (sys.executable, "-c", "raise SystemExit(7)"))
    monkeypatch.setattr(demonstration.tempfile, "tempdir", str(tmp_path))
    with pytest.raises(DemoFailed, match="`swamp init` ended with exit code 7, not with 0"):
        play(Output())
    assert list(tmp_path.iterdir()) == []


def test_a_failed_demo_is_an_error(swamp, monkeypatch):
    """Its exit code is 1, and with `--json` the error is the document."""
    monkeypatch.setattr(demonstration, "COMMAND", (sys.executable, "-c", "raise SystemExit(7)"))
    answer = swamp("demo", "--json")
    assert (answer.code, answer.json["error"]["code"]) == (1, "demo_failed")


def test_a_command_that_hangs_ends_the_demo(monkeypatch):
    """The demo never waits for ever."""
    monkeypatch.setattr(
        demonstration, "COMMAND", (sys.executable, "-c", "import threading; threading.Event().wait()")
    )
    monkeypatch.setattr(demonstration, "TIMEOUT_S", 0.2)
    with pytest.raises(DemoFailed, match=r"`swamp init` took longer than 0\.2 s"):
        play(Output())


def test_the_demo_never_touches_the_datastore_that_is_set(monkeypatch, tmp_path):
    """With SWAMP_DATASTORE in the environment it still plays in its own directory."""
    monkeypatch.setenv("SWAMP_DATASTORE", "file:///somebody/elses")
    program = (
        f"import os; open({str(tmp_path / 'seen')!r}, 'w').write(repr(os.environ.get('SWAMP_DATASTORE')))"
    )
    monkeypatch.setattr(demonstration, "COMMAND", (sys.executable, "-c", f"{program}; raise SystemExit(7)"))
    with pytest.raises(DemoFailed):
        play(Output())
    assert (tmp_path / "seen").read_text() == "None"
