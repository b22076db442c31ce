"""The inputs that a workflow declares: their names, their defaults, and whether others are taken.

Whoever gives inputs to a run asks here, a person's command and a nested run alike.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from swamp_core.workflow.definition import JsonObject, Workflow

_OPEN_KEYWORDS = frozenset({"additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf", "$ref"})


def declared_inputs(workflow: Workflow) -> JsonObject:
    """The schema of each input that the workflow names."""
    members = (workflow.inputs or {}).get("properties")
    return members if isinstance(members, dict) else {}


def takes_undeclared(inputs: Mapping[str, object]) -> bool:
    """Whether a schema of inputs speaks of members that its `properties` do not name.

    One that does not takes none: a mistyped input would otherwise be taken in silence.
    """
    return any(inputs.get(keyword, False) is not False for keyword in _OPEN_KEYWORDS)


def takes_input(workflow: Workflow, name: str) -> bool:
    """Whether a run of the workflow may be given, and may read, an input of that name."""
    return name in declared_inputs(workflow) or takes_undeclared(workflow.inputs or {})


def default_inputs(workflow: Workflow) -> JsonObject:
    """The inputs that a run has when it is given none."""
    return {
        name: copy.deepcopy(member["default"])
        for name, member in declared_inputs(workflow).items()
        if isinstance(member, dict) and "default" in member
    }


def with_defaults(workflow: Workflow, given: Mapping[str, Any]) -> JsonObject:
    """The inputs that a run has when it is given these."""
    inputs = copy.deepcopy(dict(given))
    for name, value in default_inputs(workflow).items():
        inputs.setdefault(name, value)
    return inputs
