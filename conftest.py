"""What holds for every test: how busy the machine is, and what it was started by, decide nothing."""

from __future__ import annotations

import signal

from hypothesis import settings

settings.register_profile("swamp", deadline=None)
settings.load_profile("swamp")

# A process inherits that signals are ignored, from `nohup` or a shell's background job; the tests send them.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)

pytest_plugins = ["tests.servers.fixtures"]
