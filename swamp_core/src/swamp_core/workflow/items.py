"""What an expression may read of a forEach: the item, within the step; and its outputs, one for each item, outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from swamp_core.expressions import has_expression
from swamp_core.workflow.definition import ForEach
from swamp_core.workflow.problems import Finding, KeyPath, did_you_mean, quoted
from swamp_core.workflow.steps import Place
from swamp_core.workflow.texts import holds_expression

SELF = "self"
MEMBER_FIELDS = ("key", "value")


def item_findings(names: Sequence[str], at: KeyPath, place: Place) -> Iterator[Finding]:
    """What is wrong with reading the names, one below the other, of `self` at a place."""
    problem = _item_problem(names, place.for_each)
    if place.is_source:
        problem = "`self` is the item of this forEach, so its own `in` cannot read it."
    if problem is not None:
        yield Finding(at, "unknown_self", problem)


def _item_problem(names: Sequence[str], for_each: ForEach | None) -> str | None:
    if for_each is None:
        return "`self` holds the item of a `forEach`, and this step has none."
    match names:
        case []:
            return f"Read the item by its name: {quoted(f'self.{for_each.item}')}."
        case [name, *_] if name != for_each.item:
            return f"The item of this forEach is not {quoted(name)}{did_you_mean(name, [for_each.item])}"
        case [_, field, *_]:
            return _field_problem(field, for_each.source)
    return None


def _field_problem(field: str, source: object) -> str | None:
    if isinstance(source, dict) and field not in MEMBER_FIELDS:
        suggestion = did_you_mean(field, MEMBER_FIELDS)
        return f"An item of a mapping has no {quoted(field)}{suggestion}"
    if isinstance(source, list) and source and not any(map(_may_have_fields, source)):
        return f"An item of this list is no mapping, so it has no {quoted(field)}."
    return None


def _may_have_fields(item: object) -> bool:
    return isinstance(item, dict) or (isinstance(item, str) and has_expression(item))


def outputs_findings(names: Sequence[str], at: KeyPath, step: str, for_each: ForEach) -> Iterator[Finding]:
    """What is wrong with reading the names of the outputs of a step that has a forEach."""
    if not names:
        return
    source = for_each.source
    if isinstance(source, list):
        message = (
            f"The outputs of {quoted(step)} are a list, one for each item, which has no {quoted(names[0])}; "
            "read one with `[0]`, or all with `.map(each, …)`."
        )
        yield Finding(at, "unknown_field", message)
    elif isinstance(source, dict) and names[0] not in source and not any(map(holds_expression, source)):
        suggestion = did_you_mean(names[0], source)
        message = f"{quoted(step)} has no outputs for an item {quoted(names[0])}{suggestion}"
        yield Finding(at, "unknown_field", message)
