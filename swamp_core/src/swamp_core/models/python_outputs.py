"""What a method returned, as the outputs of its step: taken as strictly as what a script gives."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from swamp_core.models.method import STDERR, STDOUT
from swamp_core.models.raised import told
from swamp_core.models.script_outputs import OUTPUT_BYTES_MAX, InvalidOutput
from swamp_core.payload.python_values import check_python
from swamp_core.payload.strict_json import JSON_NESTING_MAX
from swamp_core.payload.values import PayloadError, compact
from swamp_core.workflow.problems import quoted

_RESERVED = (STDOUT, STDERR)


def outputs_of(returned: object) -> dict[str, Any]:
    """The outputs, a copy that the method no longer holds. Raises `InvalidOutput`.

    A dict must be JSON as it stands: a date or a tuple in it is refused, not converted. A pydantic model says by
    itself how it is written.
    """
    value = _object(returned)
    try:
        check_python(value, "output", bytes_max=OUTPUT_BYTES_MAX, nesting_max=JSON_NESTING_MAX)
    except PayloadError as error:
        code = "output_too_large" if error.code == "too_large" else "invalid_output"
        raise InvalidOutput(f"What the method returned cannot be kept. {error.reason}", code) from error
    for name in _RESERVED:
        if name in value:
            raise InvalidOutput(f"The output {quoted(name)} is what the method logs; choose another name.")
    stored = compact(value)
    if len(stored) > OUTPUT_BYTES_MAX:
        message = (
            f"What the method returned has {len(stored)} bytes as JSON; at most {OUTPUT_BYTES_MAX} are kept."
        )
        raise InvalidOutput(message, "output_too_large")
    copy: dict[str, Any] = json.loads(stored)
    return copy


def _object(returned: object) -> dict[str, Any]:
    if returned is None:
        return {}
    if isinstance(returned, dict):
        return dict(returned)
    if not isinstance(returned, BaseModel):
        kind = quoted(type(returned).__name__)
        raise InvalidOutput(
            f"The method returned a {kind}; it may return a dict, a pydantic model or nothing."
        )
    try:
        dumped = returned.model_dump(mode="json", by_alias=True, warnings="error")
    except Exception as error:  # whatever a serializer of the class raises
        raise InvalidOutput(f"What the method returned cannot be written as JSON: {told(error)}.") from error
    if not isinstance(dumped, dict):
        raise InvalidOutput("The pydantic model that the method returned is not written as a JSON object.")
    return dumped
