"""A command line in this process, in a fresh repo with the example, in a fixed world."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from swamp_core.ambient import Ambient
from swamp_core.app.init import init
from swamp_core.testing.clock import FixedClock
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.recording import CommandLineInProcess

NOW = datetime(2026, 7, 27, 12, tzinfo=UTC)


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
