"""Hostile text on its way to a terminal or into a document."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.cli.escaping import json_safe, printable, shortened

HOSTILE = st.text(
    st.characters(codec=None) | st.sampled_from("\x1b\x00\x7f\x9b\n\r\u202e\u2066\u200b\ud800\U000e0001")
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | HOSTILE,
    lambda inner: st.lists(inner) | st.dictionaries(HOSTILE, inner),
    max_leaves=10,
)


@given(HOSTILE)
def test_whatever_is_printed_is_plainly_visible_and_on_one_line(text):
    """No escape sequence, line break, zero-width or direction-turning character is left in a printed text."""
    assert printable(text).isprintable()


@given(st.text(st.characters(categories=["L", "N", "P", "S"])))
def test_visible_text_is_printed_as_it_is(text):
    """Letters of every script, numbers, punctuation and symbols are left alone."""
    assert printable(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\U000e0001", "\\U000e0001"),
        ("\udcff", "\\udcff"),
    ],
)
def test_an_escape_names_the_character(text, shown):
    """A reader can tell what stood there."""
    assert printable(text) == shown


@given(JSON_VALUES)
def test_a_document_is_harmless_and_means_the_same(value):
    """Escaping what a terminal might obey changes the text of a document and not its value."""
    safe = json_safe(json.dumps(value, ensure_ascii=False, indent=2))
    assert json.loads(safe) == value
    assert all(line.isprintable() for line in safe.split("\n"))


@given(st.text(), st.integers(min_value=1, max_value=20))
def test_a_shortened_text_is_never_longer(text, characters_max):
    """A text that fits is left whole, and one that does not says so with its last character."""
    short = shortened(text, characters_max)
    assert len(short) <= characters_max
    assert short == text or short.endswith("…")
