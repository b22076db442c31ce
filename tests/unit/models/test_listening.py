"""What whoever listens to a call hears of it: whole lines, in order, and never at the call's expense."""

import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.models import listening
from swamp_core.models.capture import Capture
from swamp_core.models.listening import LINE_CHARACTERS_MAX, WAITING_CHARACTERS_MAX, Lines, Listener
from swamp_core.models.output import Output

PATIENCE_S = 30


class Heard:
    """A listener that remembers, and can be made to wait."""

    def __init__(self):
        self.texts = []
        self.called = threading.Event()
        self.may_go_on = threading.Event()
        self.may_go_on.set()

    def __call__(self, stream, text):
        self.called.set()
        assert self.may_go_on.wait(PATIENCE_S)
        self.texts.append((stream, text))

    def of(self, stream):
        return "".join(text for each, text in self.texts if each == stream)


def cut(data, places):
    places = sorted(places)
    return [data[a:b] for a, b in zip([0, *places], [*places, len(data)], strict=True)]


@given(
    text=st.text(alphabet="a\nä大🙂", max_size=60),
    places=st.lists(st.integers(0, 200), max_size=8),
)
def test_however_a_stream_is_cut_its_text_arrives_in_whole_lines(text, places):
    """Every text that is heard ends with a line, no character is split, and together they are the stream."""
    lines = Lines()
    heard = [lines.feed(chunk) for chunk in cut(text.encode(), places)]
    assert all(each.endswith("\n") for each in heard if each)
    assert "".join(heard) + lines.rest() == text


@pytest.mark.parametrize("before", [b"", b"short\n"])
def test_a_line_that_does_not_end_comes_in_pieces(before):
    """However long a line is, no more of it is held back than the bound."""
    lines = Lines()
    assert lines.feed(before + b"x" * (LINE_CHARACTERS_MAX + 1)) == before.decode() + "x" * (
        LINE_CHARACTERS_MAX + 1
    )
    assert [lines.feed(b"x" * (LINE_CHARACTERS_MAX // 2)) for _ in range(2)] == ["", ""]
    assert lines.feed(b"x") == "x" * (LINE_CHARACTERS_MAX // 2 * 2 + 1)


def test_what_is_no_utf8_is_heard_as_marked():
    """A byte that is no character becomes the replacement character, also at the very end."""
    lines = Lines()
    assert lines.feed(b"a\xffb\n\xc3") == "a\ufffdb\n"
    assert lines.rest() == "\ufffd"


def test_both_streams_are_heard_by_name_and_to_the_end():
    """A last line without a line break is heard too, before the call is over."""
    heard = Heard()
    output = Output(heard)
    output.stdout.add(b"one\ntw")
    output.stderr.add(b"careful\n")
    output.stdout.add(b"o")
    output.close(PATIENCE_S)
    assert heard.texts == [("stdout", "one\n"), ("stderr", "careful\n"), ("stdout", "two")]


def test_a_listener_that_raises_hears_on_and_harms_nothing():
    """What it raises is its own affair: the next lines are told to it all the same, and everything is kept."""
    texts = []

    def broken(stream, text):
        texts.append(text)
        raise RuntimeError("broken")

    output = Output(broken)
    output.stdout.add(b"one\n")
    output.stdout.add(b"two\n")
    output.close(PATIENCE_S)
    assert texts == ["one\n", "two\n"]
    assert output.stdout.text() == "one\ntwo\n"


def test_a_listener_that_blocks_holds_up_nothing():
    """A process prints on and ends while the listener has not returned from its first line."""
    heard = Heard()
    heard.may_go_on.clear()
    output = Output(heard)
    read_end, write_end = os.pipe()
    capture = Capture(os.fdopen(read_end, "rb"), output.stdout)
    with os.fdopen(write_end, "wb") as writer:
        writer.write(b"line\n" * 100_000)
    assert capture.wait(PATIENCE_S)
    output.close(0)
    assert output.stdout.text().startswith("line\nline\n")
    heard.may_go_on.set()
    output.close(PATIENCE_S)
    assert heard.of("stdout") == "line\n" * 100_000


def test_what_a_slow_listener_misses_is_told_in_its_place(monkeypatch):
    """Beyond the bound text is left out until the listener has caught up, and a mark says how much."""
    monkeypatch.setattr(listening, "WAITING_CHARACTERS_MAX", 10)
    heard = Heard()
    heard.may_go_on.clear()
    listener = Listener(heard)
    listener.tell("stdout", "first\n")
    assert heard.called.wait(PATIENCE_S)
    for text in ("second\n", "left out\n", "3\n"):
        listener.tell("stderr", text)
    heard.may_go_on.set()
    listener.close(PATIENCE_S)
    assert heard.texts == [
        ("stdout", "first\n"),
        ("stderr", "second\n"),
        ("stderr", "… 11 characters left out …\n"),
    ]


def test_nobody_is_told_what_comes_after_the_end():
    """Something that was left behind and prints on is neither heard nor kept."""
    heard = Heard()
    output = Output(heard)
    output.close(PATIENCE_S)
    output.stdout.add(b"late\n")
    assert (heard.texts, output.stdout.text()) == ([], "")


def test_the_bound_on_what_waits_is_generous():
    """A listener has to be far behind before it misses anything."""
    assert WAITING_CHARACTERS_MAX >= 100 * LINE_CHARACTERS_MAX
