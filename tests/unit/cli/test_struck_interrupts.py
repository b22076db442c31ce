"""An interrupt that strikes where a library makes another error of it, or where nothing can be raised."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import signal, sys, weakref
from swamp_core.app import datastore_check
from swamp_core.cli import main
from swamp_core.flag import Flag

class Struck:
    def __init__(self): pass

def wrapped(*_, **__):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException as error:
        raise ValueError("The schema cannot be built") from error

def wrapped_without_a_trace(*_, **__):
    try:
        signal.raise_signal(signal.SIGINT)
    except BaseException:
        pass
    raise ValueError("The schema cannot be built")

def swallowed(*_, **__):
    struck = Struck()
    callback = weakref.ref(struck, lambda _: signal.raise_signal(signal.SIGINT))
    del struck
    Flag().wait(60)

{place} = {how}
from swamp_core.entry import run
sys.argv = ["swamp", *"{words}".split(), "--json"]
sys.exit(run())
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no timer that interrupts")
@pytest.mark.parametrize(
    ("place", "words"),
    [("main.root.main", "workflow list"), ("datastore_check.check_datastore", "datastore check")],
    ids=["a command", "a command that cleans up"],
)
@pytest.mark.parametrize("how", ["wrapped", "wrapped_without_a_trace", "swallowed"])
def test_an_interrupt_is_answered_as_one_wherever_it_strikes(how: str, place: str, words: str) -> None:
    """It is neither called a bug, nor lost, nor told as a traceback."""
    program = PROGRAM.replace("{how}", how).replace("{place}", place).replace("{words}", words)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=50, check=False
    )
    assert ended.returncode == 130
    assert not {"Exception", "Traceback", "bug"} & set(ended.stderr.split())
    assert '"code": "interrupted"' in ended.stdout
