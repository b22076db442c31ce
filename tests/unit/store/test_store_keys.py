import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.store import InvalidKey, RecordTooLarge
from swamp_core.store.keys import (
    KEY_BYTES_MAX,
    RECORD_BYTES_MAX,
    SEGMENT_BYTES_MAX,
    check_key,
    check_limit,
    check_prefix,
    check_size,
    is_device_name,
    is_segment,
)

SEGMENTS = st.from_regex(re.compile(r"[a-z0-9._-]{1,40}", re.ASCII), fullmatch=True).filter(is_segment)
KEYS = st.lists(SEGMENTS, min_size=1, max_size=6).map("/".join)
ALMOST_KEYS = st.text(alphabet="ab.-_/9AZ ~@\x00\nécon", max_size=30)


def accepted(key: str) -> bool:
    try:
        check_key(key, operation="get")
    except InvalidKey:
        return False
    return True


def dumb_twin(key: str) -> bool:
    """The key rules, letter by letter."""
    for segment in key.split("/"):
        if not 1 <= len(segment.encode(errors="replace")) <= SEGMENT_BYTES_MAX:
            return False
        if any(letter not in "abcdefghijklmnopqrstuvwxyz0123456789._-" for letter in segment):
            return False
        if segment[-1] == "." or is_device_name(segment):
            return False
    return len(key) <= KEY_BYTES_MAX


@given(KEYS | ALMOST_KEYS)
def test_a_key_is_accepted_exactly_when_the_rules_say_so(key: str) -> None:
    """One regular expression and the rules read letter by letter agree."""
    assert accepted(key) == dumb_twin(key)


@given(KEYS, st.integers(0, 300))
def test_every_beginning_of_a_key_is_a_prefix(key: str, length: int) -> None:
    """No listing that could find a key is refused."""
    check_prefix(key[:length], operation="list")


@given(ALMOST_KEYS, KEYS)
def test_a_prefix_that_is_accepted_stays_inside_the_store(prefix: str, key: str) -> None:
    """A path that is joined from a prefix has no segment that climbs, starts over, or is no name."""
    try:
        check_prefix(prefix, operation="list")
    except InvalidKey:
        return
    *complete, begun = prefix.split("/")
    assert all(is_segment(segment) for segment in complete)
    assert begun in ("", ".", "..") or set(begun) <= set("abcdefghijklmnopqrstuvwxyz0123456789._-")


@given(st.text(max_size=600))
def test_a_refusal_can_be_shown_on_any_terminal(key: str) -> None:
    """Whatever a user typed, the message is one line of plain ASCII but for our own marks."""
    if accepted(key):
        return
    with pytest.raises(InvalidKey) as raised:
        check_key(key, operation="get")
    message = str(raised.value).replace("…", "")
    assert message.isascii()
    assert message.isprintable()
    assert len(message) < 600


@pytest.mark.parametrize(
    "name", ["con", "nul", "aux", "prn", "com1", "lpt9", "com0", "con.txt", "nul.tar.gz"]
)
def test_a_device_name_is_no_segment(name: str) -> None:
    """Windows opens a device for these, whatever follows the first dot."""
    assert is_device_name(name)
    assert not is_segment(name)


@pytest.mark.parametrize("name", ["cons", "com", "com10", "lpt", "xcon", "con-1", "a.con"])
def test_a_name_that_only_looks_like_a_device_is_a_segment(name: str) -> None:
    """Only the whole part before the first dot counts."""
    assert is_segment(name)


def test_the_limits_are_inclusive() -> None:
    """128 bytes a segment, 512 a key, 16 MiB a record; one more is refused."""
    longest = "/".join(["k" * 127] * 3 + ["k" * 128])
    check_key(longest, operation="get")
    check_prefix(longest, operation="list")
    check_size(bytes(RECORD_BYTES_MAX), operation="put_if_absent", key="k")
    for too_long in ("k" * 129, longest.replace("/", "k", 1), f"a/{longest}"):
        with pytest.raises(InvalidKey):
            check_key(too_long, operation="get")
        with pytest.raises(InvalidKey):
            check_prefix(too_long, operation="list")
    with pytest.raises(RecordTooLarge, match=f"{RECORD_BYTES_MAX + 1} bytes"):
        check_size(bytes(RECORD_BYTES_MAX + 1), operation="put_if_absent", key="k")


def test_a_negative_limit_is_the_caller_s_mistake() -> None:
    """It is no store's failure, so it is no `StoreError`."""
    check_limit(0, operation="list", prefix="a")
    check_limit(None, operation="list", prefix="a")
    with pytest.raises(ValueError, match=r"list `a`.*-1"):
        check_limit(-1, operation="list", prefix="a")
