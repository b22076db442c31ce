"""A command line in this process, in a fresh repo with the example, in a fixed world."""

from __future__ import annotations

import os
import signal
from datetime import UTC, datetime

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.init import init
from swamp_core.testing.clock import FakeClock, FixedClock
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.recording import CommandLineInProcess

NOW = datetime(2026, 7, 27, 12, tzinfo=UTC)


class InterruptingClock(FakeClock):
    """A clock during whose n-th wait a person presses Ctrl-C."""

    def __init__(self, now, *, waits):
        super().__init__(now)
        self._left = waits

    def wait(self, event, seconds):
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGINT)
        return super().wait(event, seconds)


@pytest.fixture
def swamp(tmp_path, monkeypatch):
    monkeypatch.delenv("SWAMP_DATASTORE", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    directory = tmp_path / "repo"
    init(directory)
    return CommandLineInProcess(directory, Ambient(FixedClock(NOW), SeededIds(1), "build-1", 1001, "ada"))


@pytest.fixture
def open_wait(swamp):
    """The ID of the wait of a fresh run of the example."""
    return swamp("workflow", "run", "release", "--json").json["waits"][0]["waitId"]
