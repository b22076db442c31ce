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
    """Nothing is guessed: what is not of the declared type is refused, with the type that was wanted."""
    with pytest.raises(PayloadError, match=schema["type"]) as caught:
        input_value(text, schema)
    assert len(caught.value.reason) < 400


@given(st.text(), st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]))
def test_any_text_gets_an_answer(text: str, kind: str) -> None:
    """Whatever stands after the `=` is a value or a `PayloadError`."""
    try:
        value = input_value(text, {"type": kind})
    except PayloadError:
        assert kind != "string"
    else:
        assert kind != "string" or value == text
