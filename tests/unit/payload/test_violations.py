"""What is enforced of a schema: each keyword, the sentences, and the bounds on a hostile value."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import Any

import pytest
from swamp_core.payload.schema import schema_problems, violations
from swamp_core.payload.violations import VIOLATIONS_MAX

VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["ship", "fix", "abandon"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


def of_member(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}}


PLACES = [
    ({"verdict": "ship"}, []),
    ({}, ['The value at the top level lacks the member "verdict".']),
    (
        {"verdict": "later"},
        ['The value at /verdict must be one of "ship", "fix", "abandon", and is "later".'],
    ),
    ({"verdict": "ship", "who": 1}, ["The value at /who is not allowed."]),
    (
        {"verdict": 1},
        [
            "The value at /verdict must be of type string, and is 1.",
            'The value at /verdict must be one of "ship", "fix", "abandon", and is 1.',
        ],
    ),
]


@pytest.mark.parametrize(("payload", "said"), PLACES)
def test_a_violation_is_a_sentence_with_its_place(payload: Any, said: list[str]) -> None:
    """Whoever sent the payload reads where it is wrong, and what must be there."""
    assert violations(VERDICT, payload) == said  # type: ignore[arg-type]


VERDICTS = [
    # schema of x, values that fit, values that do not
    ({"type": "integer"}, [1, 0, -5], [1.0, True, "1", None]),
    ({"type": "number"}, [1, 1.0], [True, "1"]),
    ({"type": "boolean"}, [True], [1, 0]),
    ({"type": ["null", "array"]}, [None, []], [{}]),
    ({"const": 1}, [1], [1.0, True]),
    ({"const": {"a": [1], "b": 2}}, [{"b": 2, "a": [1]}], [{"a": [True], "b": 2}]),
    ({"enum": [1, "a"]}, [1, "a"], [1.0, True]),
    ({"enum": [False]}, [False], [0]),
    (
        {"uniqueItems": True},
        [[1, 1.0, True, "1"], [[1], [2]]],
        [[1, 1], [{"a": 1, "b": 2}, {"b": 2, "a": 1}]],
    ),
    ({"uniqueItems": False}, [[1, 1]], []),
    ({"minimum": 1}, [1, 1.0, "a", None, True], [0, 0.5]),
    ({"multipleOf": 0.1}, [0.3, 1, 1e300], [0.35]),
    ({"multipleOf": 3}, [9, 9.0, True], [10]),
    ({"pattern": "b"}, ["abc", 1], ["xyz"]),
    ({"pattern": "^a$"}, ["a"], ["a\n"]),
    ({"pattern": r"^\d+$"}, ["1"], ["\u0661"]),
    ({"minLength": 1, "maxLength": 1}, ["é", "😀"], ["", "ab"]),
    ({"format": "date"}, ["2026-02-28", 5], ["2026-02-30", "2026-2-1", "2026-02-28\n"]),
    (
        {"format": "time"},
        ["10:00:00Z", "23:59:60Z", "01:29:60.5+01:30"],
        ["10:00:00", "10:00:60Z", "24:00:00Z"],
    ),
    (
        {"format": "date-time"},
        ["2026-02-28T10:00:00+02:00"],
        ["2026-02-28 10:00:00Z", "2026-02-30T10:00:00Z", ""],
    ),
    (
        {"format": "uuid"},
        ["0190F2C4-0000-7000-8000-00000000abcd"],
        ["0190f2c40000700080000000 0000abcd", "{x}"],
    ),
    ({"format": "ipv4"}, ["127.0.0.1"], ["127.0.0.256", "127.1"]),
    ({"format": "ipv6"}, ["::1"], ["::1%eth0", "127.0.0.1"]),
    ({"format": "hostname"}, ["a-b.example"], ["-a", "a..b", "a" * 64, "a_b"]),
    ({"format": "email"}, ["a.b+c@example.com"], ["a@", "@b", "a b@c", "a..b@c", "ab"]),
    (
        {"format": "uri"},
        ["https://a/b?c=%20#d", "urn:x:y"],
        ["a/b", "https://a b", "x:%2", "x:#a#b", "https:"],
    ),
    ({"properties": {"y": False}}, [{}], [{"y": 1}]),
    ({"additionalProperties": {"type": "null"}}, [{"y": None}], [{"y": 1}]),
    (
        {"patternProperties": {"^y": {"type": "null"}}, "additionalProperties": False},
        [{"yes": None}],
        [{"yes": 1}, {"n": None}],
    ),
    ({"propertyNames": {"pattern": "^[a-z]+$"}}, [{"ab": 1}], [{"A": 1}]),
    ({"required": ["a", "b"]}, [{"a": 1, "b": 2}, 5], [{"a": 1}]),
    ({"dependentRequired": {"a": ["b"]}}, [{"b": 1}, {}], [{"a": 1}]),
    ({"dependentSchemas": {"a": {"required": ["b"]}}}, [{"a": 1, "b": 1}], [{"a": 1}]),
    ({"minProperties": 1, "maxProperties": 1}, [{"a": 1}], [{}, {"a": 1, "b": 1}]),
    ({"prefixItems": [{"type": "null"}], "items": False}, [[None], []], [[1], [None, 1]]),
    ({"prefixItems": [False]}, [[]], [[1]]),
    ({"contains": {"const": 1}, "maxContains": 1}, [[1, 2]], [[2], [1, 1], []]),
    ({"contains": True, "minContains": 2}, [[1, 2]], [[1]]),
    ({"allOf": [{"minimum": 1}, {"maximum": 2}]}, [1, 2], [0, 3]),
    ({"anyOf": [{"type": "null"}, {"minimum": 5}]}, [None, 5, "a"], [4]),
    ({"oneOf": [{"minimum": 1}, {"maximum": 2}]}, [0, 3], [1, "a"]),
    ({"not": {"type": "null"}}, [1], [None]),
    ({"if": {"const": 1}, "then": False, "else": {"type": "string"}}, ["a"], [1, 2]),
    (
        {
            "type": ["object", "null"],
            "properties": {"x": {"$ref": "#/properties/x"}},
            "additionalProperties": False,
        },
        [{"x": {"x": None}}],
        [{"x": {"x": {"y": None}}}],
    ),
    (True, [1, None], []),
    (False, [], [1, None]),
]


@pytest.mark.parametrize(("schema", "fitting", "others"), VERDICTS)
def test_each_keyword_is_enforced(schema: Any, fitting: list[Any], others: list[Any]) -> None:
    """Every keyword that a schema may use lets pass what it should, and nothing else, and says where."""
    whole = of_member(schema)
    assert schema_problems(whole) == []
    for value in fitting:
        assert violations(whole, {"x": value}) == [], value
    for value in others:
        said = violations(whole, {"x": value})
        assert said, value
        assert all("at /x" in sentence and sentence.endswith(".") for sentence in said), said


def test_a_reference_to_the_root_keeps_our_rules() -> None:
    """A schema that names its dialect and refers to itself is not handed back to the library's own rules."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    schema = {"$schema": dialect, "properties": {"n": {"type": "integer"}, "below": {"$ref": "#"}}}
    assert schema_problems(schema) == []
    assert violations(schema, {"below": {"below": {"n": 1.0}}}) != []


def test_a_payload_that_is_wrong_everywhere_gets_a_short_answer() -> None:
    """Sixteen hostile kilobytes buy a handful of short sentences, printable on any terminal."""
    schema = {
        "type": "object",
        "properties": {"x": {"items": {"type": "null"}}},
        "additionalProperties": {"type": "null"},
    }
    for payload in (
        {"x": list(range(4000))},
        {"x": ["y" * 16_000]},
        {"y\x1b[2J" * 2000: 1},
        {f"y{n}": {} for n in range(1500)},
    ):
        said = violations(schema, payload)  # type: ignore[arg-type]
        assert 1 <= len(said) <= VIOLATIONS_MAX + 1
        assert all(len(sentence) <= 400 and sentence.isprintable() for sentence in said)


def test_a_payload_that_would_take_for_ever_is_refused() -> None:
    """A recursive choice would cost 6 to the power of 15; the work is counted, and the payload refused."""
    schema: dict[str, Any] = {
        "type": "object",
        "oneOf": [
            {"properties": {"op": {"const": op}, "of": {"$ref": "#"}}, "required": ["op"]} for op in range(6)
        ],
    }
    payload: dict[str, Any] = {"op": 1}
    assert violations(schema, {"op": 1, "of": payload}) == []
    for _ in range(14):
        payload = {"op": 1, "of": payload}
    started_s = time.process_time()
    assert schema_problems(schema) == []
    assert violations(schema, payload) == ["The value takes too long to check against its schema."]
    assert time.process_time() - started_s < 20


def test_a_pattern_cannot_hang() -> None:
    """A pattern that takes exponential time elsewhere is answered at once."""
    schema = of_member({"pattern": "^(a+)+$"})
    started_s = time.process_time()
    assert violations(schema, {"x": "a" * 16_000 + "!"}) != []
    assert time.process_time() - started_s < 5


def test_a_large_input_that_fits_is_not_refused_for_its_size() -> None:
    """The work that is allowed grows with the value, so that large inputs can be checked as well."""
    schema = of_member({"items": {"type": "integer", "minimum": 0, "maximum": 100_000}})
    assert violations(schema, {"x": list(range(60_000))}) == []


def test_reading_json_imports_no_library() -> None:
    """Neither the schema library nor the pattern engine is loaded before a value is checked."""
    code = (
        "import sys; from swamp_core.payload.schema import schema_problems;"
        "from swamp_core.payload.strict_json import parse_payload;"
        "parse_payload(b'{}'); assert schema_problems({'type': 'object'}) == [];"
        "print([name for name in ('jsonschema', 're2', 'referencing', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
