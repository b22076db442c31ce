"""Where a value breaks a schema, in sentences that name the place.

The jsonschema library does the walking; what it would do differently from our JSON is replaced here: 1.0 is
no integer, patterns run in linear time, formats are asserted, nothing is fetched. A value is as hostile as
its sender, so the work is counted and the answer is short: a value that would take too long to check is not
valid.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from itertools import islice
from typing import TYPE_CHECKING, Any

from swamp_core.payload.sentences import sentence
from swamp_core.payload.values import JsonValue

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError

    from swamp_core.payload.rules import Rule

VIOLATIONS_MAX = 8
CHECKS_MIN = 100_000
"""The least number of keyword checks that a value is granted, about a second's worth."""
CHECKS_PER_VALUE = 20
"""What is granted on top for each value inside it, so that large inputs can be checked too."""

_checks_left: ContextVar[list[int]] = ContextVar("checks_left")


class _TooMuchWork(Exception):
    pass


def violations(schema: Mapping[str, JsonValue], value: JsonValue) -> list[str]:
    """Why the value is not valid under the schema, at most a handful of sentences; empty if it is valid.

    The schema must be one without `schema_problems`.
    """
    return violations_of(schema, schema, value)


def violations_of(
    root: Mapping[str, JsonValue], part: Mapping[str, JsonValue], value: JsonValue
) -> list[str]:
    """Like `violations`, under a part of the root schema, whose references the root resolves."""
    from referencing import Registry

    whole = _validator_class()(_without_dialect(root), registry=Registry())
    validator = whole.evolve(schema=_without_dialect(part))
    token = _checks_left.set([CHECKS_MIN + CHECKS_PER_VALUE * _count(value)])
    try:
        found = [sentence(error) for error in islice(validator.iter_errors(value), VIOLATIONS_MAX + 1)]
    except (_TooMuchWork, RecursionError):
        return ["The value takes too long to check against its schema."]
    finally:
        _checks_left.reset(token)
    if len(found) > VIOLATIONS_MAX:
        found[VIOLATIONS_MAX:] = ["There is more that does not fit."]
    return found


def _without_dialect(schema: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The schema without `$schema`, which the library takes as leave to go on with its own rules."""
    return {name: value for name, value in schema.items() if name != "$schema"}


@functools.cache
def _validator_class() -> Any:
    from jsonschema import Draft202012Validator, validators

    from swamp_core.payload.rules import OWN_RULES, TYPES

    rules = {name: _counted(rule) for name, rule in {**Draft202012Validator.VALIDATORS, **OWN_RULES}.items()}
    return validators.extend(Draft202012Validator, rules, type_checker=TYPES)  # type: ignore[no-untyped-call]


def _counted(rule: Rule) -> Rule:
    def check(validator: Any, argument: Any, value: Any, schema: Any) -> Iterator[ValidationError] | None:
        left = _checks_left.get()
        left[0] -= 1 + (len(argument) if isinstance(argument, (dict, list)) else 0)
        if left[0] < 0:
            raise _TooMuchWork
        return rule(validator, argument, value, schema)

    return check


def _count(value: JsonValue) -> int:
    count, todo = 0, [value]
    while todo:
        item = todo.pop()
        count += 1
        if isinstance(item, dict):
            todo.extend(item.values())
        elif isinstance(item, list):
            todo.extend(item)
    return count
