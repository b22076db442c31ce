"""What the store says to do about its trouble is told by every command, beside what the command says of itself."""

from dataclasses import replace

import pytest
from swamp_core.store.errors import OutcomeUnknown, StoreUnavailable
from swamp_core.store.registry import open_store
from swamp_core.testing.clock import FakeClock
from swamp_core.testing.faults import Fault, FaultyStore

from tests.unit.cli.conftest import NOW

PROXY = "Check the proxy of this network."
WORKFLOW = """
jobs:
  - name: release
    steps:
      - { name: gate, task: { type: manual_approval, prompt: "Ship?" } }
      - { name: ask, task: { type: wait_for_signal, timeout: 1h } }
"""
COMMANDS = {
    "run": "swamp workflow cancel ",
    "signal": "swamp workflow signal ",
    "approve": "swamp workflow approve ",
    "reject": "swamp workflow reject ",
    "resume": "swamp workflow resume ",
}


@pytest.fixture
def words(swamp):
    """A command of each kind that creates a record, by its name; a run waits for what it gives."""
    swamp.ambient = replace(swamp.ambient, clock=FakeClock(NOW))
    (swamp.directory / "workflows/both.yaml").write_text(WORKFLOW, encoding="utf-8")
    waits = {
        wait["step"]: wait["waitId"] for wait in swamp("workflow", "run", "both", "--json").json["waits"]
    }
    (example,) = swamp("workflow", "run", "release", "--json").json["waits"]
    swamp("workflow", "signal", example["waitId"], "--payload", '{"verdict":"ship"}')
    return {
        "run": ("run", "both"),
        "signal": ("signal", waits["ask"], "--payload", "{}"),
        "approve": ("approve", "both", "gate"),
        "reject": ("reject", "both", "gate"),
        "resume": ("resume", "release"),
    }


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", [StoreUnavailable, OutcomeUnknown])
def test_the_hint_of_the_store_stands_before_that_of_the_command(swamp, words, command, kind):
    """After where the store was set, the hint of the cause comes first, and last the command that goes on."""
    hint = _hint(swamp, words[command], _error(kind, PROXY))
    source, first, *_, last = hint.splitlines()
    assert (source, first) == ("The datastore is the default.", PROXY)
    assert last.startswith(COMMANDS[command])


@pytest.mark.parametrize("kind", [StoreUnavailable, OutcomeUnknown])
def test_what_every_error_says_gives_way_to_the_command_that_goes_on(swamp, words, kind):
    """To repeat the command as it is would send another signal."""
    hint = _hint(swamp, words["signal"], _error(kind, None))
    assert hint.splitlines()[1].startswith("Repeat the signal; it is then taken once")


def _error(kind, hint):
    return kind("No route", hint=hint, **({"put_id": "1"} if kind is OutcomeUnknown else {}))


def _hint(swamp, words, error):
    swamp.opener = lambda setting: FaultyStore(
        open_store(setting), Fault("put_if_absent", error, "before", times=None)
    )
    answer = swamp("workflow", *words, "--json")
    assert answer.code == 4, answer
    return answer.json["error"]["hint"]
