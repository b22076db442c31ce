"""Where an answer goes, and what becomes of it when it cannot get there."""

import io
import json
import os
import re
from pathlib import Path

import pytest
from swamp_core.cli.failures import AnswerNotWritten
from swamp_core.cli.output import Output, plain
from swamp_core.cli.parts import Copy, Facts, Gap, Say, Table
from swamp_core.cli.stream import Stream
from swamp_core.cli.terminal import width_needed
from swamp_core.testing.recording import Screen

HOSTILE = "\x1b[31mred\x1b[0m\n\u202eevil"
PARTS = [
    Say(HOSTILE, "bad"),
    Copy(HOSTILE),
    Facts((("name", HOSTILE), (HOSTILE, "value"))),
    Table((HOSTILE, "b"), ((HOSTILE, "1"), ("x", HOSTILE)), ("good", "plain")),
    Gap(),
]


def screens(*, terminal):
    return Stream(Screen("out", [], terminal=terminal)), Stream(Screen("err", [], terminal=terminal))


def test_with_json_stdout_has_the_document_and_nothing_else():
    """Parts of the answer and notes go to stderr, the document alone to stdout."""
    out, err = screens(terminal=False)
    output = Output(as_json=True, out=out, err=err)
    output.say(Say("a part"))
    output.note(Say("a note"))
    output.answer({"a": "é"}, [Say("text")])
    assert json.loads(out.file.getvalue()) == {"a": "é"}
    assert err.file.getvalue() == "a part\na note\n"


def test_columns_are_aligned_without_a_terminal():
    """A table is readable as plain lines, and no line ends in spaces."""
    table = Table(("name", "n"), (("a", "10"), ("long", "")))
    assert plain(table) == "NAME  N\na     10\nlong\n"


def test_quiet_leaves_out_notes_and_never_warnings():
    """`--log-level warning` silences progress, not what must be known."""
    _, err = screens(terminal=False)
    output = Output(quiet=True, err=err)
    output.note(Say("progress"))
    output.warn(Say("warning"))
    assert err.file.getvalue() == "warning\n"


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
def test_no_part_can_control_a_pipe(part):
    """Whatever a record holds is written as visible characters."""
    assert all(line.isprintable() for line in plain(part).split("\n"))


@pytest.mark.parametrize("part", PARTS, ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("colour", [True, False])
def test_no_part_can_control_a_terminal(part, colour, monkeypatch):
    """Of the escape sequences on a terminal all are ours: colours, or bold without colours; none is the record's."""
    monkeypatch.setenv("TERM", "xterm-256color")
    out, _ = screens(terminal=True)
    Output(colour=colour, out=out).say(part)
    written = out.file.getvalue()
    assert "\x1b[31mred" not in written
    assert "\u202e" not in written
    assert bool(re.search(r"\x1b\[[\d;]*3[1-7]m", written)) == (
        colour and part in (PARTS[0], PARTS[1], PARTS[3])
    )


def test_a_command_is_never_wrapped_on_a_narrow_terminal(monkeypatch):
    """What is to be copied stands on one line, however long it is."""
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TERM", "xterm-256color")
    out, _ = screens(terminal=True)
    command = "swamp workflow signal " + "x" * 100
    Output(colour=False, out=out).say(Copy(command))
    assert command in out.file.getvalue()


RUN_ID = "019fa372-3a00-7000-8000-000000010002"
RUNS = Table(
    ("run", "started (UTC)", "status"), ((RUN_ID, "2026-07-27 12:00:00", "suspended, ready to resume"),)
)


def shown(table, columns, monkeypatch):
    """The lines of a table on a terminal of so many columns."""
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("TERM", "xterm-256color")
    out, _ = screens(terminal=True)
    Output(colour=False, out=out).say(table)
    return [line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", out.file.getvalue()).splitlines()]


@pytest.mark.parametrize("columns", [40, 60, width_needed(RUNS) - 1, width_needed(RUNS), 80, 120])
def test_no_id_and_no_time_in_a_table_is_ever_broken(columns, monkeypatch):
    """However narrow the terminal is, what stands in a cell of the table can be copied from one line."""
    lines = "\n".join(shown(RUNS, columns, monkeypatch))
    assert RUN_ID in lines
    assert "2026-07-27 12:00:00" in lines
    assert {"suspended,", "ready", "to", "resume"} <= set(lines.split())


def test_a_table_that_does_not_fit_is_told_row_by_row(monkeypatch):
    """On 60 columns a row is a block: what it is about, and below it the rest by name."""
    assert shown(RUNS, 60, monkeypatch) == [
        RUN_ID,
        "  started (UTC): 2026-07-27 12:00:00",
        "  status: suspended, ready to resume",
    ]


def test_a_row_that_goes_on_is_told_below_the_one_before(monkeypatch):
    """What a failed step printed stays with the step."""
    table = Table(("when", "what"), (("12:00", "failed"), ("", "  stderr:"), ("", f"    {'x' * 60}")))
    assert shown(table, 60, monkeypatch) == ["12:00", "  what: failed", "    stderr:", f"      {'x' * 60}"]


def test_a_table_has_the_same_headers_on_a_terminal_as_in_a_pipe(monkeypatch):
    """A reader finds the same words in both."""
    assert shown(RUNS, 120, monkeypatch)[0].split() == plain(RUNS).splitlines()[0].split()


def test_only_the_last_column_of_a_table_is_wrapped_and_between_words(monkeypatch):
    """Descriptions are long; names are not."""
    table = Table(("name", "description"), (("a b c", "wait for a verdict then ship"),))
    assert shown(table, 20, monkeypatch)[2:] == ["a b c  wait for a", "       verdict then", "       ship"]


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    """TERM=dumb says that escape sequences would be shown as such."""
    monkeypatch.setenv("TERM", "dumb")
    out, _ = screens(terminal=True)
    Output(out=out).say(Say("fine", "good"))
    assert out.file.getvalue() == "fine\n"


def test_a_reader_that_left_is_no_error():
    """`swamp … | head -1` ends as the command ends."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "w") as file:
        stream = Stream(file)
        Output(out=stream).answer({}, [Say("one"), Say("two")])
        stream.write("three")


def test_an_answer_that_cannot_be_written_is_an_error():
    """A full disk under stdout is told, because a script would go on without the answer."""
    with Path("/dev/full").open("w") as file:
        output = Output(as_json=True, out=Stream(file))
        with pytest.raises(AnswerNotWritten, match="No space left"):
            output.answer({}, [])


def test_a_warning_that_cannot_be_written_is_lost_in_silence():
    """There is nowhere left to tell that stderr is full."""
    with Path("/dev/full").open("w") as file:
        Output(err=Stream(file)).warn(Say("lost"))


@pytest.mark.parametrize("file", [None, pytest.param("closed", id="closed")])
def test_a_missing_stdout_is_no_error(file):
    """A command started with stdout closed does its work."""
    if file is not None:
        file = io.StringIO()
        file.close()
    Output(out=Stream(file)).answer({}, [Say("nobody sees this")])


def test_a_document_on_a_stream_that_is_not_utf8_is_still_a_document():
    """With a C locale the document has escapes for what ASCII cannot say."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    Output(as_json=True, out=Stream(file)).answer({"a": "é…😀"}, [])
    assert json.loads(raw.getvalue()) == {"a": "é…😀"}


def test_text_on_a_stream_that_is_not_utf8_has_escapes():
    """A sentence with a letter that the stream cannot say is written all the same."""
    raw = io.BytesIO()
    file = io.TextIOWrapper(raw, encoding="ascii")
    Output(out=Stream(file)).say(Say("déjà"))
    assert raw.getvalue() == b"d\\xe9j\\xe0\n"
