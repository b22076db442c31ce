"""`K=V` by the declared type of K."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from swamp_core.payload.inputs import input_value
from swamp_core.payload.strict_json import PayloadError, same_value


@pytest.mark.parametrize(
    ("text", "schema", "value"),
    [
        ("prod", {"type": "string"}, "prod"),
        ("123", {"type": "string"}, "123"),
        ("true", {"type": "string"}, "true"),
        ("", {"type": "string"}, ""),
        ('"quoted"', {"type": "string"}, '"quoted"'),
        ("123", None, "123"),
        ("123", {}, "123"),
        ("123", {"type": "integer"}, 123),
        ("123", {"type": "number"}, 123),
        ("1.0", {"type": "number"}, 1.0),
        ("true", {"type": "boolean"}, True),
        ("null", {"type": "null"}, None),
        ('["a"]', {"type": "array"}, ["a"]),
        ('{"a": 1}', {"type": "object"}, {"a": 1}),
        ("null", {"type": ["string", "null"]}, None),
        ("nil", {"type": ["string", "null"]}, "nil"),
        ('"null"', {"type": ["string", "null"]}, '"null"'),
        ("7", {"type": ["integer", "string"]}, 7),
        ("7.5", {"type": ["integer", "string"]}, "7.5"),
        ("2", {"enum": [1, 2]}, 2),
        ("2", {"enum": ["1", "2"]}, "2"),
        ("2", {"const": 2}, 2),
    ],
)
def test_text_is_read_by_the_declared_type(text: str, schema: dict[str, Any] | None, value: object) -> None:
    """An input is what its schema says it is; only text that is declared as text stays text."""
    assert same_value(input_value(text, schema), value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "schema"),
    [
        ("1.0", {"type": "integer"}),
        ("12:30", {"type": "integer"}),
        ("0x10", {"type": "integer"}),
        (" ", {"type": "integer"}),
        ("yes", {"type": "boolean"}),
        ("True", {"type": "boolean"}),
        ("1", {"type": "boolean"}),
        ("true", {"type": "integer"}),
        ("NaN", {"type": "number"}),
        ("1e400", {"type": "number"}),
        ('{"a":1,"a":2}', {"type": "object"}),
        ("[" * 100_000, {"type": "array"}),
        ('"1"', {"type": "integer"}),
    ],
)
def test_text_of_another_type_is_refused(text: str, schema: dict[str, Any]) -> None:
    """Nothing is guessed: what is not of the declared type is refused, briefly, saying what was wanted."""
    with pytest.raises(PayloadError, match=r"^It must be ") as caught:
        input_value(text, schema)
    assert len(caught.value.reason) < 400


@pytest.mark.parametrize(
    ("text", "schema", "reason"),
    [
        ("yes", {"type": "boolean"}, 'It must be true or false, not "yes".'),
        ("many", {"type": "integer"}, 'It must be a whole number, such as 3, not "many".'),
        ("1,5", {"type": "number"}, 'It must be a number, such as 1.5, not "1,5".'),
        ("eu", {"type": "array"}, """It must be a JSON array, such as '["eu"]', not "eu"."""),
        ("eu", {"type": "object"}, """It must be a JSON object, such as '{"region":"eu"}', not "eu"."""),
        ("x", {"type": ["boolean", "null"]}, 'It must be true or false or null, not "x".'),
        ("x", {"enum": [1, None]}, 'It must be null or a number, such as 1.5, not "x".'),
    ],
)
def test_a_refusal_says_what_may_be_given(text: str, schema: dict[str, Any], reason: str) -> None:
    """A person is told what to write, in the words of a person; a parser's words are for what was meant as JSON."""
    with pytest.raises(PayloadError) as caught:
        input_value(text, schema)
    assert caught.value.reason == reason


def test_a_refusal_of_broken_json_says_where_it_is_broken() -> None:
    """A list without its quotation marks is told with the place."""
    with pytest.raises(PayloadError, match=r"such as '\[\"eu\"\]'.* line 1, column 2"):
        input_value("[eu]", {"type": "array"})


@given(st.text(), st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]))
def test_any_text_gets_an_answer(text: str, kind: str) -> None:
    """Whatever stands after the `=` is a value or a `PayloadError`."""
    try:
        value = input_value(text, {"type": kind})
    except PayloadError:
        assert kind != "string"
    else:
        assert kind != "string" or value == text
