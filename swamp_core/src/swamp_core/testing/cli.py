"""`python -m swamp_core.testing.cli ARGS…`: the command line of `swamp`, in a world that a test has chosen.

The world is read from the environment; what is not set is real:

- `SWAMP_TEST_NOW`: an ISO 8601 instant at which the clock stands still.
- `SWAMP_TEST_CLOCK_OFFSET_S`: seconds by which the clock is fast (slow where negative).
- `SWAMP_TEST_IDS`: a seed from 0 to 65,535 for the IDs. Processes that share a store need a seed each.
- `SWAMP_TEST_HOST`, `SWAMP_TEST_PID`, `SWAMP_TEST_USER`: who and where this process claims to be.
- `SWAMP_TEST_STOP`: `verb:key glob:n:before|after:kill|pause`, where the process kills itself with SIGKILL, or stops
  itself with SIGSTOP after a line `stopping: …` on stderr. Several are separated by `;`.
- `SWAMP_TEST_SILENCE_S`: seconds after which a store that does not answer is told of.
- `SWAMP_TEST_REQUESTS`: a file that gets a line `verb key` for each operation that is sent to the store.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

from swamp_core.ambient import Ambient, Clock, SystemClock, SystemIds
from swamp_core.app.workspace import Setting
from swamp_core.cli.invocation import Invocation
from swamp_core.cli.process import run_process
from swamp_core.entry import heeded_signals
from swamp_core.store.checked import CheckedStore
from swamp_core.store.protocol import SignalWaitStore
from swamp_core.store.registry import open_store
from swamp_core.testing.clock import FixedClock, OffsetClock
from swamp_core.testing.counting import counted
from swamp_core.testing.ids import SeededIds
from swamp_core.testing.stopping import Stop, StoppingStore


def ambient_from(environ: Mapping[str, str]) -> Ambient:
    """The surroundings that the environment asks for."""
    ids = environ.get("SWAMP_TEST_IDS")
    ambient = Ambient(clock=_clock(environ), ids=SeededIds(int(ids)) if ids else SystemIds())
    return replace(
        ambient,
        host=environ.get("SWAMP_TEST_HOST", ambient.host),
        pid=int(environ.get("SWAMP_TEST_PID", ambient.pid)),
        user=environ.get("SWAMP_TEST_USER", ambient.user),
    )


def open_watched(setting: Setting, environ: Mapping[str, str]) -> SignalWaitStore:
    """The store of the setting, with stops and a count as the environment asks for. They see what is really sent."""
    opened = open_store(setting)
    assert isinstance(opened, CheckedStore)
    store = opened.unchecked
    if requests := environ.get("SWAMP_TEST_REQUESTS"):
        store = counted(store, Path(requests))
    for stop in filter(None, environ.get("SWAMP_TEST_STOP", "").split(";")):
        store = StoppingStore(store, Stop.parse(stop))
    return CheckedStore(store, opened.name)


def _clock(environ: Mapping[str, str]) -> Clock:
    clock: Clock = SystemClock()
    if now := environ.get("SWAMP_TEST_NOW"):
        clock = FixedClock(datetime.fromisoformat(now))
    if offset_s := environ.get("SWAMP_TEST_CLOCK_OFFSET_S"):
        clock = OffsetClock(timedelta(seconds=float(offset_s)), clock)
    return clock


if __name__ == "__main__":
    sys.exit(
        run_process(
            heeded_signals(),
            ambient=ambient_from(os.environ),
            opener=lambda setting: open_watched(setting, os.environ),
            silence_s=float(os.environ.get("SWAMP_TEST_SILENCE_S", Invocation.silence_s)),
        )
    )
