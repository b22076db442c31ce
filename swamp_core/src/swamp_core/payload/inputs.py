"""What `K=V` on a command line means: text is read by the type that the input's schema declares.

Nothing is guessed: an input that is declared as text stays text, `123` and `true` included, and one that is
declared otherwise must be that type in strict JSON.
"""

from __future__ import annotations

from collections.abc import Mapping

from swamp_core.payload.strict_json import parse_json
from swamp_core.payload.values import JsonValue, PayloadError, shown

_EXPECTED = {
    "boolean": "true or false",
    "null": "null",
    "integer": "a whole number, such as 3",
    "number": "a number, such as 1.5",
    "array": """a JSON array, such as '["eu"]'""",
    "object": """a JSON object, such as '{"region":"eu"}'""",
}
_BRACKETS = ("[", "{")


def input_value(text: str, schema: Mapping[str, JsonValue] | None) -> JsonValue:
    """The value that the text stands for. Raises `PayloadError` if it is of none of the declared types.

    The types are those of `type`, else those of `const` and `enum`. With none, or without a schema, the text
    itself is the value; with text among several, it is the value if it is none of the others.
    """
    kinds = _declared_types(schema or {})
    if not kinds or kinds == {"string"}:
        return text
    reason = ""
    try:
        value = parse_json(text.encode("utf-8", "surrogatepass"))
        if not kinds.isdisjoint(types_of(value) - {"string"}):
            return value
    except PayloadError as error:
        # Where a text is no JSON says something only if it was meant as JSON.
        if error.code not in ("not_json", "trailing_text") or text.lstrip()[:1] in _BRACKETS:
            reason = f" {error.reason}"
    if "string" in kinds:
        return text
    raise PayloadError("wrong_type", f"It must be {_expected(kinds)}, not {shown(text)}.{reason}")


def _expected(kinds: frozenset[str]) -> str:
    """What a text must be to stand for a value of one of the types: `a whole number, such as 3`."""
    told = kinds - {"integer"} if "number" in kinds else kinds
    return " or ".join(words for kind, words in _EXPECTED.items() if kind in told) or "of a type in JSON"


def types_of(value: JsonValue) -> frozenset[str]:
    """The names that a schema has for the type of the value; an integer has two."""
    match value:
        case None:
            return frozenset({"null"})
        case bool():
            return frozenset({"boolean"})
        case int():
            return frozenset({"integer", "number"})
        case float():
            return frozenset({"number"})
        case str():
            return frozenset({"string"})
        case list():
            return frozenset({"array"})
    return frozenset({"object"})


def _declared_types(schema: Mapping[str, JsonValue]) -> frozenset[str]:
    declared = schema.get("type")
    if isinstance(declared, str):
        return frozenset({declared})
    if isinstance(declared, list):
        return frozenset(map(str, declared))
    allowed = schema.get("enum", [schema["const"]] if "const" in schema else [])
    return (
        frozenset(kind for value in allowed for kind in types_of(value))
        if isinstance(allowed, list)
        else frozenset()
    )
