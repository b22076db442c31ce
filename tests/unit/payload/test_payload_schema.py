"""Schemas: what may be written, and with which words the rest is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from swamp_core.payload.keywords import KEYWORDS
from swamp_core.payload.schema import SCHEMA_NESTING_MAX, schema_problems

VERDICT = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": ["ship", "fix", "abandon"]}},
    "required": ["verdict"],
    "additionalProperties": False,
}


def of_member(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"x": schema}}


def test_a_schema_that_is_enforced_as_written_has_no_problems() -> None:
    """The example of the design, and a schema with every keyword, can be used."""
    everything = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "c", "title": "t", "description": "d", "examples": [{}], "deprecated": True,
        "type": "object",
        "$defs": {"tree": {"type": ["object", "null"], "properties": {"left": {"$ref": "#/$defs/tree"}}}},
        "properties": {
            "s": {"type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a+$", "format": "date"},
            "n": {"type": "number", "minimum": 0, "maximum": 9.5, "exclusiveMinimum": -1,
                  "exclusiveMaximum": 10, "multipleOf": 0.5},
            "a": {"prefixItems": [True], "items": {"const": None}, "minItems": 0, "maxItems": 3,
                  "uniqueItems": True, "contains": {}, "minContains": 0, "maxContains": 2},
            "tree": {"$ref": "#/$defs/tree"}, "whole": {"$ref": "#"}, "enum": {"enum": [1, 1.0, True]},
            "const": {"const": 1},
        },
        "patternProperties": {"^x-": True}, "additionalProperties": False, "propertyNames": {"maxLength": 9},
        "required": ["s"], "minProperties": 1, "maxProperties": 99,
        "dependentRequired": {"s": ["n"]}, "dependentSchemas": {"n": True},
        "allOf": [True], "anyOf": [{}], "oneOf": [{}], "not": False, "if": True, "then": True, "else": False,
    }  # fmt: skip
    members: Any = everything["properties"]
    used = {name for part in [everything, *members.values()] for name in part}
    assert KEYWORDS.keys() - used == {"default"}
    assert schema_problems(everything) == []
    assert schema_problems(VERDICT) == []
    assert schema_problems({"properties": {}}) == []


UNUSABLE = [
    (
        "an unknown keyword",
        of_member({"minlength": 3}),
        ("properties", "x", "minlength"),
        "Did you mean `minLength`?",
    ),
    ("a keyword of an older draft", {"type": "object", "definitions": {}}, ("definitions",), "`$defs`"),
    (
        "a keyword that is not enforced",
        {"type": "object", "unevaluatedProperties": False},
        ("unevaluatedProperties",),
        "not enforced",
    ),
    ("an anchor", {"type": "object", "$anchor": "a"}, ("$anchor",), "not enforced"),
    ("an $id", {"type": "object", "$id": "http://a/b"}, ("$id",), "not enforced"),
    (
        "another dialect",
        {"type": "object", "$schema": "http://json-schema.org/draft-07/schema#"},
        ("$schema",),
        "dialect",
    ),
    (
        "a dialect below the root",
        of_member({"$schema": "https://json-schema.org/draft/2020-12/schema"}),
        ("properties", "x", "$schema"),
        "root",
    ),
    (
        "a format without a check",
        of_member({"format": "uri-template"}),
        ("properties", "x", "format"),
        "`date-time`",
    ),
    ("a remote reference", {"type": "object", "$ref": "https://example.com/s"}, ("$ref",), "starts with `#`"),
    ("a relative reference", {"type": "object", "$ref": "other.json#/a"}, ("$ref",), "starts with `#`"),
    ("a reference to nothing", {"type": "object", "$ref": "#/$defs/a"}, ("$ref",), "points to no schema"),
    ("a reference to an anchor", {"type": "object", "$ref": "#a"}, ("$ref",), "points to no schema"),
    (
        "a reference to what is no schema",
        {"type": "object", "enum": [{}], "$ref": "#/enum/0"},
        ("$ref",),
        "points to no schema",
    ),
    ("a reference to itself", {"type": "object", "$ref": "#"}, ("$ref",), "never end"),
    (
        "references in a circle",
        {
            "type": "object",
            "allOf": [{"$ref": "#/$defs/a"}],
            "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}},
        },
        ("$defs", "a", "anyOf", 0, "$ref"),
        "never end",
    ),
    ("a default", of_member({"default": 1}), ("properties", "x", "default"), "never applied"),
    ("no type", {}, (), "`type: object`"),
    ("a root of another type", {"type": "array"}, (), "`type: object`"),
    ("a root of two types", {"type": ["object", "null"]}, (), "`type: object`"),
    ("properties of something else", {"type": "string", "properties": {}}, (), "`type: object`"),
    ("a then without an if", {"type": "object", "then": {}}, ("then",), "`if`"),
    ("a count of nothing", of_member({"minContains": 1}), ("properties", "x", "minContains"), "`contains`"),
    ("a pattern that looks ahead", of_member({"pattern": "(?=a)"}), ("properties", "x", "pattern"), "(?=a)"),
    (
        "a pattern that refers back",
        of_member({"pattern": r"(a)\1"}),
        ("properties", "x", "pattern"),
        "cannot be",
    ),
    (
        "a name pattern that is none",
        {"type": "object", "patternProperties": {"[": True}},
        ("patternProperties",),
        "cannot be",
    ),
    ("a misspelt type", of_member({"type": "sting"}), ("properties", "x", "type"), "Did you mean `string`?"),
    ("no types", of_member({"type": []}), ("properties", "x", "type"), "must be"),
    (
        "a length that is negative",
        of_member({"minLength": -1}),
        ("properties", "x", "minLength"),
        "whole number",
    ),
    (
        "a length that is a double",
        of_member({"minLength": 1.0}),
        ("properties", "x", "minLength"),
        "whole number",
    ),
    (
        "a length that is true",
        of_member({"minLength": True}),
        ("properties", "x", "minLength"),
        "whole number",
    ),
    ("a step of zero", of_member({"multipleOf": 0}), ("properties", "x", "multipleOf"), "above zero"),
    ("a name required twice", {"type": "object", "required": ["a", "a"]}, ("required",), "each once"),
    ("required as true", of_member({"required": True}), ("properties", "x", "required"), "list of names"),
    ("an empty enum", of_member({"enum": []}), ("properties", "x", "enum"), "one or more"),
    ("a subschema that is text", of_member("string"), ("properties", "x"), "expected here"),
    ("an empty allOf", {"type": "object", "allOf": []}, ("allOf",), "one or more"),
    ("text", "object", (), "A schema is"),
    ("nothing", None, (), "A schema is"),
    ("a tuple", of_member({"enum": (1,)}), (), "tuple"),
    ("an integer that JSON cannot keep", of_member({"const": 2**70}), (), "64 bits"),
]


@pytest.mark.parametrize(
    ("schema", "path", "words"), [case[1:] for case in UNUSABLE], ids=[case[0] for case in UNUSABLE]
)
def test_a_schema_promises_no_check_that_is_not_made(
    schema: Any, path: tuple[str | int, ...], words: str
) -> None:
    """Whatever would not be enforced as written is a problem, told with its place."""
    (problem,) = schema_problems(schema)
    assert problem.path == path
    assert words in problem.message


def test_all_problems_are_told_at_once() -> None:
    """One reading names every problem, each at its own place."""
    schema = {"properties": {"a": {"typ": "string"}, "b": {"items": {"format": "x"}}}, "required": "a"}
    assert [problem.path for problem in schema_problems(schema)] == [
        ("properties", "a", "typ"),
        ("properties", "b", "items", "format"),
        ("required",),
    ]


def test_a_schema_is_bounded() -> None:
    """A schema that is very deep, very large, or holds itself is refused, and never a traceback."""
    deep: Any = {}
    for _ in range(10_000):
        deep = {"not": deep}
    cycle: dict[str, Any] = {"type": "object"}
    cycle["not"] = cycle
    at_the_limit: Any = True
    for _ in range(SCHEMA_NESTING_MAX):
        at_the_limit = {"not": at_the_limit}
    assert "deep" in schema_problems(deep)[0].message
    assert "deep" in schema_problems(cycle)[0].message
    assert "bytes" in schema_problems({"type": "object", "description": "x" * 1_000_000})[0].message
    assert [problem.path for problem in schema_problems(at_the_limit)] == [()]


def test_defaults_are_for_inputs_only_and_must_fit() -> None:
    """A workflow's inputs may have defaults, on their own members, each valid under its own schema."""
    schema = {
        "$defs": {"env": {"enum": ["dev", "prod"]}},
        "properties": {
            "env": {"$ref": "#/$defs/env", "default": "dev"},
            "n": {"type": "integer", "default": 1},
        },
        "required": ["env", "n"],
    }
    assert schema_problems(schema, defaults=True) == []
    schema["properties"]["env"]["default"] = "test"  # type: ignore[index]
    schema["properties"]["n"]["default"] = 1.0  # type: ignore[index]
    paths = [problem.path for problem in schema_problems(schema, defaults=True)]
    assert paths == [("properties", "env", "default"), ("properties", "n", "default")]
    nested = of_member({"properties": {"y": {"default": 1}}})
    assert [p.path for p in schema_problems(nested, defaults=True)] == [
        ("properties", "x", "properties", "y", "default")
    ]


def test_what_is_not_known_yet_is_not_judged() -> None:
    """A value that stands for one to come is left alone, and everything around it is still judged."""
    schema = of_member(
        {"enum": "$choices", "minLength": "$n", "maxLength": "n", "$ref": "$ref", "pattern": "$("}
    )
    problems = schema_problems(schema, is_open=lambda text: text.startswith("$"))
    assert [problem.path for problem in problems] == [("properties", "x", "maxLength")]
    assert schema_problems("$schema", is_open=lambda text: text == "$schema") == []
    assert schema_problems({"type": "$type"}, is_open=lambda text: text == "$type") == []


keyword_values = st.sampled_from(
    [None, True, False, 0, 1, -1, 1.5, 0.0, "string", "a", "[", "#", "#/$defs/a", [], ["a"], ["a", "a"], [1],
     ["string", "null"], [True], [{}], {}, {"a": {}}, {"a": ["b"]}, {"a": 1}, {"[": {}}]
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(sorted(KEYWORDS)), keyword_values, max_size=4))
def test_what_is_accepted_is_a_schema_by_the_standard_too(part: dict[str, Any]) -> None:
    """The official metaschema accepts every schema that we do."""
    schema = {"type": "object", "$defs": {"a": True}, "properties": {"x": part}}
    if schema_problems(schema) == []:
        Draft202012Validator.check_schema(schema)
