"""The inputs of a run are told on one short line, whatever they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.app.inputs_text import INPUTS_CHARACTERS_MAX, inputs_text

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        ({}, ""),
        ({"env": "eu", "count": 3}, "env=eu, count=3"),
        ({"note": "a, b=c", "on": True}, 'note="a, b=c", on=true'),
        ({"word": "3", "none": ""}, 'word=3, none=""'),
        ({"long": "x" * 100, "env": "eu"}, f'long="{"x" * 23}…, env=eu'),
        ({"line": "a\nb\x1b[2J"}, 'line="a\\nb\\u001b[2J"'),
    ],
)
def test_inputs_are_told_by_name_and_value(inputs, text):
    """A word goes without quotes, other values as JSON, a long one cut so that it does not hide the next."""
    assert inputs_text(inputs) == text


@given(st.dictionaries(st.text(), JSON))
def test_inputs_are_told_on_one_short_line(inputs):
    """No input makes the text long, or puts something into it that a terminal might obey."""
    text = inputs_text(inputs)
    assert text.isprintable()
    assert len(text) <= INPUTS_CHARACTERS_MAX + 1
