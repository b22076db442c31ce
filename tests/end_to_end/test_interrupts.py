"""An interrupt at each moment of a drive, from its first record to its answer: one rule, and what is told is true.

It cancels the run as long as the drive has not let go of it. After that a suspended run stays suspended.
"""

import json
import os
import signal
import subprocess

import pytest

GATED = """
jobs:
  - name: release
    steps:
      - { name: gate, task: { type: manual_approval, prompt: "Ship?" } }
      - name: tidy
        dependsOn: [{ step: gate, condition: { type: always } }]
        task: { type: model_method, modelIdOrName: release, methodName: count }
"""
NESTED = """
jobs:
  - name: above
    steps: [{ name: below, task: { type: workflow, workflowIdOrName: below } }]
"""
STUBBORN = """
jobs:
  - name: release
    steps: [{ name: work, task: { type: model_method, modelIdOrName: stubborn, methodName: hold } }]
"""
STUBBORN_MODEL = """
type: command/shell
methods: { hold: { run: 'trap "" TERM; echo holding >&2; until test -e enough; do sleep 0.1; done' } }
"""
CANCELLING = "Interrupted; the run is being cancelled."
BEFORE_THE_END = [
    *((f"put_if_absent:runs/*:{number}", when) for number in (1, 2, 3, 4) for when in ("before", "after")),
    ("get:wait-outcomes/*:1", "before"),
    ("get:wait-outcomes/*:1", "after"),
]
"""The creates of the start, the plan, the gate that opens and the suspension; and the last look at the gate."""


def interrupted(swamp, stop, when, *, number=signal.SIGINT, words=("run", "release")):
    """The command that is interrupted while it is stopped there, once it has ended with 130."""
    driver = swamp.start("workflow", *words, "--json", stop=f"{stop}:{when}:pause")
    swamp.stopped(driver)
    driver.send_signal(number)
    driver.send_signal(signal.SIGCONT)
    return swamp.finished(driver, code=130)


@pytest.mark.parametrize(("stop", "when"), BEFORE_THE_END)
def test_an_interrupt_of_a_drive_cancels_the_run(release, stop, when):
    """Until the drive has let go of the run its end is cancelled, cleaned up and told, also while it is suspended."""
    release.swamp.write("workflows/release.yaml", GATED)
    ended = interrupted(release.swamp, stop, when)
    assert CANCELLING in ended.err
    assert ended.json["run"]["status"] == "cancelled"
    assert [run["status"] for run in release.runs()] == ["cancelled"]
    assert release.swamp.json("workflow", "approvals")["waits"] == []
    assert release.done() == {"tidy": 1}


def test_an_interrupt_after_the_drive_leaves_the_run_suspended(release):
    """The answer is being put together: the run stays suspended, which is said, with the command that ends it."""
    release.swamp.write("workflows/release.yaml", NESTED)
    release.swamp.write("workflows/below.yaml", GATED)
    ended = interrupted(release.swamp, "list:runs/*:3", "before")
    assert "Interrupted; the run stays suspended." in ended.err
    assert ended.json["run"]["status"] == "suspended"
    told = ended.err.splitlines()
    release.swamp.pasted(told[told.index("The run is not cancelled. Cancel it with:") + 1])
    assert {run["status"] for run in release.runs()} == {"cancelled"}


def test_a_run_that_another_process_took_up_is_not_cancelled_for_the_interrupt(release):
    """A gate that is approved and resumed in the same moment wins: the run is the other process's, and that is told."""
    release.swamp.write("workflows/release.yaml", GATED)
    driver = release.swamp.start(
        "workflow", "run", "release", "--json", stop="put_if_absent:runs/*:4:after:pause"
    )
    release.swamp.stopped(driver)
    driver.send_signal(signal.SIGINT)
    release.swamp("workflow", "approve", "release", "gate", "--resume")
    driver.send_signal(signal.SIGCONT)
    ended = release.swamp.finished(driver)
    assert ended.json["run"]["status"] == "succeeded"
    assert release.done() == {"tidy": 1}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (signal.SIGINT, signal.SIGINT),
        (signal.SIGINT, signal.SIGTERM),
        (signal.SIGTERM, signal.SIGTERM),
        (signal.SIGTERM, signal.SIGINT),
        (signal.SIGHUP, signal.SIGTERM),
    ],
)
def test_a_second_interrupt_answers_too(release, first, second):
    """Whichever two signals they are: one document, 130, and the command that takes the run up again, which works."""
    driver = stubborn(release.swamp)
    driver.send_signal(first)
    release.swamp.told(driver, CANCELLING)
    driver.send_signal(second)
    error = release.swamp.finished(driver, code=130).json["error"]
    (run,) = release.runs()
    assert (error["code"], error["details"], run["status"]) == (
        "interrupted",
        {"runId": run["id"]},
        "interrupted",
    )
    recover, cancel = (line for line in error["hint"].splitlines() if line.startswith("swamp "))
    release.swamp.pasted(f"{recover} --acknowledge-unknown", code=None)  # 1 where the cancel was recorded.
    release.swamp.pasted(cancel)
    assert [each["status"] for each in release.runs()] == ["cancelled"]


def test_a_second_hangup_does_not_cut_the_end_short(release):
    """A terminal that closes often sends two: the run is cancelled all the same, and one document says so."""
    driver = stubborn(release.swamp)
    driver.send_signal(signal.SIGHUP)
    release.swamp.told(driver, CANCELLING)
    driver.send_signal(signal.SIGHUP)
    release.swamp.write("enough", "")
    assert release.swamp.finished(driver, code=130).json["run"]["status"] == "cancelled"


def test_without_json_a_second_interrupt_says_how_to_go_on(release):
    """The sentence and the commands go to stderr, and stdout stays empty."""
    driver = stubborn(release.swamp, "--no-color")
    driver.send_signal(signal.SIGINT)
    release.swamp.told(driver, CANCELLING)
    driver.send_signal(signal.SIGTERM)
    ended = release.swamp.finished(driver, code=130)
    (run,) = release.runs()
    assert ended.out == ""
    assert f"swamp workflow recover release --run {run['id']}" in ended.err.splitlines()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_command_that_only_reads_is_interrupted_with_an_answer(release, number):
    """Each of the three signals is answered as Ctrl-C is, by every command."""
    ended = interrupted(release.swamp, "list:*:1", "before", number=number, words=("history", "list"))
    assert ended.json["error"]["code"] == "interrupted"


@pytest.mark.only_local("the end of a process does not know the store")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_after_the_answer_changes_nothing(release, tmp_path, number):
    """A thread that a model left behind keeps the process: an interrupt ends it, with the exit code of the answer."""
    driver = lingering(release.swamp, tmp_path)
    assert driver.stdout is not None
    answer = json.loads("".join(iter(driver.stdout.readline, "}\n")) + "}")
    driver.send_signal(number)
    assert release.swamp.finished(driver).out == ""
    assert answer["run"]["status"] == "succeeded"


def stubborn(swamp, *options: str) -> subprocess.Popen[str]:
    """A driver whose step has begun, and does not end when it is asked to, but when there is a file `enough`."""
    swamp.write("workflows/release.yaml", STUBBORN)
    swamp.write("models/stubborn.yaml", STUBBORN_MODEL)
    shown = options or ("--json",)
    driver = swamp.start("workflow", "run", "release", "--verbose", *shown)
    swamp.told(driver, "holding")
    return driver


def lingering(swamp, directory) -> subprocess.Popen[str]:
    """A driver whose run ends, and whose process does not."""
    metadata = directory / "site" / "linger-1.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: linger\nVersion: 1\n")
    (directory / "site" / "linger.py").write_text(
        "import threading\n"
        "class Lingering:\n"
        "    def hold(self):\n"
        "        threading.Thread(target=threading.Event().wait).start()\n"
    )
    swamp.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, (str(directory / "site"), os.environ.get("PYTHONPATH")))
    )
    swamp.write("workflows/release.yaml", STUBBORN)
    swamp.write("models/stubborn.yaml", "type: python\nclass: linger:Lingering\n")
    return swamp.start("workflow", "run", "release", "--json")
