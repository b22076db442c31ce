"""What is wrong with a value, said to the person who sent it: the place first, then what must be there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from swamp_core.payload.values import JsonValue, printable, shown

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

SENTENCE_CHARACTERS_MAX = 400
_CHOICES_SHOWN_MAX = 8

_WORDS = {
    "contains": "must hold the items that `contains` asks for",
    "dependentRequired": "lacks a member that another of its members needs",
    "exclusiveMaximum": "must be below {}",
    "exclusiveMinimum": "must be above {}",
    "format": "must be in the format {}",
    "items": "has more items than are allowed",
    "maxContains": "must hold at most {} of the items that `contains` asks for",
    "maxItems": "must have {} items at most",
    "maxLength": "must have {} characters at most",
    "maxProperties": "must have {} members at most",
    "maximum": "must be {} at most",
    "minContains": "must hold at least {} of the items that `contains` asks for",
    "minItems": "must have {} items at least",
    "minLength": "must have {} characters at least",
    "minProperties": "must have {} members at least",
    "minimum": "must be {} at least",
    "multipleOf": "must be a multiple of {}",
    "not": "must not fit what `not` excludes",
    "pattern": "must match the pattern {}",
    "uniqueItems": "must not hold an item twice",
}


def sentence(error: ValidationError) -> str:
    """One sentence that names the place (`at /verdict`) and what is wrong there, of bounded length."""
    text = f"{_subject(error)} {_complaint(error)}"
    if len(text) >= SENTENCE_CHARACTERS_MAX:
        text = text[: SENTENCE_CHARACTERS_MAX - 2] + "…"
    return text + "."


def _subject(error: ValidationError) -> str:
    place = _place([str(part) for part in error.absolute_path])
    if "propertyNames" in error.absolute_schema_path and isinstance(error.instance, str):
        return f"The member name {shown(error.instance)} {place}"
    return f"The value {place}"


def _place(path: list[str]) -> str:
    pointer = "".join("/" + part.replace("~", "~0").replace("/", "~1") for part in path)
    return f"at {printable(pointer, characters_max=120)}" if path else "at the top level"


def _complaint(error: ValidationError) -> str:
    keyword: Any = error.validator
    argument: Any = error.validator_value
    instance: Any = error.instance
    match keyword:
        case None | "false":
            return "is not allowed"
        case "type":
            kinds = " or ".join(argument) if isinstance(argument, list) else str(argument)
            return f"must be of type {kinds}, and is {shown(instance)}"
        case "required" if isinstance(error.cause, KeyError):
            return f"lacks the member {shown(error.cause.args[0])}"
        case "enum":
            return f"must be {_choices(argument)}, and is {shown(instance)}"
        case "const":
            return f"must be {shown(argument)}, and is {shown(instance)}"
        case "anyOf":
            return f"fits none of the {len(argument)} forms that are allowed"
        case "oneOf":
            return f"must fit exactly one of the {len(argument)} forms that are allowed"
    return _WORDS.get(str(keyword), f"breaks the rule `{keyword}`").format(shown(argument))


def _choices(values: list[JsonValue]) -> str:
    if len(values) == 1:
        return shown(values[0])
    listed = ", ".join(shown(value) for value in values[:_CHOICES_SHOWN_MAX])
    more = ", …" if len(values) > _CHOICES_SHOWN_MAX else ""
    return f"one of {listed}{more}"
