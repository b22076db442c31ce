"""An example of a payload that a schema accepts, for the command that a person is shown.

It goes by what most schemas say, required members and their types, and is then held to the whole schema: an example
that does not fit is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from swamp_core.payload.values import JsonValue
from swamp_core.payload.violations import violations

_OF_FORMAT = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "email": "somebody@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_NESTING_MAX = 8
_REPEATED_MAX = 100

Schema = Mapping[str, JsonValue]


def sample_of(schema: Schema | None) -> dict[str, JsonValue] | None:
    """A payload with the required members that fits the schema, or None when none was found."""
    sample = _sample(dict(schema or {"type": "object"}), _NESTING_MAX)
    return sample if isinstance(sample, dict) and not violations(schema or {}, sample) else None


def _sample(schema: JsonValue, nesting: int) -> JsonValue:
    if not isinstance(schema, dict) or nesting == 0:
        return {}
    given = list(_given(schema))
    if given:
        return given[0]
    kind = schema.get("type", "object" if "properties" in schema else "string")
    match kind[0] if isinstance(kind, list) and kind else kind:
        case "object":
            return _object(schema, nesting)
        case "array":
            return [_sample(schema.get("items"), nesting - 1)] * _bounded(schema.get("minItems"))
        case "integer" | "number":
            return _number(schema)
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return _string(schema)


def _given(schema: Schema) -> Iterator[JsonValue]:
    """The values that the schema itself gives."""
    if "const" in schema:
        yield schema["const"]
    for listed in (schema.get("examples"), schema.get("enum")):
        if isinstance(listed, list):
            yield from listed
    if "default" in schema:
        yield schema["default"]


def _object(schema: Schema, nesting: int) -> JsonValue:
    members, required = schema.get("properties"), schema.get("required")
    known = members if isinstance(members, dict) else {}
    names = required if isinstance(required, list) else []
    return {name: _sample(known.get(name, {}), nesting - 1) for name in names if isinstance(name, str)}


def _number(schema: Schema) -> JsonValue:
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    if isinstance(above, int | float):
        return above + 1
    return least if isinstance(least, int | float) else 1


def _string(schema: Schema) -> str:
    text = _OF_FORMAT.get(str(schema.get("format")), "text")
    return text.ljust(_bounded(schema.get("minLength")), "…")


def _bounded(least: JsonValue) -> int:
    return min(least, _REPEATED_MAX) if isinstance(least, int) else 0
