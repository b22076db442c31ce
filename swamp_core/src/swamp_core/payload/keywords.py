"""The keywords of the dialect: what each must be, and what it holds.

The one table from which a schema is judged. A keyword stands here only if `violations` enforces it, or if it
says nothing about a value. `unevaluatedProperties`, anchors and `$id` are left out on purpose.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from swamp_core.payload.values import JsonValue, identity

TYPES = ("array", "boolean", "integer", "null", "number", "object", "string")


class Holds(enum.Enum):
    """Where the value of a keyword holds subschemas."""

    NONE = enum.auto()
    ONE = enum.auto()
    LIST = enum.auto()
    MAP = enum.auto()


@dataclass(frozen=True, slots=True)
class Keyword:
    """What the value of a keyword must be, as a check and in words."""

    expected: str
    accepts: Callable[[JsonValue], bool]
    holds: Holds = Holds.NONE


def _is_number(value: JsonValue) -> bool:
    return type(value) in (int, float)


def _is_count(value: JsonValue) -> bool:
    return type(value) is int and value >= 0


def _is_distinct(value: JsonValue) -> bool:
    return isinstance(value, list) and len({identity(item) for item in value}) == len(value)


def _is_names(value: JsonValue) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and _is_distinct(value)


def _is_type(value: JsonValue) -> bool:
    if isinstance(value, list):
        return bool(value) and _is_distinct(value) and all(item in TYPES for item in value)
    return value in TYPES


_ANYTHING = Keyword("anything", lambda value: True)
_BOOLEAN = Keyword("true or false", lambda value: isinstance(value, bool))
_COUNT = Keyword("a whole number, zero or more", _is_count)
_LIST = Keyword("a list", lambda value: isinstance(value, list))
_NUMBER = Keyword("a number", _is_number)
_TEXT = Keyword("text", lambda value: isinstance(value, str))
_SCHEMA = Keyword("a schema", lambda value: True, Holds.ONE)
_SCHEMAS = Keyword(
    "a list of one or more schemas", lambda value: isinstance(value, list) and value != [], Holds.LIST
)
_SCHEMA_MAP = Keyword(
    "an object that holds a schema a member", lambda value: isinstance(value, dict), Holds.MAP
)

KEYWORDS: Mapping[str, Keyword] = MappingProxyType(
    {
        "$comment": _TEXT,
        "$defs": _SCHEMA_MAP,
        "$ref": _TEXT,
        "$schema": _TEXT,
        "additionalProperties": _SCHEMA,
        "allOf": _SCHEMAS,
        "anyOf": _SCHEMAS,
        "const": _ANYTHING,
        "contains": _SCHEMA,
        "default": _ANYTHING,
        "dependentRequired": Keyword(
            "an object that holds a list of names a member",
            lambda value: isinstance(value, dict) and all(map(_is_names, value.values())),
        ),
        "dependentSchemas": _SCHEMA_MAP,
        "deprecated": _BOOLEAN,
        "description": _TEXT,
        "else": _SCHEMA,
        "enum": Keyword(
            "a list of one or more values, each once", lambda value: _is_distinct(value) and value != []
        ),
        "examples": _LIST,
        "exclusiveMaximum": _NUMBER,
        "exclusiveMinimum": _NUMBER,
        "format": _TEXT,
        "if": _SCHEMA,
        "items": _SCHEMA,
        "maxContains": _COUNT,
        "maxItems": _COUNT,
        "maxLength": _COUNT,
        "maxProperties": _COUNT,
        "maximum": _NUMBER,
        "minContains": _COUNT,
        "minItems": _COUNT,
        "minLength": _COUNT,
        "minProperties": _COUNT,
        "minimum": _NUMBER,
        "multipleOf": Keyword(
            "a number above zero", lambda value: _is_number(value) and float(str(value)) > 0
        ),
        "not": _SCHEMA,
        "oneOf": _SCHEMAS,
        "pattern": _TEXT,
        "patternProperties": _SCHEMA_MAP,
        "prefixItems": _SCHEMAS,
        "properties": _SCHEMA_MAP,
        "propertyNames": _SCHEMA,
        "required": Keyword("a list of names, each once", _is_names),
        "then": _SCHEMA,
        "title": _TEXT,
        "type": Keyword(f"one of {', '.join(TYPES)}, or a list of them, each once", _is_type),
        "uniqueItems": _BOOLEAN,
    }
)

IN_PLACE = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""The keywords whose subschemas apply to the value itself, not to a part of it. `$ref` is one more."""

MEANINGLESS_WITHOUT: Mapping[str, str] = MappingProxyType(
    {"then": "if", "else": "if", "minContains": "contains", "maxContains": "contains"}
)

RENAMED: Mapping[str, str] = MappingProxyType(
    {"definitions": "$defs", "dependencies": "dependentRequired", "additionalItems": "items"}
)
"""Names from older drafts, with what they are called in this one."""
