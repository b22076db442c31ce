"""Where what a thread prints goes, while models run and when none does."""

import sys
import threading

import pytest
from swamp_core.models.printed import Routed, printing_aside, printing_to

PATIENCE_S = 30


class Writer:
    def __init__(self):
        self.said = []

    def __call__(self, stream, text):
        self.said.append((stream, text))


def in_a_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join(PATIENCE_S)


def test_each_thread_prints_to_its_own_writer(capsys):
    """Two that print at once are kept apart, and what this thread prints goes where it always went."""
    writers = [Writer(), Writer()]
    both = threading.Barrier(2)

    def act(writer, text):
        with printing_to(writer):
            both.wait(PATIENCE_S)
            sys.stdout.write(text)
            both.wait(PATIENCE_S)

    threads = [
        threading.Thread(target=act, args=(writer, str(number))) for number, writer in enumerate(writers)
    ]
    for thread in threads:
        thread.start()
    with printing_to(Writer()):
        in_a_thread(lambda: sys.stdout.write("from elsewhere"))
    for thread in threads:
        thread.join(PATIENCE_S)
    assert [writer.said for writer in writers] == [[("stdout", "0")], [("stdout", "1")]]
    assert capsys.readouterr() == ("from elsewhere", "")


def test_afterwards_the_streams_are_as_before():
    """Nothing of ours is left in their place, not even after an exception."""
    before = sys.stdout, sys.stderr

    def fail():
        with printing_to(Writer()):
            assert isinstance(sys.stdout, Routed)
            raise ValueError("oops")

    with pytest.raises(ValueError, match="oops"):
        fail()
    assert (sys.stdout, sys.stderr) == before


def test_within_another_the_inner_one_holds():
    """And after it the outer one again."""
    outer, inner = Writer(), Writer()
    with printing_to(outer):
        with printing_to(inner):
            sys.stdout.write("in")
        sys.stderr.writelines(["o", "ut"])
        sys.stdout.flush()
    assert inner.said == [("stdout", "in")]
    assert outer.said == [("stderr", "o"), ("stderr", "ut")]


def test_aside_is_stderr(capsys):
    """Also from within a writer of one's own, which hears nothing of it."""
    writer = Writer()
    with printing_to(writer), printing_aside():
        sys.stdout.write("aside")
    assert capsys.readouterr() == ("", "aside")
    assert writer.said == []


def test_a_stream_is_what_it_was_in_all_else():
    """Who asks it for its encoding, or whether it is a terminal, is answered by the stream beyond."""
    before = sys.stdout
    with printing_to(Writer()):
        assert sys.stdout.encoding == before.encoding
        assert sys.stdout.isatty() == before.isatty()
