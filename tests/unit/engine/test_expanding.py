"""A forEach gives every item a name of its own that people can read and commands can take, whatever the items are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.engine.expanding import ITEMS_BYTES_MAX, ITEMS_MAX, NoItems, items_of, unique_names
from swamp_core.workflow.fields import TITLE_CHARACTERS_MAX

from tests.histories import json_values

titles = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=TITLE_CHARACTERS_MAX)
odd = st.one_of(
    st.sampled_from(
        ["", " ", "a", "a#2", "a#3", "\n", "\\u000a", "x" * 200, "x" * 199 + "y", "\u202e", "é", "]"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
)


@given(titles, st.lists(odd, max_size=12))
def test_names_are_unique_printable_and_as_short_as_a_steps(step, labels):
    """No two items share a name, and each is printable, within the bound, and says its step or the start of it."""
    names = unique_names(step, labels)
    assert len(set(names)) == len(names) == len(labels)
    for name in names:
        assert name.isprintable()
        assert len(name) <= TITLE_CHARACTERS_MAX
        assert name.endswith("]")
        assert name.startswith(step if len(step) < 60 else step[:50])


@given(titles, st.lists(odd, min_size=1, max_size=8), st.data())
def test_a_name_that_is_taken_is_not_given(step, labels, data):
    """What the names would have been may all be taken: then others are found."""
    taken = set(data.draw(st.lists(st.sampled_from(unique_names(step, labels)))))
    names = unique_names(step, labels, taken)
    assert not taken & set(names)
    assert len(set(names)) == len(labels)


@given(st.lists(json_values, max_size=8))
def test_the_items_of_a_list_are_its_elements_in_order(elements):
    """Every element becomes one item, with its value as it is."""
    assert [item.value for item in items_of("each", elements, ())] == elements


@given(st.dictionaries(odd, json_values, max_size=8))
def test_the_items_of_a_mapping_are_its_keys_and_values_in_order(mapping):
    """Every member becomes one item, which has its key and value."""
    items = items_of("each", mapping, ())
    assert [(item.value["key"], item.value["value"]) for item in items] == list(mapping.items())


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["eu", "us"], ["ask[eu]", "ask[us]"]),
        (["eu", "eu", "eu"], ["ask[eu]", "ask[eu#2]", "ask[eu#3]"]),
        (["eu#2", "eu", "eu"], ["ask[eu#2]", "ask[eu]", "ask[eu#3]"]),
        (["", " ", "a\nb"], ["ask[-]", "ask[-#2]", "ask[a\\u000ab]"]),
        ([1, True, None, {"a": [1.5]}], ["ask[1]", "ask[true]", "ask[null]", 'ask[{"a":[1.5]}]']),
        ({"eu": 1, "us": 2}, ["ask[eu]", "ask[us]"]),
        ([], []),
        ({}, []),
    ],
)
def test_names_say_what_the_item_is(value, names):
    """The name is that of the step with the text, the key or the JSON of the item; a second one is numbered."""
    assert [item.name for item in items_of("ask", value, ())] == names


@pytest.mark.parametrize("value", ["eu", 3, None, True])
def test_what_is_no_list_and_no_mapping_has_no_items(value):
    """A forEach over something else is refused, and not taken for a list of one."""
    with pytest.raises(NoItems) as refused:
        items_of("ask", value, ())
    assert refused.value.code == "invalid_items"


@pytest.mark.parametrize("value", [[0] * (ITEMS_MAX + 1), ["x" * ITEMS_BYTES_MAX]])
def test_more_than_a_run_can_hold_is_refused(value):
    """Too many items, and too many bytes of them, are refused before a journal has to hold them."""
    with pytest.raises(NoItems) as refused:
        items_of("ask", value, ())
    assert refused.value.code == "too_many_items"


def test_as_many_items_as_are_taken_have_names_in_no_time():
    """Ten thousand equal items are named, each by a number of its own."""
    names = unique_names("ask", ["eu"] * ITEMS_MAX)
    assert (len(set(names)), names[-1]) == (ITEMS_MAX, f"ask[eu#{ITEMS_MAX}]")
