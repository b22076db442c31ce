"""An example of a payload that a schema accepts, for the command that a person is shown."""

from __future__ import annotations

from collections.abc import Mapping

from swamp_core.payload.values import JsonValue
from swamp_core.payload.violations import violations

_BY_TYPE: dict[str, JsonValue] = {
    "string": "…",
    "integer": 1,
    "number": 1,
    "boolean": True,
    "array": [],
    "null": None,
}
_NESTING_MAX = 8


def sample_of(schema: Mapping[str, JsonValue] | None) -> dict[str, JsonValue]:
    """A payload with the required members, or `{}` when none that fits the schema is found."""
    if not schema:
        return {}
    sample = _sample(dict(schema), _NESTING_MAX)
    return sample if isinstance(sample, dict) and not violations(schema, sample) else {}


def _sample(schema: JsonValue, nesting: int) -> JsonValue:
    if not isinstance(schema, dict) or nesting == 0:
        return {}
    examples, choices = schema.get("examples"), schema.get("enum")
    for given in (examples, choices):
        if isinstance(given, list) and given:
            return given[0]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) and kind else kind
    if kind == "object" or (kind is None and "properties" in schema):
        return _object(schema, nesting)
    if "minimum" in schema:
        return schema["minimum"]
    return _BY_TYPE.get(kind, "…") if isinstance(kind, str) else "…"


def _object(schema: dict[str, JsonValue], nesting: int) -> JsonValue:
    members, required = schema.get("properties"), schema.get("required")
    if not isinstance(members, dict) or not isinstance(required, list):
        return {}
    return {name: _sample(members.get(name), nesting - 1) for name in required if isinstance(name, str)}
