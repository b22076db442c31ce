"""What is kept of what a script prints."""

import json
import os
import threading

import pytest
from swamp_core.models.capture import Capture
from swamp_core.models.kept import HEAD_BYTES_MAX, KEPT_JSON_BYTES_MAX, TAIL_BYTES_MAX, shortened
from swamp_core.models.output import Stream

BLOCK = bytes(range(97, 123)) * 5000


def captured(data):
    read_end, write_end = os.pipe()
    stream = Stream("stdout", listener=None)
    capture = Capture(os.fdopen(read_end, "rb"), stream)
    with os.fdopen(write_end, "wb") as writer:
        writer.write(data)
    assert capture.wait(timeout_s=30)
    return stream.text()


@pytest.mark.parametrize("size", [0, 1, HEAD_BYTES_MAX, HEAD_BYTES_MAX + 1, HEAD_BYTES_MAX + TAIL_BYTES_MAX])
def test_what_fits_is_kept_whole(size):
    """Up to the bound every byte is there, and no mark."""
    assert captured(BLOCK[:size]) == BLOCK[:size].decode()


@pytest.mark.parametrize("size", [HEAD_BYTES_MAX + TAIL_BYTES_MAX + 1, len(BLOCK)])
def test_of_more_the_first_and_the_last_part_are_kept(size):
    """The mark between them says how many bytes are missing, exactly."""
    text = captured(BLOCK[:size])
    left_out = size - HEAD_BYTES_MAX - TAIL_BYTES_MAX
    expected = (
        BLOCK[:HEAD_BYTES_MAX]
        + f"\n… {left_out} bytes left out …\n".encode()
        + BLOCK[size - TAIL_BYTES_MAX : size]
    )
    assert text == expected.decode()


@pytest.mark.parametrize("unit", [b"\0", b"\xff", "大".encode(), b'"', b"\x1b"])
def test_a_step_cannot_outgrow_its_record_by_what_it_prints(unit):
    """As JSON, whatever the bytes are, the kept text stays within its bound, so it never makes a step fail."""
    text = captured(unit * 100_000)
    assert len(json.dumps(text, ensure_ascii=False).encode()) <= KEPT_JSON_BYTES_MAX
    assert "bytes left out" in text


def test_what_is_no_utf8_is_marked():
    """A byte that is no character becomes the replacement character."""
    assert captured(b"a\xffb") == "a\ufffdb"


def test_the_text_can_be_read_before_the_end():
    """What something left behind still holds open is kept as far as it came."""
    read_end, write_end = os.pipe()
    stream = Stream("stdout", listener=None)
    seen = threading.Event()
    add = stream.add
    stream.add = lambda chunk: (add(chunk), seen.set())
    capture = Capture(os.fdopen(read_end, "rb"), stream)
    os.write(write_end, b"so far")
    assert seen.wait(30)
    assert not capture.wait(timeout_s=0)
    assert stream.text() == "so far"
    os.close(write_end)
    assert capture.wait(timeout_s=30)


def test_two_parts_with_nothing_between_are_one():
    """A character that was cut between the parts is whole again."""
    assert shortened("ä".encode()[:1], "ä".encode()[1:], 0) == "ä"
