"""The keywords that we enforce ourselves, because the jsonschema library reads JSON more loosely than we do.

Imported when a value is checked, never before: the library takes a tenth of a second. A rule only says that
it is broken; the words are found in `sentences`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError

from swamp_core.payload.formats import FORMATS
from swamp_core.payload.patterns import compile_pattern
from swamp_core.payload.values import identity, same_value

Rule: TypeAlias = Callable[[Any, Any, Any, Any], "Iterator[ValidationError] | None"]
"""Called with the library's validator, the keyword's argument, the value, and the schema around both."""

TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {
        "integer": lambda checker, value: type(value) is int,
        "number": lambda checker, value: type(value) in (int, float),
    }
)


def _rule(kinds: tuple[type, ...], is_broken: Callable[[Any, Any], bool]) -> Rule:
    """A rule that only values of these kinds can break."""

    def check(validator: Any, argument: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
        if type(value) in kinds and is_broken(argument, value):
            yield ValidationError("")

    return check


def _required(validator: Any, names: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        yield from (ValidationError("", cause=KeyError(name)) for name in names if name not in value)


def _properties(validator: Any, members: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for name, subschema in members.items():
            if name in value:
                yield from _descend(validator, value[name], subschema, name)


def _pattern_properties(validator: Any, patterns: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        for pattern, subschema in patterns.items():
            for name in filter(compile_pattern(pattern).search, value):
                yield from _descend(validator, value[name], subschema, name)


def _additional_properties(validator: Any, extra: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, dict):
        known = schema.get("properties", {})
        patterns = [compile_pattern(pattern) for pattern in schema.get("patternProperties", ())]
        for name in value:
            if name not in known and not any(pattern.search(name) for pattern in patterns):
                yield from _descend(validator, value[name], extra, name)


def _prefix_items(validator: Any, schemas: Any, value: Any, schema: Any) -> Iterator[ValidationError]:
    if isinstance(value, list):
        for index, (item, subschema) in enumerate(zip(value, schemas, strict=False)):
            yield from _descend(validator, item, subschema, index)


def _descend(validator: Any, value: Any, subschema: Any, part: str | int) -> Iterator[ValidationError]:
    # For the schema `false` the library forgets where it was.
    if subschema is False:
        yield ValidationError(
            "", validator="false", validator_value=False, instance=value, schema=subschema, path=[part]
        )
    else:
        yield from validator.descend(value, subschema, path=part)


def _has_twins(items: list[Any]) -> bool:
    return len(set(map(identity, items))) < len(items)


def _exact(number: int | float) -> Fraction:
    return Fraction(repr(number))


_ANY = (type(None), bool, int, float, str, list, dict)

OWN_RULES: dict[str, Rule] = {
    "additionalProperties": _additional_properties,
    "const": _rule(_ANY, lambda expected, value: not same_value(expected, value)),
    "enum": _rule(_ANY, lambda allowed, value: not any(same_value(each, value) for each in allowed)),
    "format": _rule((str,), lambda name, value: not FORMATS[name](value)),
    "multipleOf": _rule((int, float), lambda step, value: _exact(value) % _exact(step) != 0),
    "pattern": _rule((str,), lambda pattern, value: not compile_pattern(pattern).search(value)),
    "patternProperties": _pattern_properties,
    "prefixItems": _prefix_items,
    "properties": _properties,
    "required": _required,
    "uniqueItems": _rule((list,), lambda unique, value: unique and _has_twins(value)),
}
