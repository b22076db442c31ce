"""What a field of a record may hold beyond its type: what becomes part of a key, and a captured schema.

Other writers reach the store, so a record whose fields could not be used is refused when it is read, and never halfway
through what is done with it.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue
from pydantic_core import PydanticCustomError

from swamp_core.records.keys import NUMBER_MAX
from swamp_core.store.keys import is_device_name, is_segment


def _check_segment(text: str) -> str:
    if not is_segment(text):
        raise PydanticCustomError("no_segment", "It cannot be part of a key")
    return text


def _check_schema(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    from swamp_core.payload.schema import schema_problems  # a record without a schema does not pay for it

    problems = schema_problems(schema) if schema else []
    if problems:
        reason = problems[0].message.removesuffix(".")
        raise PydanticCustomError(
            "unusable_schema", "Its schema cannot be used: {reason}", {"reason": reason}
        )
    return schema


def _check_payload(payload: dict[str, JsonValue]) -> dict[str, JsonValue]:
    from swamp_core.payload.strict_json import check_value
    from swamp_core.payload.values import PayloadError

    try:
        check_value(payload)
    except PayloadError as error:
        reason = error.reason.removesuffix(".")
        raise PydanticCustomError(
            "no_payload", "No signal has such a payload: {reason}", {"reason": reason}
        ) from error
    return payload


Payload = Annotated[dict[str, JsonValue], AfterValidator(_check_payload)]
"""What a signal may carry, by the rules for a payload from outside."""

Segment = Annotated[str, AfterValidator(_check_segment)]
"""An ID or a workflow's name: text that can stand between two slashes of a key."""

NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}", re.ASCII)
"""What names a workflow, a model or a key, but for the names of devices on Windows."""


def _check_name(text: str) -> str:
    if not NAME.fullmatch(text) or is_device_name(text):
        raise PydanticCustomError("no_name", "It cannot name a key")
    return text


WaitKey = Annotated[str, AfterValidator(_check_name)]
"""The key of a wait."""

Number = Annotated[int, Field(ge=1, le=NUMBER_MAX)]
"""A number of a numbered family."""

CapturedSchema = Annotated[dict[str, JsonValue], AfterValidator(_check_schema)]
"""The schema of a payload as it was captured: `violations` enforces all that it says. An empty one takes any object."""
