"""The options that every command takes, wherever they stand."""

import click
import pytest
from swamp_core.cli.root import root


def commands(command=root, path=()):
    """Every command that does something, by its words."""
    if not isinstance(command, click.Group):
        return [(path, command)]
    with click.Context(command) as ctx:
        return [
            found
            for name in command.list_commands(ctx)
            for found in commands(command.get_command(ctx, name), (*path, name))
        ]


COMMANDS = commands()
WORDS = [path for path, _ in COMMANDS]


def test_every_command_of_the_design_is_there():
    """The commands of this build, in the order in which help lists them."""
    assert [" ".join(path) for path in WORDS] == [
        "init",
        "demo",
        "workflow list",
        "workflow validate",
        "workflow graph",
        "workflow run",
        "workflow waits",
        "workflow keys",
        "workflow early-signals",
        "workflow signal",
        "workflow resume",
        "workflow approvals",
        "workflow approve",
        "workflow reject",
        "workflow watch",
        "workflow cancel",
        "workflow recover",
        "workflow history list",
        "workflow history get",
        "workflow history logs",
        "workflow delete",
        "run delete",
        "run gc",
        "datastore show",
        "datastore check",
        "datastore stores",
        "datastore copy",
    ]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[" ".join(path) for path in WORDS])
def test_every_command_explains_itself_with_an_example(path, command, swamp):
    """`--help` says what the command does in one whole line, and shows a call of it on a line of its own."""
    shown = swamp(*path, "--help").out
    example = [line.strip() for line in shown.splitlines() if line.startswith("    swamp ")]
    assert any(line.startswith(f"swamp {' '.join(path)}") for line in example)
    assert not command.get_short_help_str(58).endswith("...")
    assert "Global options:" in shown


@pytest.mark.parametrize("path", WORDS, ids=" ".join)
def test_json_may_stand_before_between_and_after_the_words_of_a_command(path, swamp):
    """`swamp --json workflow waits` is `swamp workflow waits --json`, for every command."""
    places = [(*path[:place], "--json", *path[place:]) for place in range(len(path) + 1)]
    answers = [swamp(*words, "--help") for words in places]
    assert all(list(answer.json) == ["help"] for answer in answers)
    assert len({answer.out for answer in answers}) == 1


@pytest.mark.parametrize("path", WORDS, ids=" ".join)
def test_a_mistake_is_a_document_where_json_is_asked_for(path, swamp):
    """An unknown option before or after `--json` gives the error as JSON, with exit code 2."""
    for words in ((*path, "--jsn", "--json"), ("--json", *path, "--jsn")):
        answer = swamp(*words)
        assert (answer.code, answer.json["error"]["code"]) == (2, "usage")
        assert answer.err == ""


def test_the_last_one_given_holds(swamp, tmp_path):
    """An option after the command beats the same option before it."""
    (tmp_path / "other").mkdir()
    answer = swamp(
        "--repo-dir", "nowhere", "workflow", "list", "--repo-dir", str(tmp_path / "other"), "--json"
    )
    assert answer.json == {"workflows": []}


def test_a_value_that_looks_like_an_option_does_not_ask_for_json(swamp, open_wait):
    """`--reason --json` gives a reason, and the answer is text."""
    answer = swamp("workflow", "cancel", "release", "--reason", "--json")
    assert answer.out.startswith("The run of release was cancelled.")


def test_what_says_where_is_repeated_in_commands_and_what_says_how_is_not(swamp):
    """A printed command does the same when it is pasted: it names the same repo and store."""
    store = f"file://{swamp.directory}/state?create=true"
    answer = swamp(
        *("--repo-dir", ".", "--no-color", "workflow", "run", "release", "--json"),
        *("--datastore", store, "--log-level", "error"),
    )
    command = answer.json["waits"][0]["nextCommand"]
    assert command.endswith(f" --repo-dir . --datastore '{store}'")
    assert answer.err == ""


def test_an_environment_variable_is_not_repeated_in_commands(swamp):
    """It is there when the command is pasted."""
    swamp.environ["SWAMP_DATASTORE"] = f"file://{swamp.directory}/state?create=true"
    answer = swamp("workflow", "run", "release", "--json")
    assert "--datastore" not in answer.json["waits"][0]["nextCommand"]
    assert (swamp.directory / "state").is_dir()


def test_debug_tells_each_operation_on_the_store(swamp):
    """What a command costs can be seen."""
    answer = swamp("workflow", "waits", "--log-level", "debug")
    assert answer.err.splitlines() == ["list waits/", "list open-runs/"]
    assert answer.out.startswith("No wait is open.\n")


def test_debug_tells_where_an_error_came_from(swamp):
    """The traceback of an error is told only to those who ask for it."""
    words = ("workflow", "waits", "--datastore", "file:///nowhere/at/all")
    assert "Traceback" in swamp(*words, "--log-level", "debug").err
    assert "Traceback" not in swamp(*words).err


@pytest.mark.parametrize("option", ["--no-color", None])
def test_colour_can_be_turned_off(swamp, option, monkeypatch):
    """`--no-color` and NO_COLOR send a terminal no escape sequence: no bold, no dim, no view that is redrawn."""
    monkeypatch.setenv("TERM", "xterm-256color")
    if option is None:
        swamp.environ["NO_COLOR"] = "1"
    for words in (("workflow", "list"), ("workflow", "run", "release"), ("workflow", "waits")):
        answer = swamp(*words, *([option] if option else []), terminal=True)
        assert "\x1b" not in answer.out + answer.err
        assert "release" in answer.out
