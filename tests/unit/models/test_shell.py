"""Scripts as real processes: what they are given, what comes back, and that nothing of them is left."""

import json
import os
import signal
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from swamp_core.models import shell
from swamp_core.models.definition import ShellMethod
from swamp_core.models.method import Invocation
from swamp_core.models.shell import ShellCall

PATIENCE_S = 30


@pytest.fixture
def invocation(tmp_path):
    def invocation(**inputs):
        return Invocation("release", "run-1", "ship", "deploy", tmp_path, inputs)

    return invocation


@pytest.fixture
def run(invocation):
    def run(script, inputs=None, **method):
        return ShellCall(ShellMethod(run=script, **method)).run(invocation(**inputs or {}))

    return run


def aside(action):
    """What the action gives, as a future; its thread is let go if a broken promise makes it block for ever."""
    future = Future()

    def act():
        try:
            future.set_result(action())
        except BaseException as error:
            future.set_exception(error)

    threading.Thread(target=act, daemon=True).start()
    return future


class Started:
    """A script that runs in a thread and has said, through a pipe, that it has come to where it waits."""

    def __init__(self, script, invocation, tmp_path, **method):
        self.fifo = tmp_path / "ready"
        os.mkfifo(self.fifo)
        self.call = ShellCall(ShellMethod(run=script, **method))
        self._result = aside(lambda: self.call.run(invocation()))

    def wait_until_ready(self):
        return aside(self.fifo.read_text).result(PATIENCE_S)

    def result(self):
        return self._result.result(PATIENCE_S)


@pytest.fixture
def start(invocation, tmp_path):
    return lambda script, **method: Started(script, invocation, tmp_path, **method)


def test_a_script_gives_its_outputs_beside_what_it_printed(run):
    """Exit code, both streams, and the lines of $SWAMP_OUTPUT are the outputs."""
    result = run('echo hello; echo careful >&2; echo tag=v1 >>"$SWAMP_OUTPUT"')
    assert result.error is None
    assert result.outputs == {"exitCode": 0, "stdout": "hello\n", "stderr": "careful\n", "tag": "v1"}


def test_a_script_gives_json(run):
    """A JSON object in $SWAMP_OUTPUT keeps its types."""
    result = run("""printf '{"n": 1, "ok": true, "list": ["a"]}' >"$SWAMP_OUTPUT" """)
    assert result.outputs == {"exitCode": 0, "stdout": "", "stderr": "", "n": 1, "ok": True, "list": ["a"]}


HOSTILE = [
    "$(touch owned)",
    "`touch owned`",
    "'; touch owned; '",
    '"; touch owned #',
    "a\nb\ttouch owned",
    "\\",
    "-n",
    "${x}",
    "大🙂",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_untrusted_text_is_never_code(run, tmp_path, text):
    """An input arrives byte for byte, in its variable and in the JSON, and nothing in it is carried out."""
    result = run('printf %s "$SWAMP_INPUT_X"; printf %s "$SWAMP_INPUTS" >&2', {"x": text})
    assert result.stdout == text
    assert json.loads(result.stderr) == {"x": text}
    assert not (tmp_path / "owned").exists()


def test_the_script_is_as_its_author_wrote_it(run):
    """No text is put into the script, not even its own inputs by their names."""
    assert (
        run("echo '$SWAMP_INPUT_X {x} %x% ${x:-none}'", {"x": "y"}).stdout
        == "$SWAMP_INPUT_X {x} %x% ${x:-none}\n"
    )


def test_a_script_runs_in_the_repo_or_below(run, tmp_path):
    """The repo directory is the working directory, unless the method names one in it."""
    (tmp_path / "src").mkdir()
    assert run("pwd -P").stdout == f"{tmp_path.resolve()}\n"
    assert run("pwd -P", working_dir="src").stdout == f"{tmp_path.resolve() / 'src'}\n"


def test_a_script_knows_the_repo_wherever_it_runs(invocation, tmp_path, monkeypatch):
    """SWAMP_REPO_DIR holds in any working directory, although the repo was named by a relative path."""
    (tmp_path / "src").mkdir()
    monkeypatch.chdir(tmp_path)
    method = ShellMethod(run='cd "$SWAMP_REPO_DIR" && pwd -P', working_dir="src")
    result = ShellCall(method).run(replace(invocation(), repo_dir=Path()))
    assert result.stdout == f"{tmp_path.resolve()}\n"


def test_a_missing_directory_is_told(run):
    """A working directory that is not there fails the step before anything runs."""
    result = run("touch ran", working_dir="nowhere")
    assert result.error.code == "working_dir_missing"
    assert "nowhere" in result.error.message


def test_a_script_has_nothing_to_read(run):
    """Standard input is empty: a script that asks gets no answer rather than waiting for one."""
    assert run("cat; echo done").stdout == "done\n"


def test_a_failed_script_fails_the_step(run):
    """Any exit code but 0 is a failure, with the code and the end of what it said."""
    result = run("echo broken >&2; echo tag=v1 >>$SWAMP_OUTPUT; exit 3")
    assert result.outputs is None
    assert (result.error.code, result.error.message) == (
        "command_failed",
        "The command ended with exit code 3.",
    )
    assert result.error.details == {"exitCode": 3, "stderr": "broken\n"}


def test_a_killed_script_fails_the_step(run):
    """A signal from elsewhere is told by number and name; the exit code is the shell's."""
    result = run("kill -KILL $$")
    assert result.error.code == "command_failed"
    assert "signal 9" in result.error.message
    assert result.error.details["exitCode"] == 128 + signal.SIGKILL


def test_bad_outputs_fail_the_step(run):
    """A script that succeeded but wrote no outputs that can be read has failed, and what it printed is kept."""
    result = run("echo hello; echo nonsense >$SWAMP_OUTPUT")
    assert result.outputs is None
    assert result.error.code == "invalid_output"
    assert result.stdout == "hello\n"


@pytest.mark.parametrize(
    ("inputs", "code"),
    [
        ({"x": "y" * 3_000_000}, "inputs_too_large"),
        ({"x": "a\0b"}, "input_not_passed"),
        ({"a-b": 1, "a_b": 2}, "input_not_passed"),
    ],
)
def test_inputs_that_cannot_be_passed_fail_the_step(run, tmp_path, inputs, code):
    """What does not fit into an environment is told, and the script does not run without it."""
    result = run("touch ran", inputs)
    assert result.error.code == code
    assert not (tmp_path / "ran").exists()


def test_a_flood_of_output_neither_blocks_nor_fills_memory(run):
    """Fifty megabytes on each stream pass through; the first and the last lines are kept."""
    result = run("echo first; yes | head -c 50000000; echo last; yes no | head -c 50000000 >&2")
    assert result.error is None
    assert result.stdout.startswith("first\n")
    assert result.stdout.endswith("last\n")
    assert "bytes left out" in result.stdout
    assert len(result.stdout) + len(result.stderr) < 130_000


def test_nothing_is_left_in_the_temporary_directory(run, tmp_path, monkeypatch):
    """The file for outputs goes with the step, whatever else the script put beside it."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(shell.tempfile, "tempdir", str(scratch))
    assert run('touch "$SWAMP_OUTPUT.more"; exit 1').error.code == "command_failed"
    assert run("exit 0", {"x": "a\0b"}).error.code == "input_not_passed"
    assert list(scratch.iterdir()) == []


def test_a_step_without_room_for_its_outputs_does_not_start(run, tmp_path, monkeypatch):
    """If the file for outputs cannot be made, the step fails before its script has run."""
    monkeypatch.setattr(shell.tempfile, "tempdir", str(tmp_path / "missing"))
    assert run("touch ran").error.code == "command_not_started"
    assert not (tmp_path / "ran").exists()


def test_what_a_script_left_running_ends_with_the_step(run, tmp_path):
    """A child in the background, its output turned away, is killed when the script has ended."""
    for name in ("alive", "begun", "never"):
        os.mkfifo(tmp_path / name)
    script = "(exec 3>alive; echo x >begun; read line <never) >/dev/null 2>&1 & read line <begun; echo done"
    end_of_child = aside((tmp_path / "alive").read_bytes)
    assert run(script).outputs["stdout"] == "done\n"
    assert end_of_child.result(PATIENCE_S) == b""


def test_a_child_that_holds_the_output_does_not_hold_the_step(run, tmp_path, monkeypatch):
    """A child that keeps the pipe open, and left the group, is waited for a moment and then left alone."""
    monkeypatch.setattr(shell, "DRAIN_S", 0.05)
    for name in ("begun", "never"):
        os.mkfifo(tmp_path / name)
    result = run("setsid sh -c 'echo $$ >pid; echo x >begun; read line <never' & read line <begun; echo done")
    assert result.outputs["stdout"] == "done\n"
    os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)


def test_a_timeout_ends_the_script(run, tmp_path):
    """A script that takes longer than its timeout is ended, and the step says so."""
    os.mkfifo(tmp_path / "never")
    result = run("echo begun; read line <never", timeout_s=1)
    assert (result.error.code, result.stdout) == ("timeout", "begun\n")
    assert result.error.details["exitCode"] == 128 + signal.SIGTERM


def test_a_stopped_script_may_tidy_up(start, tmp_path):
    """SIGTERM comes first: a script that handles it has the grace to finish."""
    started = start(
        "trap 'echo tidy >tidied; exit 0' TERM; mkfifo never; (echo x >ready; read line <never) & wait"
    )
    started.wait_until_ready()
    started.call.stop(PATIENCE_S)
    result = started.result()
    assert result.error.code == "stopped"
    assert (tmp_path / "tidied").read_text() == "tidy\n"


def test_a_child_of_a_stopped_script_may_tidy_up_too(start, tmp_path):
    """The grace is for the whole group: it lasts on when the shell itself has ended at once."""
    for name in ("go", "never"):
        os.mkfifo(tmp_path / name)
    child = "trap 'cat go >tidied; exit' TERM; (echo x >ready; read line <never) & wait"
    started = start(f'sh -c "{child}" >/dev/null 2>&1; true')
    started.wait_until_ready()
    started.call.stop(PATIENCE_S)
    aside(lambda: (tmp_path / "go").write_text("tidy"))
    assert started.result().error.code == "stopped"
    assert (tmp_path / "tidied").read_text() == "tidy"


def test_a_script_that_will_not_stop_is_killed(start):
    """After the grace SIGKILL comes, to every process of the group."""
    started = start("trap '' TERM; mkfifo never; echo x >ready; while :; do read line <never; done")
    started.wait_until_ready()
    started.call.stop(0.05)
    result = started.result()
    assert result.error.code == "stopped"
    assert result.error.details["exitCode"] == 128 + signal.SIGKILL


def test_stop_may_be_repeated(start):
    """Many stops at once, and stops after the end, are one stop."""
    started = start("trap '' TERM; mkfifo never; echo x >ready; while :; do read line <never; done")
    started.wait_until_ready()
    threads = [
        threading.Thread(target=started.call.stop, args=(grace_s,))
        for grace_s in (0.05, PATIENCE_S, 0.0, 0.0)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert started.result().error.code == "stopped"
    started.call.stop(0)


def test_a_step_that_was_stopped_before_it_started_never_starts(invocation, tmp_path):
    """A stop that comes first wins: the script does not run at all."""
    call = ShellCall(ShellMethod(run="touch ran"))
    call.stop(0)
    assert call.run(invocation()).error.code == "stopped"
    assert not (tmp_path / "ran").exists()


def test_a_stop_after_the_end_changes_nothing(invocation):
    """What has ended has ended: the result stands, and no stranger is signalled."""
    call = ShellCall(ShellMethod(run="echo done"))
    result = call.run(invocation())
    call.stop(0)
    assert result.outputs["stdout"] == "done\n"


def test_no_process_and_no_descriptor_is_left(run, tmp_path):
    """After many steps there are no zombies and no more open files than before."""
    run("true")
    before = len(list(Path("/dev/fd").iterdir()))
    for _ in range(20):
        run("echo x; exit 1")
        run("true", {"x": "a\0b"})
        run("true", {"x": "y" * 3_000_000})
    assert len(list(Path("/dev/fd").iterdir())) == before
    with suppress(
        ChildProcessError
    ):  # There are children where this worker's servers run, and no zombies among them.
        assert os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None


def test_many_steps_run_at_once(invocation):
    """Calls on threads side by side do not wait for each other's pipes."""
    with ThreadPoolExecutor(16) as pool:
        calls = [ShellCall(ShellMethod(run='echo "$SWAMP_INPUT_N"')) for _ in range(64)]
        results = list(pool.map(lambda pair: pair[1].run(invocation(n=pair[0])), enumerate(calls)))
    assert [result.stdout for result in results] == [f"{n}\n" for n in range(64)]


def test_what_a_script_prints_is_heard_while_it_runs(invocation, tmp_path):
    """Its lines arrive by stream before it has ended, and what is kept is the same text."""
    os.mkfifo(tmp_path / "go")
    heard, first = [], threading.Event()

    def listen(stream, text):
        heard.append((stream, text))
        first.set()

    call = ShellCall(ShellMethod(run="echo one; cat go; printf two >&2"))
    result = aside(lambda: call.run(replace(invocation(), heard=listen)))
    assert first.wait(PATIENCE_S)
    assert not result.done()
    assert heard == [("stdout", "one\n")]
    aside(lambda: (tmp_path / "go").write_text("")).result(PATIENCE_S)
    ended = result.result(PATIENCE_S)
    assert (ended.stdout, ended.stderr) == ("one\n", "two")
    assert heard == [("stdout", "one\n"), ("stderr", "two")]
