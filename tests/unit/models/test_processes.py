"""Ending all that was started, when the process must leave at once."""

import os
import signal
import subprocess
import threading

import pytest
from swamp_core.models import processes
from swamp_core.models.processes import ProcessGroup, kill_all, shell_command

PATIENCE_S = 30


@pytest.mark.skipif(os.name != "posix", reason="there are no groups")
def test_a_script_that_is_just_being_started_is_ended_too(tmp_path, monkeypatch):
    """Its process runs, but the thread that starts it has not been told its ID when all are to be ended."""
    runs, looked = threading.Event(), threading.Event()

    class Looked(set):
        def __bool__(self):
            looked.set()
            return len(self) > 0

    class SlowlyTold(subprocess.Popen):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            runs.set()
            looked.wait(PATIENCE_S)

    monkeypatch.setattr(processes, "_starting", Looked())
    monkeypatch.setattr(processes.subprocess, "Popen", SlowlyTold)
    codes = []

    def start():
        group = ProcessGroup(shell_command("exec sleep 60"), env={}, working_dir=tmp_path)
        group.wait()
        group.stdout.close()
        group.stderr.close()
        codes.append(group.close())

    starting = threading.Thread(target=start)
    starting.start()
    assert runs.wait(PATIENCE_S)
    kill_all()
    starting.join(PATIENCE_S)
    assert codes == [-signal.SIGKILL]
