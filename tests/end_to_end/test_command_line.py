"""The command line as a process: that every command is wired, signals, pipes, bytes, terminals."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

pytestmark = pytest.mark.only_local("terminals, streams and help are the same whatever keeps the state")

SLOW = """
jobs:
  - name: j
    steps:
      - { name: slow, task: { type: model_method, modelIdOrName: slow, methodName: METHOD } }
"""
SLOW_MODEL = """
type: command/shell
name: slow
methods:
  gentle: { run: 'echo $$ > pid; exec sleep 60' }
  stubborn: { run: 'trap "" TERM; exec 3> held; echo $$ > pid; while :; do sleep 60; done' }
"""
PATIENCE_S = 30.0


@pytest.fixture
def pid_of_step(swamp):
    """Waits for the process ID that the running step tells, without looking at a clock again and again."""
    path = swamp.directory / "pid"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    def pid_of_step() -> int:
        readable, _, _ = select.select([reader], [], [], PATIENCE_S)
        assert readable, "No step has told its process ID."
        return int(os.read(reader, 100))

    yield pid_of_step
    os.close(reader)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_every_command_works_as_a_process(swamp, tmp_path):
    """The whole loop by the program itself: each command once, and the answer in its exit code and on stdout."""
    swamp.at(tmp_path)("init", "fresh")
    assert (tmp_path / "fresh" / "workflows" / "release.yaml").is_file()
    assert [each["name"] for each in swamp.json("workflow", "list")["workflows"]] == ["release"]
    swamp("workflow", "validate")
    (wait,) = swamp.json("workflow", "run", "release", "--input", "env=prod")["waits"]
    assert wait["waitId"] in swamp("workflow", "waits").out
    swamp("workflow", "recover", "release", "--run", wait["runId"], code=3)
    payload = ("--payload-file", "-")
    swamp("workflow", "signal", wait["waitId"], *payload, stdin='{"verdict":"ship"}')
    assert swamp.json("workflow", "resume", "release")["run"]["status"] == "succeeded"
    (other,) = swamp.json("workflow", "run", "release")["waits"]
    assert swamp.json("workflow", "cancel", other["runId"])["run"]["status"] == "cancelled"
    assert [run["status"] for run in swamp.json("workflow", "history", "list")["runs"]] == [
        "cancelled",
        "succeeded",
    ]
    assert swamp.json("workflow", "history", "get", wait["runId"])["events"][0]["event"] == "run_started"
    assert swamp.json("datastore", "show")["from"] == "default"
    assert "local" in [store["type"] for store in swamp.json("datastore", "stores")["stores"]]


def test_the_demo_plays_the_whole_loop(swamp):
    """It says that it is done, every command did what the story tells, and no directory is left."""
    before = set(Path("/tmp").glob("swamp-demo-*"))
    ended = swamp("demo", "--json")
    assert ended.json["ok"] is True
    assert [each["exitCode"] for each in ended.json["commands"]] == [0, 0, 0, 3, 0, 0, 0, 0]
    assert "the release is shipped" in ended.err
    assert set(Path("/tmp").glob("swamp-demo-*")) <= before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_cancels_the_run_and_ends_its_steps(swamp, pid_of_step, number):
    """Exit code 130; the run is cancelled, nothing of it is left running, and the answer is still one document."""
    swamp.write("workflows/slow.yaml", SLOW.replace("METHOD", "gentle"))
    swamp.write("models/slow.yaml", SLOW_MODEL)
    process = swamp.start("workflow", "run", "slow", "--json")
    step = pid_of_step()
    process.send_signal(number)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, json.loads(out)["run"]["status"]) == (130, "cancelled")
    assert "Interrupted; the run is being cancelled." in err
    assert not is_alive(step)
    assert [run["status"] for run in swamp.json("workflow", "history", "list")["runs"]] == ["cancelled"]


def test_a_second_interrupt_leaves_at_once(swamp, pid_of_step):
    """A step that does not want to end holds nobody, and is killed; the run is interrupted, and can be recovered."""
    swamp.write("workflows/slow.yaml", SLOW.replace("METHOD", "stubborn"))
    swamp.write("models/slow.yaml", SLOW_MODEL)
    os.mkfifo(swamp.directory / "held")
    held = os.open(swamp.directory / "held", os.O_RDONLY | os.O_NONBLOCK)
    process = swamp.start("workflow", "run", "slow")
    step = pid_of_step()
    try:
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        for line in process.stderr:
            if "Interrupted" in line:
                break
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=PATIENCE_S) == 130
        ended, _, _ = select.select([held], [], [], PATIENCE_S)
        assert ended, "The step has outlived its driver."
        assert os.read(held, 1) == b""
    finally:
        os.close(held)
        with suppress(ProcessLookupError):
            os.killpg(step, signal.SIGKILL)
    (run,) = swamp.json("workflow", "history", "list")["runs"]
    assert run["status"] == "interrupted"


@pytest.mark.parametrize(
    "words", [["--help"], ["workflow", "list"], ["workflow", "list", "--json"], ["bogus", "--json"]]
)
def test_a_reader_that_left_is_no_error(swamp, words):
    """`swamp … | true` says nothing of it, and ends as the command ends."""
    read, write = os.pipe()
    os.close(read)
    ended = subprocess.run(
        [sys.executable, "-P", "-m", "swamp_core", *words],
        cwd=swamp.directory,
        stdout=write,
        stderr=subprocess.PIPE,
        timeout=PATIENCE_S,
        check=False,
    )
    os.close(write)
    assert (ended.returncode, ended.stderr) == (2 if "bogus" in words else 0, b"")


def test_a_full_disk_under_stdout_is_told(swamp):
    """A script must not take a lost answer for none: the exit code is not 0, and stderr says that the work was done."""
    with Path("/dev/full").open("wb") as full:
        ended = subprocess.run(
            [sys.executable, "-P", "-m", "swamp_core", "workflow", "list"],
            cwd=swamp.directory,
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=PATIENCE_S,
            check=False,
        )
    assert ended.returncode == 70
    assert ended.stderr.decode().startswith(
        "Error: The command was done, but its answer could not be written"
    )


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(swamp, closed):
    """A service may start a command without stdin, stdout or stderr; the work is done."""
    command = f'exec "{sys.executable}" -P -m swamp_core workflow run release --json {closed}'
    ended = subprocess.run(
        ["/bin/sh", "-c", command], cwd=swamp.directory, capture_output=True, timeout=PATIENCE_S, check=False
    )
    assert ended.returncode == 0
    assert b"Traceback" not in ended.stderr
    assert len(swamp.json("workflow", "waits")["waits"]) == 1


def test_bytes_that_are_not_text_get_an_answer(swamp):
    """Arguments are bytes: what is no UTF-8 is a mistake or names nothing, and the answer is a document."""
    assert swamp.json("workflow", "waits", "--workflow", b"\xff", code=2)["error"]["code"] == "usage"
    assert (
        swamp.json("workflow", "signal", b"\xff\xfe", "--payload", "{}", code=3)["error"]["code"]
        == "unknown_wait"
    )
    refused = swamp.json("workflow", "signal", "00050001", "--payload", b'{"a":"\xff"}', code=3)
    assert refused["error"]["code"] == "invalid_payload"


def test_a_huge_argument_is_refused(swamp):
    """As long as the system lets an argument be."""
    huge = "x" * 120_000
    assert (
        swamp.json("workflow", "signal", huge, "--payload", "{}", code=3)["error"]["code"] == "unknown_wait"
    )
    assert (
        swamp.json("workflow", "signal", "00050001", "--payload", huge, code=3)["error"]["code"]
        == "invalid_payload"
    )
    assert swamp.json("workflow", "run", huge, code=3)["error"]["code"] == "unknown_workflow"


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("swamp wor", ["workflow"]),
        ("swamp workflow wa", ["waits", "watch"]),
        ("swamp workflow run rel", ["release"]),
        ("swamp workflow signal --pay", ["--payload", "--payload-file"]),
    ],
)
def test_tab_completes_commands_and_options(swamp, typed, expected):
    """The completion of the shell works with commands that are imported when needed."""
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_SWAMP_COMPLETE": "bash_complete"}
    out = swamp.at(swamp.directory, **words)().out
    assert [line.split(",")[1] for line in out.splitlines()] == expected


def test_a_process_that_pauses_at_an_operation_goes_on_when_it_is_told(swamp):
    """A test can act while a process stands at a certain write: it says where it stands, and goes on at SIGCONT."""
    process = swamp.start("workflow", "run", "release", "--json", stop="put_if_absent:waits/*:1:before:pause")
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("stopping: pause before put_if_absent waits/*"):
            break
    swamp.stopped(process)
    assert swamp.json("workflow", "waits")["waits"] == []
    process.send_signal(signal.SIGCONT)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, json.loads(out)["run"]["status"]) == (0, "suspended")


def test_a_process_that_is_killed_at_an_operation_is_gone(swamp):
    """It leaves what it had written, and no more."""
    ended = swamp(
        "workflow", "run", "release", code=-signal.SIGKILL, stop="put_if_absent:runs/*:1:before:kill"
    )
    assert ended.out == ""
    assert swamp.json("workflow", "history", "list") == {"runs": []}


def on_a_terminal(swamp, *words, typed=(), **environ):
    """Run a command on a terminal; what it shows. `typed` are pairs: when this is shown, that is typed."""
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "SWAMP_DATASTORE")}
    env |= {"TERM": "xterm-256color", "COLUMNS": "120", **environ}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "swamp_core", *words],
        cwd=swamp.directory,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    shown, answers, seen = b"", list(typed), 0
    try:
        while True:
            try:
                read = os.read(ours, 65536)
            except OSError:  # Linux says so when the other side is closed.
                break
            if not read:
                break
            shown += read
            if answers and answers[0][0].encode() in shown[seen:]:
                seen = len(shown)
                os.write(ours, answers.pop(0)[1].encode())
        code = process.wait(timeout=PATIENCE_S)
    finally:
        os.close(ours)
        process.kill()
        process.wait()
    return code, shown.decode()


def without_colours(shown: str) -> str:
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown).replace("\r", "")


def test_a_terminal_gets_colours_and_a_live_view(swamp):
    """A running step is shown with its time; what has ended stays, and the cursor is given back."""
    code, shown = on_a_terminal(swamp, "workflow", "run", "release")
    assert code == 0
    assert "\x1b[32mbuild/compile succeeded" in shown
    assert "▸ build/compile  0." in without_colours(shown)
    assert shown.count("\x1b[?25l") == shown.count("\x1b[?25h") == 1
    command = next(
        line for line in without_colours(shown).split("\n") if line.startswith("swamp workflow signal")
    )
    assert command.endswith('--payload \'{"verdict":"ship"}\'')


def test_without_colours_a_terminal_gets_none(swamp):
    """NO_COLOR is kept: not one escape sequence is sent, by a list, a run that is followed, or a question."""
    _, shown = on_a_terminal(swamp, "workflow", "list", NO_COLOR="1")
    _, followed = on_a_terminal(swamp, "workflow", "run", "release", NO_COLOR="1")
    wait_id = swamp.json("workflow", "waits")["waits"][0]["waitId"]
    _, asked = on_a_terminal(swamp, "workflow", "signal", wait_id, typed=[("> ", "\x04")], NO_COLOR="1")
    assert "\x1b" not in shown + followed + asked
    assert "release" in shown
    assert "build/compile succeeded" in followed
    assert "must carry no secret" in asked


def test_a_person_at_a_terminal_is_asked_for_the_payload(swamp):
    """A wrong answer is asked for again, an empty one leaves the optional field out, and the run goes on."""
    (wait,) = swamp.json("workflow", "run", "release")["waits"]
    code, shown = on_a_terminal(
        swamp,
        "workflow",
        "signal",
        wait["waitId"][:8],
        "--resume",
        typed=[("> ", "maybe\n"), ("> ", "ship\n"), ("> ", "\n")],
    )
    told = without_colours(shown)
    assert code == 0, told
    assert "one of  ship, fix, abandon" in told
    assert 'is "maybe"' in told
    assert "The run of release succeeded." in told
    (review, _, _) = swamp.json("workflow", "history", "get", "release")["run"]["jobs"][1]["steps"]
    assert review["outputs"]["payload"] == {"verdict": "ship"}


def test_control_c_at_a_question_sends_nothing(swamp):
    """Exit code 130, and the wait stays open."""
    (wait,) = swamp.json("workflow", "run", "release")["waits"]
    code, _ = on_a_terminal(swamp, "workflow", "signal", wait["waitId"], typed=[("> ", "\x04")])
    assert code == 130
    assert len(swamp.json("workflow", "waits")["waits"]) == 1
