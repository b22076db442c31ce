"""The example of a payload that people are shown: it fits, or there is none."""

import pytest
from swamp_core.payload.sample import sample_of
from swamp_core.payload.violations import violations


def of(**members):
    return {"type": "object", "properties": members, "required": list(members)}


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        (None, {}),
        ({"type": "object"}, {}),
        (of(verdict={"enum": ["ship", "fix"]}), {"verdict": "ship"}),
        (of(ok={"type": "boolean"}, target={"type": "string"}), {"ok": True, "target": "text"}),
        (of(name={"type": "string", "minLength": 6}), {"name": "text……"}),
        (of(day={"type": "string", "format": "date"}), {"day": "2026-01-31"}),
        (of(n={"type": "integer", "exclusiveMinimum": 4}), {"n": 5}),
        (
            of(hosts={"type": "array", "items": {"type": "string"}, "minItems": 2}),
            {"hosts": ["text", "text"]},
        ),
        (of(inner=of(a={"type": "null"})), {"inner": {"a": None}}),
        ({"properties": {"a": {"const": 3}}, "required": ["a"]}, {"a": 3}),
    ],
)
def test_a_sample_has_the_required_members(schema, sample):
    """What a person pastes is accepted."""
    assert sample_of(schema) == sample
    assert violations(schema or {}, sample) == []


def test_there_is_no_sample_where_none_was_found():
    """An example that would be refused is not shown."""
    assert sample_of(of(code={"type": "string", "pattern": "^[A-Z]{3}$"})) is None


def test_what_a_schema_gives_as_a_default_is_its_sample():
    """So a member with a pattern has one too; its examples come first."""
    code = {"type": "string", "pattern": "^[A-Z]{3}$"}
    assert sample_of(of(code={**code, "default": "OPS"})) == {"code": "OPS"}
    assert sample_of(of(code={**code, "examples": ["OPS"]})) == {"code": "OPS"}
    assert sample_of(of(code={**code, "examples": ["OPS"], "default": "ops"})) == {"code": "OPS"}
