"""The Tab key through the protocol of a shell: what is offered is what the command would take, and no more."""

from __future__ import annotations

import shlex
import signal

import pytest

from tests.end_to_end.conftest import CommandLine

WAITING = """
inputs: { type: object, properties: { env: { type: string, description: "Where,\\n to" } } }
jobs:
  - name: ask
    steps:
      - { name: tell, task: { type: wait_for_signal, timeout: 1h } }
      - { name: sign, task: { type: manual_approval, prompt: Sure? } }
      - { name: seal, task: { type: manual_approval, prompt: Really? } }
"""

LOST = """
jobs:
  - name: check
    steps:
      - { name: sum, task: { type: assert, expr: "${{ 1 + 1 == 2 }}", message: It is not. } }
"""


def pressed(swamp: CommandLine, line: str) -> list[str]:
    """What bash is told to offer when Tab is pressed at the end of the line."""
    words = shlex.split(line)
    typed = words if line.endswith(" ") else words[:-1]
    shell = swamp.at(
        swamp.directory, _SWAMP_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(typed))
    )
    return [offer.partition(",")[2] for offer in shell().out.split()]


@pytest.fixture
def waiting(swamp: CommandLine) -> dict[str, str]:
    """The wait IDs by step of a run that waits for a signal and for two approvals; its own ID is at `""`."""
    swamp.write("workflows/waiting.yaml", WAITING)
    left = swamp.json("workflow", "run", "waiting")
    return {"": left["run"]["id"]} | {wait["step"]: wait["waitId"] for wait in left["waits"]}


def test_what_is_waited_for_is_offered(swamp: CommandLine, waiting: dict[str, str]) -> None:
    """`signal` offers no gate, and `approve` and `reject` offer only gates that nobody has decided."""
    assert pressed(swamp, "swamp workflow signal ") == [waiting["tell"]]
    assert pressed(swamp, f"swamp workflow signal {waiting['sign'][:8]}") == []
    assert sorted(pressed(swamp, "swamp workflow approve waiting ")) == ["seal", "sign"]
    swamp("workflow", "approve", "waiting", "seal")
    swamp("workflow", "signal", waiting["tell"], "--payload", "{}")
    for command in ("approve", "reject"):
        assert pressed(swamp, f"swamp workflow {command} ") == ["waiting"]
        assert pressed(swamp, f"swamp workflow {command} {waiting[''][:9]}") == [waiting[""]]
        assert pressed(swamp, f"swamp workflow {command} waiting ") == ["sign"]
        assert pressed(swamp, f"swamp workflow {command} {waiting['']} ask/") == ["ask/sign"]
        assert pressed(swamp, f"swamp workflow {command} waiting --run ") == [waiting[""]]
    assert pressed(swamp, "swamp workflow approve release ") == []
    assert pressed(swamp, "swamp workflow signal ") == []


def test_only_lost_runs_are_offered_to_recover(swamp: CommandLine, waiting: dict[str, str]) -> None:
    """A run that is suspended is none; one whose process was killed is."""
    assert pressed(swamp, "swamp workflow recover ") == []
    swamp.write("workflows/lost.yaml", LOST)
    process = swamp.start("workflow", "run", "lost", stop="put_if_absent:runs/*:2:before:pause")
    swamp.stopped(process)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert pressed(swamp, "swamp workflow recover ") == ["lost"]
    (run_id,) = pressed(swamp, "swamp workflow recover lost --run ")
    assert pressed(swamp, f"swamp workflow recover {run_id[:13]}") == [run_id]
    assert waiting[""] != run_id


def test_every_run_that_a_command_takes_is_offered(swamp: CommandLine, waiting: dict[str, str]) -> None:
    """To look at a run, to retry a step of it, or to delete it; and the inputs of one that is to be started."""
    run_id = waiting[""]
    assert pressed(swamp, "swamp workflow run waiting --input ") == ["env="]
    assert pressed(swamp, "swamp workflow resume waiting --from ") == ["tell", "sign", "seal"]
    for command in ("watch", "history logs", "history get", "delete"):
        assert pressed(swamp, f"swamp workflow {command} ") == ["waiting"]
    for command in ("watch", "history logs", "history get"):
        assert pressed(swamp, f"swamp workflow {command} {run_id[:8]}") == [run_id]
    assert pressed(swamp, "swamp workflow graph waiting --run ") == [run_id]
    assert pressed(swamp, "swamp run delete ") == []
    assert pressed(swamp, "swamp run delete --force ") == [run_id]
    swamp("workflow", "cancel", "waiting")
    assert pressed(swamp, "swamp run delete ") == [run_id]
    assert pressed(swamp, "swamp workflow cancel ") == []
